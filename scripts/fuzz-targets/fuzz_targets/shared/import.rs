//! Reading a file of a format, as a target hands its bytes over.

use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::time::TimeZone;
use import_adapter::{FileContext, Format, open};

/// Reads the bytes to their end, twice: the same bytes give the same.
pub fn read_twice(bytes: &[u8], format: Format) -> Result<Vec<ImportItem>, ImportRefusal> {
    let path = std::env::temp_dir().join(format!("import-{}-{}", format.as_str(), std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let context = FileContext { zone: TimeZone::UTC, start: None, user_id: None };
    let read = || {
        let mut source = open(&path, format, context)?.open()?;
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
