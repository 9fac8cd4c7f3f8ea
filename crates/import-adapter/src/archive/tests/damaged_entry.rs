//! Damaged files in folders and archives.

use super::{archive, deflated, month, read, read_as, refusal};
use crate::Format;
use crate::testing::{notes, read_path, sessions};
use std::fs;

/// Content of files whose beginning is of a known format, and their damage.
const DAMAGED: [(&[u8], &str); 8] = [
    (b"[{\"logId\":1,\"mainSleep\":true},{\"logId\"", "line 1, column 39: the file is truncated"),
    (b"[{\"logId\":1,\"mainSleep\":true,\"x\":\"\xff\"}]", "line 1, column 35: not valid UTF-8"),
    (b"{\"type\":\"profile\"}\n{\"type\":\"\xff\"}", "line 2, column 10: not valid UTF-8"),
    (
        b"Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap\nx,UTC,\xff,\xff,true\n",
        "line 2, column 1: not valid UTF-8",
    ),
    (
        b"Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap\nx,UTC,2026-01",
        "line 2, column 14: the file is truncated",
    ),
    (b"created_at,upc,servings\n2026-01-10 22:00,\"0360", "line 2, column 23: the file is truncated"),
    (b"Sleep\nStart Time,End Time\n2026-01-10 11:0", "line 3, column 16: the file is truncated"),
    (b"<HealthData>\n\xff", "line 1: not UTF-8"),
];

#[test]
fn a_damaged_file_of_a_known_format_rejects_the_import_with_its_name() {
    let night = month([1]);
    for (content, damage) in DAMAGED {
        let refused = refusal(&archive(&[("a.json", night.as_bytes()), ("b", content)], deflated()));
        assert!(refused.starts_with(&format!("damaged at b: {damage}")), "{refused}");
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.json"), &night).unwrap();
        fs::write(folder.path().join("b"), content).unwrap();
        let in_folder = read_path(folder.path(), None, "UTC").unwrap_err();
        assert_eq!(in_folder.to_string(), refused);
    }
}

#[test]
fn a_damaged_file_of_no_known_format_is_noted_with_its_damage() {
    let night = month([1]);
    let files = [("a.json", night.as_bytes()), ("b.json", b"[{\"logId\""), ("c.txt", b"words")];
    let (_, items) = read(&archive(&files, deflated())).unwrap();
    assert_eq!(sessions(&items).len(), 1);
    let skipped = "the archive: files of no known format were skipped: 2 (b.json, c.txt); damaged: b.json (line 1, column \
        10: the file is truncated)";
    assert_eq!(notes(&items), [skipped]);
    let (_, items) = read_as(&archive(&files, deflated()), Format::Fitbit).unwrap();
    assert!(notes(&items).concat().ends_with("; damaged: b.json (line 1, column 10: the file is truncated)"));
}

#[test]
fn damage_is_the_reason_if_no_file_has_a_known_format() {
    let files = [("a.txt", &b"words"[..]), ("b.json", b"[{\"logId\"")];
    let expected = "none of the 2 files in the archive is of a known format; damaged at b.json: line 1, column 10: the file \
        is truncated";
    assert_eq!(refusal(&archive(&files, deflated())), expected);
}

#[test]
fn the_end_of_the_inspected_part_is_not_damage() {
    let (night, long) = (month([1]), format!("{{\"a\":\"{}\"}}", "x".repeat(5 * 1024 * 1024)));
    let files = [("a.json", night.as_bytes()), ("b.json", long.as_bytes())];
    let stored = super::stored();
    let (_, items) = read(&archive(&files, stored)).unwrap();
    assert_eq!(notes(&items), ["the archive: files of no known format were skipped: 1 (b.json)"]);
}
