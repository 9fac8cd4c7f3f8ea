//! Reads an input as a file of a format.

use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::time::TimeZone;
use import_adapter::{FileContext, Format, open};

/// Reads the bytes to their end, twice, and asserts that both outcomes are equal.
pub fn read_twice(bytes: &[u8], format: Option<Format>) -> Result<Vec<ImportItem>, ImportRefusal> {
    let path = std::env::temp_dir().join(format!("import-{}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let start = chrono::DateTime::parse_from_rfc3339("2026-01-10T22:30:00+01:00").ok();
    // The limit is low enough for a fuzzed archive to reach it.
    let context = FileContext { zone: TimeZone::UTC, start, user_id: None, most_unpacked: 1 << 20, scratch: None };
    let read = || {
        let mut source = open(&path, format, context.clone())?.open()?;
        let mut items = Vec::new();
        loop {
            let batch = source.next_batch(100)?;
            if batch.is_empty() {
                return Ok(items);
            }
            items.extend(batch);
        }
    };
    let outcome = read();
    assert_eq!(read(), outcome);
    outcome
}
