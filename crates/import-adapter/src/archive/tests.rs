//! Folders and archives of any format.

mod damage;
mod damaged_entry;
mod folder;
mod gzip;
mod raw_entry;
mod several_files;
mod takeout;

use crate::testing::{context, notes, read_path, sessions};
use crate::{Format, open};
use application::ports::import_source::{ImportItem, ImportRefusal};
use std::io::Write as _;

/// One night of Fitbit's with this id.
fn night(id: u32) -> String {
    format!(
        r#"{{"logId":{id},"mainSleep":true,"startTime":"2026-01-{:02}T23:00:00.000","duration":3600000}}"#,
        id % 28 + 1
    )
}

fn month(ids: impl IntoIterator<Item = u32>) -> String {
    format!("[{}]", ids.into_iter().map(night).collect::<Vec<_>>().join(","))
}

type Options = zip::write::SimpleFileOptions;

/// Packs files like common tools.
fn archive(files: &[(&str, &[u8])], options: Options) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn deflated() -> Options {
    Options::default().compression_method(zip::CompressionMethod::Deflated)
}

fn stored() -> Options {
    Options::default().compression_method(zip::CompressionMethod::Stored)
}

type Outcome = Result<(&'static str, Vec<ImportItem>), ImportRefusal>;

fn read_as(bytes: &[u8], format: impl Into<Option<Format>>) -> Outcome {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    read_path(file.path(), format, "Europe/Berlin")
}

fn read(bytes: &[u8]) -> Outcome {
    read_as(bytes, None)
}

fn refusal(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

fn places(items: &[ImportItem]) -> Vec<&str> {
    items.iter().map(ImportItem::place).collect()
}

#[test]
fn entries_are_read_in_the_order_of_their_names_and_named_in_places() {
    let files = [("b/sleep.json", month([3])), ("readme.txt", "text".to_owned()), ("a.json", month([1, 2]))];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_bytes()));
    for options in [deflated(), stored(), deflated().large_file(true)] {
        let (format, items) = read(&archive(&files, options)).unwrap();
        assert_eq!(format, "fitbit");
        assert_eq!(
            places(&items),
            ["a.json: record 1", "a.json: record 2", "b/sleep.json: record 1", "the archive"]
        );
        let passed_over = "the archive: files of no known format were skipped: 1 (readme.txt)";
        assert_eq!(notes(&items), [passed_over]);
    }
}

#[test]
fn formats_may_be_mixed_and_each_is_named_once() {
    let line = "{\"type\":\"supplement\",\"name\":\"Evening\"}\n";
    let files = [("b.json", month([1])), ("a.ndjson", line.to_owned()), ("c.json", month([2]))];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_bytes()));
    let packed = archive(&files, deflated());
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&packed).unwrap();
    let opened = open(file.path(), None, context("UTC")).unwrap();
    assert_eq!(opened.formats(), ["ndjson", "fitbit"]);
    let (_, items) = read(&packed).unwrap();
    assert_eq!(places(&items), ["a.ndjson: line 1", "b.json: record 1", "c.json: record 1"]);
    let (format, items) = read_as(&packed, Format::Fitbit).unwrap();
    assert_eq!((format, sessions(&items).len()), ("fitbit", 2));
    assert_eq!(notes(&items), ["the archive: files not of the format fitbit were skipped: 1 (a.ndjson)"]);
}

#[test]
fn a_weak_match_is_ignored_if_another_format_matches() {
    let line = "{\"type\":\"supplement\",\"name\":\"Evening\"}\n".as_bytes();
    let (format, items) = read(&archive(&[("a.json", b"[]"), ("b.ndjson", line)], deflated())).unwrap();
    assert_eq!((format, places(&items)), ("ndjson", vec!["b.ndjson: line 1", "the archive"]));
    assert!(notes(&items).concat().ends_with("skipped: 1 (a.json)"));
    // Any object may be Restwell's NDJSON if nothing else matches.
    let (_, items) =
        read_as(&archive(&[("a.json", b"{\"x\":1}"), ("b.ndjson", line)], deflated()), Format::Ndjson)
            .unwrap();
    assert_eq!(places(&items), ["b.ndjson: line 1", "the archive"]);
    let (_, items) = read_as(&archive(&[("a.json", b"{\"x\":1}")], deflated()), Format::Ndjson).unwrap();
    assert_eq!(places(&items), ["a.json: line 1"]);
}

#[test]
fn a_list_of_small_numbers_is_a_hypnogram_only_when_nothing_else_is_there() {
    let night = month([1]);
    let packed = archive(&[("a.json", b"[1,2,3]"), ("b.json", night.as_bytes())], deflated());
    let (format, items) = read(&packed).unwrap();
    assert_eq!((format, places(&items)), ("fitbit", vec!["b.json: record 1", "the archive"]));
    let reported = "the archive: hypnograms do not contain their start time and were skipped among other files; \
        import each separately with its start: a.json";
    assert_eq!(notes(&items), [reported]);
    let (format, items) = read(&archive(&[("a.txt", b"0\n2\n")], deflated())).unwrap();
    assert_eq!((format, sessions(&items).len()), ("hypnogram", 1));
    let several = archive(&[("a.txt", b"0\n2\n"), ("b.txt", b"0\n3\n")], deflated());
    assert!(refusal(&several).contains("contains several hypnograms"));
}

#[test]
fn an_archive_of_nothing_known_is_refused_with_what_was_seen() {
    let seen = "a text file in no supported format";
    assert_eq!(
        refusal(&archive(&[("a.txt", b"words")], deflated())),
        format!("the only file in the archive is not of a known format; a.txt: unsupported file: {seen}")
    );
    let packed = archive(&[("a.txt", b"words"), ("b.txt", b"words")], deflated());
    let refused = refusal(&packed);
    assert!(
        refused.starts_with("none of the 2 files in the archive is of a known format; a.txt: "),
        "{refused}"
    );
    let refused = read_as(&packed, Format::Fitbit).unwrap_err();
    assert!(matches!(&refused, ImportRefusal::NotThisFormat(text) if text.contains("of the format fitbit")));
    assert_eq!(refusal(&archive(&[], deflated())), "there is no file in the archive");
    let night = month([1]);
    let packed = archive(&[("a.txt", b"words"), ("b.json", night.as_bytes())], deflated());
    let seen = "none of the 2 files in the archive is of the format whoop; b.json: not a WHOOP file; it is a Fitbit file";
    assert_eq!(
        read_as(&packed, Format::Whoop),
        Err(ImportRefusal::OtherFormat { seen: seen.to_owned(), formats: vec!["fitbit"] })
    );
}

#[test]
fn archives_inside_of_archives_are_not_opened() {
    let night = month([1]);
    let inner = archive(&[("a.json", night.as_bytes())], deflated());
    let (_, items) = read(&archive(&[("a.zip", &inner), ("b.json", night.as_bytes())], deflated())).unwrap();
    assert_eq!(places(&items), ["b.json: record 1", "the archive"]);
    assert_eq!(
        notes(&items).concat(),
        "the archive: files of no known format were skipped: 1 (a.zip); nested archives are not opened, \
         import them separately: a.zip"
    );
    let refused = refusal(&archive(&[("a.zip", &inner)], stored()));
    assert!(refused.contains("a.zip: unsupported file: a zip archive"), "{refused}");
    assert!(refused.ends_with("import them separately: a.zip"), "{refused}");
    let many: Vec<String> = (10..31).map(|number| format!("{number}.zip")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), inner.as_slice())).collect();
    let refused = refusal(&archive(&many, stored()));
    assert!(
        refused.contains("separately: 10.zip, 11.zip, ") && refused.ends_with(", 28.zip, 29.zip, ..."),
        "{refused}"
    );
}

#[test]
fn the_tables_of_an_export_are_refused_rather_than_half_imported() {
    let logs = b"id,external_id,supplement_id,created_at,servings\n\
        1a2b3c4d-0000-4000-8000-000000000002,,1a2b3c4d-0000-4000-8000-000000000001,2026-01-02T03:04:05Z,1\n";
    let nights = b"id,external_id,source,time_in_bed_start,time_in_bed_end,is_nap,updated_at\n";
    let alone = archive(&[("supplement_logs.csv", logs)], deflated());
    assert_eq!(read(&alone).unwrap().0, "intake-csv");
    let export = archive(&[("supplement_logs.csv", logs), ("x.csv", nights)], deflated());
    let refused = read(&export).unwrap_err();
    assert!(
        matches!(&refused, ImportRefusal::NotInThisWay(text) if text.starts_with("x.csv: ")),
        "{refused}"
    );
    assert!(refused.to_string().contains("(ndjson)"), "{refused}");
}

#[test]
fn a_name_is_only_shown() {
    let night = month([1]);
    let night = night.as_bytes();
    let names = ["/etc/night.json", "../../night.json", "C:\\night.json", "a\u{1b}[2J\nb.json"];
    let packed = archive(&names.map(|name| (name, night)), deflated());
    let (_, items) = read(&packed).unwrap();
    let shown = ["../../night.json", "/etc/night.json", "C:\\night.json", "a[2Jb.json"];
    assert_eq!(places(&items), shown.map(|name| format!("{name}: record 1")));
}

#[test]
fn folders_and_links_in_an_archive_are_skipped() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_directory("months", stored()).unwrap();
    writer.add_symlink("months/link.json", "/etc/passwd", stored()).unwrap();
    writer.start_file("months/a.json", deflated()).unwrap();
    writer.write_all(month([1]).as_bytes()).unwrap();
    let (_, items) = read(&writer.finish().unwrap().into_inner()).unwrap();
    assert_eq!(places(&items), ["months/a.json: record 1", "the archive"]);
    assert!(notes(&items).concat().ends_with("skipped: 1 (months/link.json)"));
}

#[test]
fn an_error_inside_an_entry_is_reported_with_its_name() {
    let packed = archive(&[("a.json", b"[{\"mainSleep\":true},]")], deflated());
    let refused = read(&packed).unwrap_err();
    assert!(
        matches!(&refused, ImportRefusal::Damaged { place, .. } if place.starts_with("a.json: line 1, ")),
        "{refused}"
    );
}

#[test]
fn an_entry_without_records_is_noted_and_an_archive_of_them_is_rejected() {
    let skipped = format!("Id,Tz,From,To,Sched,Hours\n{}\n", ",".repeat(5));
    let night = month([1]);
    let files = [("a.csv", skipped.as_bytes()), ("b.json", night.as_bytes()), ("c.csv", skipped.as_bytes())];
    let reason = "none of its rows is a record that can be imported";
    let (_, items) = read(&archive(&files, deflated())).unwrap();
    assert_eq!(sessions(&items).len(), 1);
    assert_eq!(notes(&items), [format!("a.csv: {reason}"), format!("c.csv: {reason}")]);
    for files in [&files[..1], &[files[0], files[2]]] {
        let refused = read(&archive(files, deflated())).unwrap_err();
        assert!(matches!(&refused, ImportRefusal::HoldsNoSleep(text) if text.ends_with(reason)), "{refused}");
    }
}
