//! Files of the format that IMPORT_FORMAT names: any bytes are either read or rejected, and reading is
//! deterministic. An XML file that was read to its end is rejected without its last character.
//!
//! With IMPORT_SEEDS=FOLDER it writes the fixtures of each format to a folder of the format's name instead.
#![no_main]

#[path = "shared/import.rs"]
mod import;

use import_adapter::Format;
use import_adapter::test_support::{GeneratedRecord, RecordForm, content};
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::LazyLock;

static FORMAT: LazyLock<Format> = LazyLock::new(|| {
    let name = std::env::var("IMPORT_FORMAT").expect("IMPORT_FORMAT names a format");
    Format::parse(&name).expect("a known format").expect("a format other than auto")
});

fuzz_target!(
    init: {
        if let Ok(folder) = std::env::var("IMPORT_SEEDS") {
            write_seeds(Path::new(&folder));
            std::process::exit(0);
        }
    },
    |bytes: &[u8]| {
        let Ok(items) = import::read_twice(bytes, Some(*FORMAT)) else { return };
        assert!(items.iter().all(|item| !item.place().is_empty()));
        assert!(items.len() <= bytes.len());
        if let [b'<', .., last] = bytes.trim_ascii() {
            assert_eq!(*last, b'>');
            let whole = bytes.trim_ascii_end();
            assert!(import::read_twice(&whole[..whole.len() - 1], Some(*FORMAT)).is_err());
        }
    }
);

fn write_seeds(folder: &Path) {
    let records = [(0, 480, RecordForm::Plain), (900, 20, RecordForm::Repeated), (1440, 0, RecordForm::Unreadable)]
        .map(|(start, length, form)| GeneratedRecord { start, length, form });
    for format in Format::ALL {
        let folder = folder.join(format.as_str());
        std::fs::create_dir_all(&folder).unwrap();
        let fixtures = format.fixtures();
        let examples = fixtures.examples.iter().map(|text| content(text));
        let generated = fixtures.layouts.iter().map(|layout| layout.file(0, &records).bytes());
        for (number, bytes) in examples.chain(generated).enumerate() {
            std::fs::write(folder.join(number.to_string()), bytes).unwrap();
        }
    }
}
