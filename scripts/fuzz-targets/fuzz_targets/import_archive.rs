//! Zip archives and gzip: any bytes are either read or rejected, and reading is deterministic.
//! The first byte selects the signature, so that the fuzzer need not find it by chance.
#![no_main]

#[path = "shared/import.rs"]
mod import;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let begins: &[u8] = if first % 2 == 0 { b"PK\x03\x04" } else { b"\x1f\x8b\x08" };
    let named = rest.starts_with(b"PK") || rest.starts_with(b"\x1f\x8b");
    let file = if named { rest.to_vec() } else { [begins, rest].concat() };
    let _ = import::read_twice(&file, None);
});
