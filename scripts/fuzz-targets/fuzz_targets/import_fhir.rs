//! FHIR observations: any bytes are either read or rejected, and reading is deterministic.
#![no_main]

#[path = "shared/import.rs"]
mod import;

use import_adapter::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(items) = import::read_twice(bytes, Format::Fhir) else { return };
    assert!(items.iter().all(|item| item.place().contains("record ")));
    assert!(items.len() <= bytes.len() + 1);
});
