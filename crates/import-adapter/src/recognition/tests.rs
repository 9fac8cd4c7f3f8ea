use super::recognise;
use crate::formats::Format;
use application::ports::import_source::ImportRefusal;

fn seen(text: &'static [u8], asked: impl Into<Option<Format>>) -> Result<Format, ImportRefusal> {
    recognise(Box::new(text), "", asked.into(), None).map(|recognised| recognised.format())
}

fn message(text: &'static [u8], asked: impl Into<Option<Format>>) -> String {
    seen(text, asked).unwrap_err().to_string()
}

#[test]
fn each_format_is_recognised_by_its_content() {
    for (text, expected) in [
        (r#"[{"logId":1,"dateOfSleep":"2026-01-01"}]"#, Format::Fitbit),
        (r#"{"summary":{"a":[1]},"sleep":[]}"#, Format::Fitbit),
        ("{\"sleep\":[]}\n", Format::Fitbit),
        (r#"{"startTime":"","levels":{}}"#, Format::Fitbit),
        ("[]", Format::Fitbit),
        ("Sleep\nStart Time,End Time\n", Format::Fitbit),
        (r#"{"id":1,"fullName":"","statements":[],"ingredientRows":[]}"#, Format::Dsld),
        (r#"[{"id":1,"ingredientRows":[]}]"#, Format::Dsld),
        (r#"{"hits":[{"_source":{}}]}"#, Format::Dsld),
        ("{\"id\":\"x\",\"type\":\"sleep_session\"}\n{", Format::Ndjson),
        ("\u{feff}{\"type\":\"profile\"}", Format::Ndjson),
    ] {
        assert_eq!(seen(text.as_bytes(), None), Ok(expected), "{text}");
        assert_eq!(seen(text.as_bytes(), expected), Ok(expected), "{text}");
    }
}

#[test]
fn an_unrecognised_file_is_described_without_its_values() {
    let found = message(br#"{"steps":"4711","ti\u0007me":[1]}"#, None);
    assert_eq!(found, "unsupported file: a JSON object with the members steps, time");
    let found = message(br#"[{"steps":4711}]"#, Format::Fitbit);
    assert_eq!(found, "not a Fitbit file; it is a JSON list of objects with the member steps");
    let found = message(b"[{}]", Format::Oura);
    assert!(found.starts_with("not an Oura file; it is "), "{found}");
    for (text, part) in [
        (&b"PK\x03\x04\x14\x00"[..], "a zip archive"),
        (b"\x1f\x8b\x08\x00", "a gzip file"),
        (b"\x00\x01\x02", "not a text file"),
        (b"", "an empty file"),
        (b" \n", "an empty file"),
        (b"name,value\n4711,1\n", "a table with the columns name, value"),
        (b"4711,value\n4711,1\n", "a text file in no supported format"),
        (b"words\n", "a text file in no supported format"),
        (b"[4711]", "first element is not an object"),
        (b"{}", "an empty JSON object"),
    ] {
        let found = message(text, None);
        assert!(found.contains(part) && !found.contains("4711"), "{found}");
    }
}

#[test]
fn a_list_called_sleep_is_looked_into() {
    assert!(seen(br#"{"sleep":[{"bedtime_start":"x"}]}"#, None).is_err());
    let oura = br#"{"sleep":[{"bedtime_start":"x","bedtime_end":"x"}]}"#;
    assert_eq!(seen(oura, None), Ok(Format::Oura));
    assert!(seen(br#"{"sleep":[{"dateOfSleep":"x"}]}"#, None).is_ok());
    assert!(seen(br#"{"sleep":[1]}"#, Format::Fitbit).is_err());
    assert!(seen(br#"{"hits":[{"_id":"x"}]}"#, Format::Dsld).is_err());
}

#[test]
fn an_unknown_table_is_rejected_with_its_columns_and_the_nearest_formats() {
    let with_tables = Format::ALL.into_iter().filter(|format| !format.info().tables.is_empty());
    let tables = with_tables.map(Format::as_str).collect::<Vec<_>>().join(", ");
    for (text, reported) in [
        (
            &b"Cycle start time,Sleep onset,Wake onset,Steps\n2026-01-10 23:00:00,x,y,4711\n"[..],
            "the columns Cycle start time, Sleep onset, Wake onset, Steps; the nearest format is whoop (missing: Cycle \
             timezone, Nap)",
        ),
        (
            b"start time,minutes asleep,servings\nx,4711,1\n",
            "the columns start time, minutes asleep, servings; the nearest formats are fitbit (missing: End Time) and \
             intake-csv (missing: created_at)",
        ),
        (
            b"\"Start Time\";\"End Time\"\n4711;4711\n",
            "the columns Start Time, End Time; the nearest format is fitbit (which has commas between columns)",
        ),
        (
            b"Epoch;Stage\n4711;W\n",
            "the columns Epoch, Stage; the nearest format is hypnogram (which has commas between columns)",
        ),
        (b"a\tb\n4711\t1\n", "the columns a, b; formats with tables are TABLES"),
        (
            b"a,b,c,d,e,f,g,h,i\x07i\n4711,1,1,1,1,1,1,1,1\n",
            "the columns a, b, c, d, e, f, g, h, ...; formats with tables are TABLES",
        ),
    ] {
        let reported = reported.replace("TABLES", &tables);
        assert_eq!(message(text, None), format!("unsupported file: a table with {reported}"));
        assert_eq!(message(text, Format::Oura), format!("not an Oura file; it is a table with {reported}"));
    }
}

#[test]
fn a_refused_table_lists_every_format_with_tables() {
    let reported = message(b"a\tb\n4711\t1\n", None);
    for table in [
        &b"Sleep\nStart Time,End Time\n2026-01-10 11:00PM,2026-01-11 7:00AM\n"[..],
        b"Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap\nx,UTC,x,x,true\n",
        b"Id,Tz,From,To,Sched,Hours\n7,UTC,10. 01. 2026 22:00,11. 01. 2026 6:00,,8.0\n",
        b",Stage,Confidence\n0,W,0.9\n1,N2,0.8\n",
        b"created_at,upc,servings\n2026-01-10 22:00,x,1\n",
    ] {
        let format = seen(table, None).unwrap();
        assert!(reported.contains(format.as_str()), "{reported}");
    }
}

#[test]
fn prose_and_values_are_not_mistaken_for_columns() {
    for text in
        [&b"Dear diary, last night\nnothing\n"[..], b"Ada,4711\nBob,4711\n", b"\"Ada,\nb\n", b",\n,\n"]
    {
        let reported = message(text, None);
        assert!(reported.ends_with("a text file in no supported format"), "{reported}");
    }
}

#[test]
fn a_known_table_without_sleep_has_a_specific_message() {
    for (text, name) in [
        (&b"Cycle start time,Cycle end time,Recovery score %\n"[..], "physiological_cycles.csv"),
        (b"Cycle start time,Workout start time,Activity name\n", "workouts.csv"),
        (b"Cycle start time,Question text,Answered yes\n", "journal_entries.csv"),
        (b"sleep_log_entry_id,timestamp,overall_score\n", "sleep_score.csv"),
    ] {
        let refused = seen(text, None).unwrap_err();
        assert!(
            matches!(&refused, ImportRefusal::HoldsNoSleep(reported) if reported.contains(name)),
            "{refused}"
        );
    }
}

#[test]
fn a_file_of_another_format_than_the_named_one_is_refused_with_its_own() {
    let log = br#"[{"logId":1,"dateOfSleep":"2026-01-01"}]"#;
    let refused = seen(log, Format::Whoop).unwrap_err();
    let reported = "not a WHOOP file; it is a Fitbit file".to_owned();
    assert_eq!(refused, ImportRefusal::OtherFormat { seen: reported, formats: vec!["fitbit"] });
    // An empty list is ambiguous.
    assert!(matches!(seen(b"[]", Format::SleepAsAndroid), Err(ImportRefusal::NotThisFormat(_))));
}

#[test]
fn only_formats_that_accept_the_file_are_suggested() {
    let frame = br#"{"effective_time_frame":{"time_interval":{}}}"#;
    let Err(ImportRefusal::OtherFormat { formats, .. }) = seen(frame, None) else { panic!("a format") };
    assert_eq!(formats, ["open-mhealth"]);
    assert_eq!(seen(frame, Format::OpenMhealth), Ok(Format::OpenMhealth));
    for text in [&br#"{"steps":1}"#[..], b"", b"[5]", b"words", b"{}"] {
        assert!(matches!(seen(text, None), Err(ImportRefusal::NotThisFormat(_))), "{text:?}");
    }
}

#[test]
fn an_activity_log_is_not_a_sleep_log() {
    let text = br#"[{"logId":1,"activityName":"Walk","startTime":"x","duration":1}]"#;
    assert!(message(text, None).contains("logId, activityName, startTime, duration"));
    assert!(seen(text, Format::Fitbit).is_err());
}

#[test]
fn a_named_format_must_be_the_one_of_the_file() {
    let log = br#"[{"logId":1,"dateOfSleep":"2026-01-01"}]"#;
    assert!(seen(log, Format::Dsld).is_err() && seen(log, Format::Ndjson).is_err());
    assert_eq!(seen(b"[]", Format::Dsld), Ok(Format::Dsld));
    assert_eq!(seen(b"", Format::Ndjson), Ok(Format::Ndjson));
}

#[test]
fn a_file_truncated_before_it_can_be_recognised_is_damaged() {
    let refused = seen(b"{\"summary\": {\"a\": 1", None);
    assert!(matches!(refused, Err(ImportRefusal::Damaged { .. })), "{refused:?}");
    assert!(seen(b"[{\"mainSleep\": tr", None).is_ok());
}
