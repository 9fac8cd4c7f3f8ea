//! Withings summaries and raw series: any bytes are either read or rejected, and reading is deterministic.
#![no_main]

use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::time::TimeZone;
use import_adapter::{FileContext, Format, open};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let outcome = read(bytes);
    assert_eq!(read(bytes), outcome);
    let Ok(items) = outcome else { return };
    assert!(items.iter().all(|item| item.place().contains("record ")));
    assert!(items.len() <= bytes.len() + 1);
});

fn read(bytes: &[u8]) -> Result<Vec<ImportItem>, ImportRefusal> {
    let path = std::env::temp_dir().join(format!("import-withings-{}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let context = FileContext { zone: TimeZone::UTC, start: None, user_id: None };
    let mut source = open(&path, Format::Withings, context)?.open()?;
    let mut items = Vec::new();
    loop {
        let batch = source.next_batch(100)?;
        if batch.is_empty() {
            return Ok(items);
        }
        items.extend(batch);
    }
}
