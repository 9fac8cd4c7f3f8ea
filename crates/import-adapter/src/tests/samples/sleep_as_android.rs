//! Exports of Sleep as Android, checked against facts worked out from the files.

use super::{folder, read};
use crate::testing::{frame, notes, rejections, sessions};
use std::collections::BTreeSet;

#[test]
fn a_later_export_has_the_records_of_the_earlier_under_the_same_keys() {
    let Some(folder) = folder() else { return };
    let keys = |name: &str| -> BTreeSet<String> {
        let (_, items) = read(&folder.join("sleep-as-android").join(name)).unwrap();
        sessions(&items).iter().map(|night| night.key().to_stored()).collect()
    };
    let first = keys("sleep-export.1.csv");
    let expected = ["given:1606420800000", "given:1606462701362"];
    assert_eq!(first, expected.map(str::to_owned).into());
    assert!(first.is_subset(&keys("sleep-export.2.csv")) && first.is_subset(&keys("sleep-export.4.zip")));
}

#[test]
fn the_archive_of_the_app_yields_its_records() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("sleep-as-android/sleep-export.4.zip")).unwrap();
    let frames: Vec<_> = sessions(&items).iter().map(frame).collect();
    assert_eq!(
        frames,
        [
            "2020-11-28T08:17:00+00:00 2020-11-28T08:18:00+00:00",
            "2020-11-28T08:12:00+00:00 2020-11-28T08:13:00+00:00",
            "2020-11-28T08:10:00+00:00 2020-11-28T08:11:00+00:00",
            "2020-11-27T08:54:00+00:00 2020-11-27T15:25:00+00:00",
            "2020-11-27T07:38:00+00:00 2020-11-27T07:40:00+00:00",
            "2020-11-26T20:00:00+00:00 2020-11-27T07:00:00+00:00",
        ]
    );
    let reason = "time in bed: the end is not after the start";
    let places = ["sleep-export.csv: line 10", "sleep-export.csv: line 12"];
    assert_eq!(rejections(&items), places.map(|place| format!("{place}: {reason}")));
    assert_eq!(
        notes(&items),
        ["the archive: files of no known format were skipped: 2 (alarms.json, prefs.xml)"]
    );
}
