//! Apple Health exports: any bytes are either read or rejected, and reading is deterministic.
//! A file that was read to its end is rejected without its last character.
#![no_main]

#[path = "shared/import.rs"]
mod import;

use import_adapter::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(items) = import::read_twice(bytes, Format::AppleHealth) else { return };
    assert!(items.iter().all(|item| item.place().starts_with("line ")));
    assert!(items.len() <= bytes.len() / 10);
    let whole = bytes.trim_ascii_end();
    let (last, rest) = whole.split_last().unwrap();
    assert_eq!(*last, b'>');
    assert!(import::read_twice(rest, Format::AppleHealth).is_err());
});
