//! Exports as people receive them.

use super::{archive, deflated, month, places, read};
use crate::Format;
use crate::testing::{notes, read_path, sessions};
use std::fs;

/// Made-up content of Google Takeout besides sleep.
const OTHERS: [(&str, &str); 5] = [
    (
        "Takeout/Fitbit/Global Export Data/steps-2026-01-01.json",
        r#"[{"dateTime":"01/01/26 00:00:00","value":"0"}]"#,
    ),
    (
        "Takeout/Fitbit/Global Export Data/exercise-0.json",
        r#"[{"logId":9,"activityName":"Walk","startTime":"x","duration":1}]"#,
    ),
    (
        "Takeout/Fitbit/Sleep Score/sleep_score.csv",
        "sleep_log_entry_id,timestamp,overall_score\n1,2026-01-02T07:00:00Z,80\n",
    ),
    ("Takeout/Fitbit/Your Profile/Profile.csv", "id,full_name\nA,B\n"),
    ("Takeout/archive_browser.html", "<html></html>"),
];

fn takeout() -> Vec<(&'static str, String)> {
    let mut files: Vec<_> = OTHERS.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    files.push(("Takeout/Fitbit/Global Export Data/sleep-2026-02-01.json", "[]".to_owned()));
    files.push(("Takeout/Fitbit/Global Export Data/sleep-2026-03-01.json", month([3])));
    files.push(("Takeout/Fitbit/Global Export Data/sleep-2026-01-01.json", month([1, 2])));
    files
}

#[test]
fn a_takeout_archive_yields_its_nights() {
    let files = takeout();
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let (format, items) = read(&archive(&files, deflated())).unwrap();
    assert_eq!((format, sessions(&items).len()), ("fitbit", 3));
    assert_eq!(places(&items)[0], "Takeout/Fitbit/Global Export Data/sleep-2026-01-01.json: record 1");
    let reported = "the archive: files of no known format were skipped: 5 (Takeout/Fitbit/Global Export \
        Data/exercise-0.json, Takeout/Fitbit/Global Export Data/steps-2026-01-01.json, Takeout/Fitbit/Sleep \
        Score/sleep_score.csv, Takeout/Fitbit/Your Profile/Profile.csv, Takeout/archive_browser.html)";
    assert_eq!(notes(&items), [reported]);
}

#[test]
fn a_takeout_folder_yields_its_nights() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in takeout() {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for format in [None, Some(Format::Fitbit)] {
        let (_, items) = read_path(folder.path(), format, "UTC").unwrap();
        assert_eq!(sessions(&items).len(), 3);
        assert!(notes(&items).concat().contains("skipped: 5 (Takeout/"));
    }
}

#[test]
fn an_archive_of_empty_months_is_well_formed() {
    let (format, items) = read(&archive(&[("a.json", b"[]"), ("b.json", b"[]")], deflated())).unwrap();
    assert_eq!((format, items.len()), ("fitbit", 0));
}

const APPLE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_US">
 <ExportDate value="2026-01-12 09:00:00 +0100"/>
 <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Made Up" sourceVersion="1" creationDate="2026-01-11 07:00:00 +0100" startDate="2026-01-10 23:00:00 +0100" endDate="2026-01-11 06:00:00 +0100" value="HKCategoryValueSleepAnalysisAsleepCore"/>
</HealthData>
"#;

#[test]
fn an_apple_health_archive_yields_its_nights_without_the_clinical_document() {
    let clinical =
        format!("<?xml version=\"1.0\"?>\n<ClinicalDocument>{}</ClinicalDocument>", "<a/>\n".repeat(100_000));
    let files = [
        ("apple_health_export/export_cda.xml", clinical.as_bytes()),
        ("apple_health_export/export.xml", APPLE.as_bytes()),
        ("apple_health_export/workout-routes/route.gpx", b"<?xml version=\"1.0\"?><gpx></gpx>"),
    ];
    let (format, items) = read(&archive(&files, deflated())).unwrap();
    assert_eq!((format, sessions(&items).len()), ("apple-health", 1));
    assert!(places(&items)[0].starts_with("apple_health_export/export.xml: "));
    let reported =
        "skipped: 2 (apple_health_export/export_cda.xml, apple_health_export/workout-routes/route.gpx)";
    assert!(notes(&items).concat().ends_with(reported));
}

const CYCLES: &str = "Cycle start time,Cycle end time,Cycle timezone,Recovery score %,Sleep onset,Wake onset,\
    Asleep duration (min)\n2026-01-10 23:00:00,,UTC+01:00,70,2026-01-10 23:00:00,2026-01-11 06:00:00,400\n";
const SLEEPS: &str = "Cycle start time,Cycle end time,Cycle timezone,Sleep onset,Wake onset,Nap\n\
    2026-01-10 23:00:00,,UTC+01:00,2026-01-10 23:00:00,2026-01-11 06:00:00,false\n";
const JOURNAL: &str = "Cycle start time,Cycle end time,Cycle timezone,Question text,Answered yes,Notes\n\
    2026-01-10 23:00:00,,UTC+01:00,Took magnesium?,true,\n";

#[test]
fn a_whoop_archive_yields_only_its_table_of_sleeps() {
    let files = [
        ("physiological_cycles.csv", CYCLES.as_bytes()),
        ("sleeps.csv", SLEEPS.as_bytes()),
        ("journal_entries.csv", JOURNAL.as_bytes()),
    ];
    let (format, items) = read(&archive(&files, deflated())).unwrap();
    assert_eq!((format, places(&items)), ("whoop", vec!["sleeps.csv: line 2", "the archive"]));
    assert!(notes(&items).concat().ends_with("skipped: 2 (journal_entries.csv, physiological_cycles.csv)"));
}

#[test]
fn a_sleep_as_android_archive_yields_its_records() {
    let records = "Id,Tz,From,To,Sched,Hours,\"7:00\"\n\
        \"1\",\"Europe/London\",\"01. 02. 2026 22:00\",\"02. 02. 2026 7:00\",\"\",\"9.0\",\"0.0\"\n";
    let files = [
        ("alarms.json", &b"[]"[..]),
        ("prefs.xml", b"<map></map>"),
        ("sleep-export.csv", records.as_bytes()),
    ];
    let (format, items) = read(&archive(&files, deflated())).unwrap();
    assert_eq!(
        (format, places(&items)),
        ("sleep-as-android", vec!["sleep-export.csv: line 2", "the archive"])
    );
    assert!(notes(&items).concat().ends_with("skipped: 2 (prefs.xml, alarms.json)"));
}

#[test]
fn an_archive_of_tables_without_sleep_is_described() {
    let refused = super::refusal(&archive(&[("physiological_cycles.csv", CYCLES.as_bytes())], deflated()));
    let text = "the only file in the archive is not of a known format; physiological_cycles.csv: this is WHOOP's table of \
        cycles (physiological_cycles.csv), ";
    assert!(refused.starts_with(text), "{refused}");
    let files = [("a.txt", &b"words"[..]), ("physiological_cycles.csv", CYCLES.as_bytes())];
    let refused = super::refusal(&archive(&files, deflated()));
    assert!(refused.contains("physiological_cycles.csv: this is WHOOP's table of cycles"), "{refused}");
}

#[test]
fn only_the_first_of_many_skipped_files_are_named() {
    let names: Vec<String> = (10..40).map(|number| format!("{number}.txt")).collect();
    let night = month([1]);
    let mut files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"words"[..])).collect();
    files.push(("sleep.json", night.as_bytes()));
    let (_, items) = read(&archive(&files, deflated())).unwrap();
    let reported = notes(&items).concat();
    assert!(reported.contains("skipped: 30 (10.txt, 11.txt, "), "{reported}");
    assert!(reported.ends_with(", 29.txt, ...)"), "{reported}");
}
