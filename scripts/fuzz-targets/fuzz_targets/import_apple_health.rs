//! Apple Health exports: any bytes are either read or rejected, and reading is deterministic.
//! A file that was read to its end is rejected without its last character.
#![no_main]

use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::time::TimeZone;
use import_adapter::{FileContext, Format, open};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let outcome = read(bytes);
    assert_eq!(read(bytes), outcome);
    let Ok(items) = outcome else { return };
    assert!(items.iter().all(|item| item.place().starts_with("line ")));
    assert!(items.len() <= bytes.len() / 10);
    let whole = bytes.trim_ascii_end();
    let (last, rest) = whole.split_last().unwrap();
    assert_eq!(*last, b'>');
    assert!(read(rest).is_err());
});

fn read(bytes: &[u8]) -> Result<Vec<ImportItem>, ImportRefusal> {
    let path = std::env::temp_dir().join(format!("import-apple-health-{}.xml", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let context = FileContext { zone: TimeZone::UTC, start: None, user_id: None };
    let mut source = open(&path, Format::AppleHealth, context)?.open()?;
    let mut items = Vec::new();
    loop {
        let batch = source.next_batch(100)?;
        if batch.is_empty() {
            return Ok(items);
        }
        items.extend(batch);
    }
}
