mod characteristics;
mod recognition;
mod round_trip;
mod safety;

use super::bounded::Bounded;
use crate::Format;
use crate::testing::{accepted_session, frame, items, notes, rejections, sessions, stages};
use application::ports::import_source::ImportItem;
use domain::sleep::SleepRecord;
use std::io::{BufRead as _, Cursor};

/// Wraps records in an export.
pub(super) fn export(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData [\n<!-- made up -->\n\
         <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>\n\
         <!ATTLIST HealthData\n  locale CDATA #REQUIRED\n>\n]>\n\
         <HealthData locale=\"en_GB\">\n <ExportDate value=\"2026-04-02 09:00:00 +0100\"/>\n{body}\n</HealthData>\n"
    )
}

/// Line of the first record.
const FIRST_LINE: usize = 11;

pub(super) fn apple(body: &str) -> Vec<ImportItem> {
    items(&export(body), Format::AppleHealth, "Asia/Tokyo")
}

/// Writes the start of a record's tag; times without a date are on 10 January in Berlin.
fn tag(source: &str, from: &str, to: &str, value: &str) -> String {
    let time = |clock: &str| match clock.len() {
        5 => format!("2026-01-10 {clock}:00 +0100"),
        _ => clock.to_owned(),
    };
    format!(
        "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"{source}\" sourceVersion=\"11.3\" \
         device=\"&lt;&lt;HKDevice: 0x301&gt;, name:Watch, hardware:Watch0,0&gt;\" startDate=\"{}\" endDate=\"{}\" \
         value=\"HKCategoryValueSleepAnalysis{value}\"",
        time(from),
        time(to)
    )
}

pub(super) fn record(source: &str, from: &str, to: &str, value: &str) -> String {
    format!("{}/>\n", tag(source, from, to, value))
}

fn in_zone(zone: &str, from: &str, to: &str, value: &str) -> String {
    format!(
        "{}>\n<MetadataEntry key=\"HKWasUserEntered\" value=\"0\"/>\n\
         <MetadataEntry key=\"HKTimeZone\" value=\"{zone}\"/>\n</Record>\n",
        tag("watch", from, to, value)
    )
}

fn only(body: &str) -> SleepRecord {
    accepted_session(&apple(body))
}

fn frames(items: &[ImportItem]) -> Vec<String> {
    sessions(items).iter().map(frame).collect()
}

#[test]
fn samples_of_one_source_make_a_night() {
    let body = [
        record("watch", "02:00", "03:00", "AsleepDeep"),
        record("watch", "01:00", "02:00", "AsleepCore"),
        record("watch", "03:00", "03:05", "Awake"),
        record("watch", "03:05", "04:00", "AsleepREM"),
        record("watch", "04:00", "05:00", "AsleepUnspecified"),
        record("watch", "05:00", "06:00", "Asleep"),
        record("watch", "00:30", "06:10", "InBed"),
    ];
    let record = only(&body.concat());
    assert_eq!(frame(&record), "2026-01-10T00:30:00+01:00 2026-01-10T06:10:00+01:00");
    assert_eq!(
        stages(&record),
        [
            "LIGHT 01:00-02:00",
            "DEEP 02:00-03:00",
            "AWAKE 03:00-03:05",
            "REM 03:05-04:00",
            "ASLEEP 04:00-05:00",
            "ASLEEP 05:00-06:00"
        ]
    );
    assert_eq!(record.source().unwrap().as_str(), "watch");
    assert!(record.key().to_stored().starts_with("derived:"), "{}", record.key().to_stored());
    assert_eq!(record.is_nap(), None);
}

#[test]
fn samples_up_to_sixty_minutes_apart_are_merged_and_longer_gaps_split() {
    let near = record("watch", "01:00", "02:00", "Asleep") + &record("watch", "03:00", "04:00", "InBed");
    assert_eq!(frames(&apple(&near)), ["2026-01-10T01:00:00+01:00 2026-01-10T04:00:00+01:00"]);
    let far = record("watch", "01:00", "02:00", "Asleep") + &record("watch", "03:01", "04:00", "Asleep");
    assert_eq!(sessions(&apple(&far)).len(), 2);
}

#[test]
fn sources_are_not_merged_and_exact_duplicates_are_counted_once() {
    let one = record("watch", "01:00", "02:00", "AsleepCore");
    let items = apple(&[one.clone(), record("phone", "01:00", "02:00", "AsleepCore"), one].concat());
    let found = sessions(&items);
    let names: Vec<_> = found.iter().map(|record| record.source().unwrap().as_str()).collect();
    assert_eq!(names, ["watch", "phone"]);
    assert!(found.iter().all(|record| stages(record) == ["LIGHT 01:00-02:00"]));
}

#[test]
fn a_repeated_time_in_bed_is_counted() {
    let items = apple(&record("watch", "01:00", "02:00", "InBed").repeat(3));
    assert_eq!(frames(&items), ["2026-01-10T01:00:00+01:00 2026-01-10T02:00:00+01:00"]);
    let line = FIRST_LINE + 1;
    let note = format!("line {line}: records that the import contains more than once were read once: 2");
    assert_eq!(notes(&items), [note]);
}

#[test]
fn a_line_ends_with_lf_cr_or_both() {
    let text = export(&record("watch", "01:00", "02:00", "Asleep"));
    for end in ["\n", "\r", "\r\n"] {
        let items = items(&text.replace('\n', end), Format::AppleHealth, "UTC");
        assert_eq!(items[0].place(), format!("line {FIRST_LINE}"), "{end:?}");
    }
    let mut bytes = Bounded::new(Box::new(Cursor::new("a\r\nb\rc\n\r".as_bytes())));
    while let [_, ..] = bytes.fill_buf().unwrap() {
        bytes.consume(1);
    }
    assert_eq!(bytes.line(), 5);
}

#[test]
fn the_records_zone_determines_offsets_and_the_written_offset_instants() {
    // Exported in Tokyo: a night in New York during which clocks went forward.
    let body =
        in_zone("America/New_York", "2026-03-08 13:00:00 +0900", "2026-03-08 20:00:00 +0900", "AsleepCore");
    assert_eq!(frame(&only(&body)), "2026-03-07T23:00:00-05:00 2026-03-08T07:00:00-04:00");
}

#[test]
fn without_a_zone_the_written_offsets_apply_even_through_a_clock_change() {
    let body = record("watch", "2026-03-28 23:30:00 +0000", "2026-03-29 02:05:00 +0100", "AsleepDeep");
    assert_eq!(
        frame(&only(&body)),
        "2026-03-28T23:30:00Z 2026-03-29T02:05:00+01:00".replace("00Z", "00+00:00")
    );
}

#[test]
fn unknown_zones_are_noted_once() {
    let body = in_zone("Mars/Olympus", "01:00", "02:00", "Asleep").repeat(2);
    let items = apple(&body);
    assert_eq!(frames(&items), ["2026-01-10T01:00:00+01:00 2026-01-10T02:00:00+01:00"]);
    let reason = "HKTimeZone is not a known time zone; the offset of the time was used: 2";
    assert_eq!(notes(&items)[0], format!("line {FIRST_LINE}: {reason}"));
}

#[test]
fn records_within_other_elements_do_not_count() {
    let inner = record("watch", "01:00", "02:00", "Asleep");
    let outer = "<Record type=\"HKQuantityTypeIdentifierHeartRate\" value=\"1\">";
    for body in [
        format!("<Correlation type=\"x\">{inner}</Correlation>"),
        format!("<Correlation><Correlation>{inner}</Correlation></Correlation>"),
        format!("{outer}{inner}</Record>"),
        outer.replace('>', "/>"),
        "<Record/>".to_owned(),
        inner.replace("<Record", "<record"),
        inner.replace("SleepAnalysis\" source", "SleepApneaEvent\" source"),
    ] {
        assert_eq!(apple(&body), Vec::new(), "{body}");
    }
}

#[test]
fn metadata_deeper_than_the_record_or_of_another_record_is_not_its_zone() {
    let entry = "<MetadataEntry key=\"HKTimeZone\" value=\"America/New_York\"/>";
    let body = tag("watch", "01:00", "02:00", "Asleep") + &format!("><List>{entry}</List></Record>");
    assert_eq!(frame(&only(&body)), "2026-01-10T01:00:00+01:00 2026-01-10T02:00:00+01:00");
    let other = format!("<Record type=\"HKQuantityTypeIdentifierHeartRate\">{entry}</Record>");
    let body = record("watch", "01:00", "02:00", "Asleep") + &other;
    assert_eq!(frame(&only(&body)), "2026-01-10T01:00:00+01:00 2026-01-10T02:00:00+01:00");
}

#[test]
fn attributes_come_in_any_order_and_either_quotes() {
    let body = "<Record\n endDate='2026-01-10 02:00:00 +0100'\tvalue = 'HKCategoryValueSleepAnalysisAsleepREM'\n \
        sourceName='a \"b\"' startDate='2026-01-10 01:00:00 +0100' \
        type='HK&#67;ategoryTypeIdentifierSleepAnalysis' ></Record>";
    let record = only(body);
    assert_eq!(stages(&record), ["REM 01:00-02:00"]);
    assert_eq!(record.source().unwrap().as_str(), "a \"b\"");
}

#[test]
fn the_name_of_the_source_is_kept_with_its_entities_decoded() {
    let source = "Ann\u{2019}s\u{a0}Watch &amp; &lt;Co&gt; &apos;&quot; &#233;&#xE9;";
    let record = only(&record(source, "01:00", "02:00", "Asleep"));
    assert_eq!(record.source().unwrap().as_str(), "Ann\u{2019}s\u{a0}Watch & <Co> '\" \u{e9}\u{e9}");
}

#[test]
fn an_unknown_value_is_rejected_and_extends_nothing() {
    let body =
        record("watch", "01:00", "02:00", "Asleep") + &record("watch", "02:00", "03:00", "FutureStage");
    let items = apple(&body);
    assert_eq!(frames(&items), ["2026-01-10T01:00:00+01:00 2026-01-10T02:00:00+01:00"]);
    let line = FIRST_LINE + 1;
    assert_eq!(rejections(&items), [format!("line {line}: value is not a known sleep stage")]);
}

#[test]
fn rejected_records_have_a_reason() {
    let good = record("watch", "01:00", "02:00", "Asleep");
    let time = |name: &str| format!("{name} is not a time such as 2026-01-10 23:05:00 +0100");
    let name = "sourceName: a source has 1 to 100 characters and no control characters";
    for (from, to, reason) in [
        ("01:00:00 +0100", "02:00:00 +0100", "the end is not after the start"),
        ("2026-01-10 01", "2026-01-01 01", "longer than seven days"),
        ("2026-01-10 01:00:00 +0100", "2026-01-10T01:00:00+01:00", &time("startDate")),
        ("2026-01-10 02:00:00 +0100", "2026-02-30 02:00:00 +0100", &time("endDate")),
        ("2026-01-10 01:00:00 +0100", "", &time("startDate")),
        ("2026-01-10 02:00:00 +0100", "10/01/2026 02:00:00 +0100", &time("endDate")),
        ("+0100\" endDate", "+9900\" endDate", &time("startDate")),
        (" startDate=", " begin=", "startDate is missing"),
        (" endDate=", " end=", "endDate is missing"),
        (" value=", " worth=", "value is missing"),
        (" sourceName=", " name=", "sourceName is missing"),
        ("watch", "", "sourceName is missing"),
        ("watch", " ", "sourceName is missing"),
        ("watch", "a&#10;b", name),
        ("watch", &"w".repeat(101), name),
    ] {
        let items = apple(&good.replacen(from, to, 1));
        assert_eq!(rejections(&items), [format!("line {FIRST_LINE}: {reason}")], "{from} as {to}");
        assert_eq!(items.len(), 1);
    }
}

#[test]
fn an_export_without_sleep_is_empty() {
    assert_eq!(apple(""), Vec::new());
    assert_eq!(items("<HealthData/>", None, "UTC"), Vec::new());
}
