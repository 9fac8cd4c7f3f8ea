//! Properties of every format.

mod blank_id;
mod blank_source;
mod each_record;
mod repeated_column;
mod samples;
mod several_files;
mod several_tables;
mod unknown;

use crate::test_support::content;
use crate::testing::{context, notes, read, read_path, sessions};
use crate::{Format, open};
use application::ports::import_source::{ImportItem, ImportRefusal};
use proptest::prelude::{any, prop, prop_assert, proptest};
use std::io::Write as _;

/// Returns one whole file of each kind, each with its format.
fn examples() -> Vec<(Format, &'static str)> {
    let of_format = |format: Format| format.fixtures().examples.iter().map(move |text| (format, *text));
    Format::ALL.into_iter().flat_map(of_format).collect()
}

#[test]
fn a_json_file_truncated_anywhere_is_rejected() {
    for (format, text) in examples().into_iter().filter(|(_, text)| text.starts_with(['[', '{'])) {
        let text = text.trim_end();
        for length in 1..text.len() {
            let outcome = read(&text.as_bytes()[..length], format, "UTC");
            assert!(outcome.is_err(), "the first {length} bytes of {text}");
        }
        assert!(matches!(read(text.as_bytes(), None, "UTC").unwrap().as_slice(), [one] if is_taken(one)));
    }
}

fn is_taken(item: &ImportItem) -> bool {
    !matches!(item, ImportItem::Rejected(_) | ImportItem::Note(_))
}

#[test]
fn an_accepted_record_reports_its_position() {
    for (format, text) in examples() {
        let items = read(&content(text), format, "UTC").unwrap();
        let place = items.iter().find(|item| is_taken(item)).unwrap().place();
        let number = place.strip_prefix("record ").or_else(|| place.strip_prefix("line "));
        assert!(number.is_some_and(|number| ["1", "2", "3"].contains(&number)), "{format:?}: {place}");
    }
    let lines = Format::Ndjson.fixtures().examples[0].repeat(3);
    let last = read(lines.as_bytes(), None, "UTC").unwrap().pop().unwrap();
    assert_eq!(last.place(), "line 3");
}

#[test]
fn each_example_is_recognised_by_its_content() {
    for (format, text) in examples() {
        assert_eq!(open_text(&content(text), None), Ok(format.as_str()), "{text}");
    }
}

#[test]
fn an_export_of_many_nights_has_a_session_for_each() {
    for format in Format::ALL {
        let export = format.fixtures().export(15);
        if export.is_empty() || matches!(format, Format::IntakeCsv | Format::Dsld) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in export {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let (_, items) = read_path(folder.path(), format, "UTC").unwrap();
        assert_eq!((sessions(&items).len(), items.len()), (15, 15), "{format:?}: {:?}", notes(&items));
        let are_staged = sessions(&items).iter().all(|record| !record.hypnogram().is_empty());
        let has_stages = format.info().result.contains("stages") && !format.fixtures().export.is_empty();
        assert!(are_staged || !has_stages, "{format:?}");
    }
}

fn open_text(bytes: &[u8], format: Option<Format>) -> Result<&'static str, ImportRefusal> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    open(file.path(), format, context("UTC")).map(|file| file.formats()[0])
}

#[test]
fn what_cannot_be_read_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let refused = open(&socket, None, context("UTC")).err();
    assert_eq!(refused, Some(ImportRefusal::Unreadable("not a regular file".to_owned())));
    let refused = open(&folder.path().join("absent"), None, context("UTC")).err();
    assert_eq!(refused, Some(ImportRefusal::Missing));
}

#[test]
fn a_file_reports_its_size_and_format_and_can_be_reopened() {
    const FIRST: &str = Format::Fitbit.fixtures().examples[0];
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(FIRST.as_bytes()).unwrap();
    let opened = open(file.path(), None, context("UTC")).unwrap();
    assert_eq!(opened.formats(), ["fitbit"]);
    assert_eq!(opened.size(), Some(u64::try_from(FIRST.len()).unwrap()));
    let [one, two] = [(), ()].map(|()| opened.open().unwrap().next_batch(10).unwrap());
    assert!(one.len() == 1 && one == two);
}

#[test]
fn a_repeated_request_gets_the_same_refusal() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"[{\"mainSleep\":true},").unwrap();
    let mut source = open(file.path(), None, context("UTC")).unwrap().open().unwrap();
    assert_eq!(source.next_batch(1).unwrap().len(), 1);
    let refused = source.next_batch(1).unwrap_err();
    assert_eq!(source.next_batch(1), Err(refused));
}

#[test]
fn a_record_longer_than_the_limit_refuses_the_file() {
    let mut text = b"[{\"mainSleep\":true,\"note\":\"".to_vec();
    text.resize(crate::RECORD_LIMIT + 1000, b'a');
    text.extend_from_slice(b"\"}]");
    let refused = read(&text, Format::Fitbit, "UTC").unwrap_err();
    assert_eq!(refused.to_string(), "damaged at line 1, column 2: a record is longer than 16 MiB");
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in Format::ALL {
            let _outcome = read(&bytes, format, "Europe/Berlin");
        }
    }

    #[test]
    fn a_damaged_file_never_causes_a_panic(
        which in 0..examples().len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = content(examples()[which].1);
        for (index, byte) in edits {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        for format in Format::ALL {
            if let Ok(items) = read(&bytes, format, "America/New_York") {
                prop_assert!(items.len() < 20);
            }
        }
    }

    #[test]
    fn no_time_makes_a_reader_panic(start in "[0-9+T:.-]{0,26}", seconds in any::<f64>(), zone in 0..3_usize) {
        let zone = ["Europe/Berlin", "Asia/Kathmandu", "Pacific/Apia"][zone];
        let seconds = if seconds.is_finite() { seconds } else { 0.0 };
        let text = format!(
            r#"[{{"mainSleep":true,"startTime":"2011-12-29T{start}","endTime":"{start}","duration":{seconds:?},
            "minuteData":[{{"dateTime":"{start}","value":1}}]}},{{"mainSleep":true,"startTime":"{start}",
            "duration":{seconds:?},"levels":{{"data":[{{"dateTime":"{start}","seconds":{seconds:?}}}]}}}}]"#
        );
        prop_assert!(!read(text.as_bytes(), Format::Fitbit, zone).unwrap().is_empty());
    }
}
