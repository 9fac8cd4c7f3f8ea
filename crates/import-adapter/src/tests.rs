//! Properties of every format.

mod blank_id;
mod blank_source;
mod each_record;
mod repeated_column;
mod samples;
mod several_files;
mod unknown;

use crate::testing::{context, read};
use crate::{Format, open};
use application::ports::import_source::{ImportItem, ImportRefusal};
use proptest::prelude::{any, prop, prop_assert, proptest};
use std::io::Write as _;

/// One whole file of each kind.
const FILES: [&str; 20] = [
    r#"[{"logId":1,"mainSleep":true,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-11T00:00:00.000",
    "levels":{"data":[{"dateTime":"2026-01-10T23:00:00.000","level":"light","seconds":1200}],"shortData":[]}}]"#,
    r#"{"sleep":[{"logId":2,"startTime":"2026-01-10T23:00:00.000","duration":120000,
    "minuteData":[{"dateTime":"23:00:00","value":"1"}]}],"summary":{}}"#,
    r#"{"startTime":"2026-01-10T23:00:00","duration":60000,"levels":{}}"#,
    "Sleep\nStart Time,End Time,Minutes Asleep\n\"2026-01-10 11:00PM\",\"2026-01-11 7:00AM\",\"400\"\n",
    r#"{"id":3,"fullName":"A","ingredientRows":[{"name":"B","quantity":[{"quantity":1,"unit":"mg"}]}]}"#,
    r#"{"hits":[{"_source":{"id":4,"fullName":"C","ingredientRows":[]}}]}"#,
    "{\"type\":\"sleep_session\",\"time_in_bed_start\":\"2026-03-08T23:00:00Z\",\"time_in_bed_end\":\"2026-03-09T07:00:00Z\"}\n",
    "<HealthData>\n<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"watch\"
    startDate=\"2026-01-10 01:00:00 +0100\" endDate=\"2026-01-10 02:00:00 +0100\"
    value=\"HKCategoryValueSleepAnalysisAsleepREM\"/>\n</HealthData>",
    r#"{"data":[{"id":"a","type":"sleep","bedtime_start":"2026-01-10T23:00:00+01:00","period":0,
    "bedtime_end":"2026-01-11T00:00:00+01:00","sleep_phase_5_min":"442233"}],"next_token":null}"#,
    r#"[{"dailySleepDTO":{"sleepStartTimestampGMT":1768104000000,"sleepEndTimestampGMT":1768107600000},
    "sleepLevels":[{"startGMT":"2026-01-11T04:00:00.0","endGMT":"2026-01-11T05:00:00.0","activityLevel":1.0}]}]"#,
    r#"{"status":0,"body":{"series":[{"startdate":1768086000,"state":1,"enddate":1768086600,"model":"Mat"},
    {"startdate":1768086600,"state":2,"enddate":1768087200,"model":"Mat"}]}}"#,
    r#"{"status":0,"body":{"series":[{"id":1,"timezone":"Europe/Paris","startdate":1768086000,"enddate":1768089600,
    "data":{"total_sleep_time":3000}}],"more":false}}"#,
    r#"{"header":{"id":"a","schema_id":{"namespace":"omh","name":"sleep-episode","version":"1.1"}},
    "body":{"effective_time_frame":{"time_interval":{"start_date_time":"2026-01-10T23:00:00+01:00",
    "duration":{"value":8,"unit":"h"}}},"total_sleep_time":{"value":7,"unit":"h"}}}"#,
    r#"{"resourceType":"Observation","code":{"coding":[{"system":"http://snomed.info/sct","code":"258158006"}]},
    "effectivePeriod":{"start":"2026-01-10T23:00:00Z","end":"2026-01-11T07:00:00Z"},
    "valueCodeableConcept":{"coding":[{"system":"http://snomed.info/sct","code":"248220008"}]}}"#,
    "[-1,0,0,1,2,3,4]",
    "Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap\nx,UTC,2026-01-10 23:00:00,2026-01-11 07:00:00,true\n",
    "Id,Tz,From,To,Sched,Hours,\"Event\"\n7,UTC,10. 01. 2026 22:00,11. 01. 2026 6:00,,8.0,REM_START-1768100400000\n",
    "created_at,supplement_id,servings\n2026-01-10 22:00,1a2b3c4d-0000-4000-8000-000000000001,1\n",
    ",Stage,Confidence\n0,W,0.9\n1,N2,0.8\n",
    r#"{"sleep_stage_summary":{"total_sleep_time":{"value":7,"unit":"h"}},"sleep_stage_episodes":[],
    "effective_time_frame":{"time_interval":{"start_date_time":"2026-01-10T23:00:00Z","duration":{"value":8,"unit":"h"}}}}"#,
];

#[test]
fn a_json_file_truncated_anywhere_is_rejected() {
    for text in FILES.iter().filter(|text| text.starts_with(['[', '{'])) {
        let text = text.trim_end();
        let format = match open_text(text.as_bytes(), Format::Auto) {
            Ok(name) => Format::parse(name).unwrap(),
            Err(refusal) => panic!("{refusal}"),
        };
        for length in 1..text.len() {
            let outcome = read(&text.as_bytes()[..length], format, "UTC");
            assert!(outcome.is_err(), "the first {length} bytes of {text}");
        }
        assert!(
            matches!(read(text.as_bytes(), Format::Auto, "UTC").unwrap().as_slice(), [one] if is_taken(one))
        );
    }
}

fn is_taken(item: &ImportItem) -> bool {
    !matches!(item, ImportItem::Rejected(_) | ImportItem::Note(_))
}

#[test]
fn an_accepted_record_reports_its_position() {
    let places = FILES.map(|text| {
        let items = read(text.as_bytes(), Format::Auto, "UTC").unwrap();
        items.into_iter().find(is_taken).unwrap().place().to_owned()
    });
    let record = "record 1";
    assert_eq!(
        places,
        [
            record, record, record, "line 3", record, record, "line 1", "line 2", record, record, record,
            record, record, record, record, "line 2", "line 2", "line 2", record, record
        ]
    );
    let lines = FILES[6].repeat(3);
    let last = read(lines.as_bytes(), Format::Auto, "UTC").unwrap().pop().unwrap();
    assert_eq!(last.place(), "line 3");
}

fn open_text(bytes: &[u8], format: Format) -> Result<&'static str, ImportRefusal> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    open(file.path(), format, context("UTC")).map(|file| file.formats()[0])
}

#[test]
fn what_cannot_be_read_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let refused = open(&socket, Format::Auto, context("UTC")).err();
    assert_eq!(refused, Some(ImportRefusal::Unreadable("not a regular file".to_owned())));
    let refused = open(&folder.path().join("absent"), Format::Auto, context("UTC")).err();
    assert_eq!(refused, Some(ImportRefusal::Missing));
}

#[test]
fn a_file_reports_its_size_and_format_and_can_be_reopened() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(FILES[0].as_bytes()).unwrap();
    let opened = open(file.path(), Format::Auto, context("UTC")).unwrap();
    assert_eq!(opened.formats(), ["fitbit"]);
    assert_eq!(opened.size(), Some(u64::try_from(FILES[0].len()).unwrap()));
    let [one, two] = [(), ()].map(|()| opened.open().unwrap().next_batch(10).unwrap());
    assert!(one.len() == 1 && one == two);
}

#[test]
fn a_repeated_request_gets_the_same_refusal() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"[{\"mainSleep\":true},").unwrap();
    let mut source = open(file.path(), Format::Auto, context("UTC")).unwrap().open().unwrap();
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
        which in 0..FILES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = FILES[which].as_bytes().to_vec();
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
