//! DSLD labels: any bytes are either read or rejected, and reading is deterministic.
#![no_main]

#[path = "shared/import.rs"]
mod import;

use application::ports::import_source::ImportItem;
use import_adapter::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(items) = import::read_twice(bytes, Format::Dsld) else { return };
    let labels = items.iter().filter(|item| matches!(item, ImportItem::Supplement(_))).count();
    assert!(labels <= bytes.len() / 10);
});
