//! Sessions do not depend on the files that contain their records.

use super::each_record::duplicates;
use crate::Format;
use crate::test_support::{self, GeneratedRecord, Layout, RecordForm, RecordKind};
use crate::testing::{read, read_path, rejections, sessions};
use proptest::prelude::*;

/// Formats whose sessions may have several records.
fn layouts() -> Vec<(Format, &'static Layout)> {
    let whole = test_support::layouts(RecordKind::Whole);
    let of_nights = whole.into_iter().filter(|(format, _)| *format == Format::OpenMhealth);
    test_support::layouts(RecordKind::Sample).into_iter().chain(of_nights).collect()
}

/// A record and a number that selects its file.
fn record() -> impl Strategy<Value = (GeneratedRecord, usize)> {
    let form = prop_oneof![
        5 => Just(RecordForm::Plain),
        1 => Just(RecordForm::Repeated),
        1 => Just(RecordForm::Unreadable),
    ];
    let record = (0_i64..100, -1_i64..10, form, any::<usize>());
    record.prop_map(|(start, length, form, file)| {
        (GeneratedRecord { start: start * 20, length: length * 20, form }, file)
    })
}

proptest! {
    #[test]
    fn records_split_over_files_form_the_sessions_of_one_file(
        records in prop::collection::vec(record(), 1..40),
        count in 1..=3_usize,
        (format, layout) in prop::sample::select(layouts()),
    ) {
        let folder = tempfile::tempdir().unwrap();
        for file in 0..count {
            let part = records.iter().filter(|(_, number)| number % count == file);
            let part: Vec<_> = part.map(|(record, _)| *record).collect();
            std::fs::write(folder.path().join(file.to_string()), layout.file(0, &part).bytes()).unwrap();
        }
        let all: Vec<_> = records.iter().map(|(record, _)| *record).collect();
        let expected = read(&layout.file(0, &all).bytes(), format, "UTC").unwrap();
        let (_, found) = read_path(folder.path(), format, "UTC").unwrap();
        prop_assert_eq!(sessions(&found), sessions(&expected));
        prop_assert_eq!(duplicates(&found), duplicates(&expected));
        prop_assert_eq!(rejections(&found).len(), rejections(&expected).len());
    }
}
