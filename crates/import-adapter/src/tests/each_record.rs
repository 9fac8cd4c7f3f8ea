//! Each record of a file is an item, a part of one, a counted duplicate or a rejection.

use crate::Format;
use crate::testing::{read, rejections, sessions};
use application::ports::import_source::ImportItem;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::StageEntry;
use proptest::prelude::*;
use std::collections::HashSet;

/// A record: its length in minutes, of which negative ones are invalid, and whether the file repeats it.
type Record = (i64, bool);

/// Distance of two starts in minutes.
const APART: i64 = 100;
/// Id of the supplement of each intake.
const SUPPLEMENT: &str = "1a2b3c4d-0000-4000-8000-000000000001";
const WHOOP: &str = "Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap\n";
const SLEEP_AS_ANDROID: &str = "Id,Tz,From,To,Sched,Hours\n";

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_768_086_000, 0).unwrap() + TimeDelta::minutes(minute)
}

/// Writes one record from its number, its start and its end.
type Writer = fn(usize, DateTime<Utc>, DateTime<Utc>) -> String;

/// A format in which a record is a session.
struct Layout {
    format: Format,
    before: &'static str,
    record: Writer,
    between: &'static str,
    after: &'static str,
}

const fn layout(format: Format, before: &'static str, record: Writer, ends: [&'static str; 2]) -> Layout {
    Layout { format, before, record, between: ends[0], after: ends[1] }
}

fn iso(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn local(at: DateTime<Utc>, form: &str) -> String {
    at.format(form).to_string()
}

const SINGLE: [Layout; 10] = [
    layout(
        Format::Fitbit,
        "[",
        |number, start, end| {
            let form = "%Y-%m-%dT%H:%M:%S.000";
            format!(
                r#"{{"logId":{number},"startTime":"{}","endTime":"{}"}}"#,
                local(start, form),
                local(end, form)
            )
        },
        [",", "]"],
    ),
    layout(
        Format::Fitbit,
        "Sleep\nStart Time,End Time\n",
        |_, start, end| format!("{},{}\n", local(start, "%Y-%m-%d %H:%M"), local(end, "%Y-%m-%d %H:%M")),
        ["", ""],
    ),
    layout(
        Format::Oura,
        r#"{"data":["#,
        |number, start, end| {
            format!(r#"{{"id":"{number}","bedtime_start":"{}","bedtime_end":"{}"}}"#, iso(start), iso(end))
        },
        [",", "]}"],
    ),
    layout(
        Format::Whoop,
        WHOOP,
        |_, start, end| {
            let form = "%Y-%m-%d %H:%M:%S";
            format!("x,UTC,{},{},false\n", local(start, form), local(end, form))
        },
        ["", ""],
    ),
    layout(
        Format::Garmin,
        "[",
        |_, start, end| {
            let (start, end) = (start.timestamp_millis(), end.timestamp_millis());
            format!(
                r#"{{"dailySleepDTO":{{"sleepStartTimestampGMT":{start},"sleepEndTimestampGMT":{end},
                "sleepTimeSeconds":60}}}}"#
            )
        },
        [",", "]"],
    ),
    layout(
        Format::Withings,
        r#"{"status":0,"body":{"series":["#,
        |number, start, end| {
            let (start, end) = (start.timestamp(), end.timestamp());
            format!(
                r#"{{"id":{number},"startdate":{start},"enddate":{end},"data":{{"total_sleep_time":60}}}}"#
            )
        },
        [",", "]}}"],
    ),
    layout(
        Format::SleepAsAndroid,
        SLEEP_AS_ANDROID,
        |number, start, end| {
            let form = "%d. %m. %Y %H:%M";
            format!("{number},UTC,{},{},,\n", local(start, form), local(end, form))
        },
        ["", ""],
    ),
    layout(
        Format::Ndjson,
        "",
        |number, start, end| {
            let (start, end) = (iso(start), iso(end));
            format!(
                r#"{{"type":"sleep_session","external_id":"{number}","time_in_bed_start":"{start}","time_in_bed_end":"{end}"}}"#
            )
        },
        ["\n", "\n"],
    ),
    layout(
        Format::IntakeCsv,
        "created_at,supplement_id,servings\n",
        |_, start, end| {
            let servings = end.signed_duration_since(start).num_minutes();
            format!("{},{SUPPLEMENT},{servings}\n", iso(start))
        },
        ["", ""],
    ),
    layout(
        Format::Dsld,
        "[",
        |number, start, end| {
            let name = if start < end { "Magnesium" } else { "" };
            format!(r#"{{"id":{number},"fullName":"{name}","ingredientRows":[]}}"#)
        },
        [",", "]"],
    ),
];

/// Formats in which several records may be one session.
const JOINED: [Layout; 5] = [
    layout(
        Format::AppleHealth,
        "<HealthData>\n",
        |_, start, end| {
            let form = "%Y-%m-%d %H:%M:%S +0000";
            format!(
                "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"watch\" startDate=\"{}\" \
                 endDate=\"{}\" value=\"HKCategoryValueSleepAnalysisAsleepREM\"/>\n",
                local(start, form),
                local(end, form)
            )
        },
        ["", "</HealthData>"],
    ),
    layout(
        Format::Withings,
        r#"{"status":0,"body":{"series":["#,
        |_, start, end| {
            let (start, end) = (start.timestamp(), end.timestamp());
            format!(r#"{{"startdate":{start},"enddate":{end},"state":1,"model":"Mat"}}"#)
        },
        [",", "]}}"],
    ),
    layout(
        Format::Fhir,
        "[",
        |_, start, end| {
            format!(
                r#"{{"resourceType":"Observation","status":"final","code":{{"coding":[{{"system":
                "http://snomed.info/sct","code":"258158006"}}]}},"effectivePeriod":{{"start":"{}","end":"{}"}},
                "valueCodeableConcept":{{"coding":[{{"system":"http://snomed.info/sct","code":"248220008"}}]}}}}"#,
                iso(start),
                iso(end)
            )
        },
        [",", "]"],
    ),
    layout(
        Format::OpenMhealth,
        "[",
        |_, start, end| {
            format!(
                r#"{{"category_type":"HKCategoryTypeIdentifierSleepAnalysis","category_value":"AsleepREM",{}}}"#,
                time_frame(start, end)
            )
        },
        [",", "]"],
    ),
    layout(
        Format::OpenMhealth,
        "[",
        |_, start, end| format!(r#"{{"is_main_sleep":true,{}}}"#, time_frame(start, end)),
        [",", "]"],
    ),
];

fn time_frame(start: DateTime<Utc>, end: DateTime<Utc>) -> String {
    let (start, end) = (iso(start), iso(end));
    format!(
        r#""effective_time_frame":{{"time_interval":{{"start_date_time":"{start}","end_date_time":"{end}"}}}}"#
    )
}

impl Layout {
    fn items(&self, records: &[Record]) -> (usize, Vec<ImportItem>) {
        let mut written = Vec::new();
        for (number, (length, is_repeated)) in (1..).zip(records) {
            let start = i64::try_from(number).unwrap() * APART;
            let record = (self.record)(number, at(start), at(start + length));
            written.extend(std::iter::repeat_n(record, 1 + usize::from(*is_repeated)));
        }
        let text = format!("{}{}{}", self.before, written.join(self.between), self.after);
        (written.len(), read(text.as_bytes(), self.format, "UTC").unwrap())
    }
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    prop::collection::vec((prop_oneof![1 => -30_i64..=0, 4 => 1_i64..90], any::<bool>()), 1..12)
}

proptest! {
    #[test]
    fn each_record_is_one_item_or_one_rejection_with_its_place(records in records(), layout in 0..SINGLE.len()) {
        let (count, items) = SINGLE[layout].items(&records);
        let records: Vec<_> =
            items.iter().filter(|item| !matches!(item, ImportItem::Note(_))).map(ImportItem::place).collect();
        prop_assert_eq!(records.len(), count);
        let places: HashSet<_> = records.iter().collect();
        prop_assert_eq!(places.len(), count);
    }

    #[test]
    fn each_record_of_a_chain_is_a_part_a_counted_duplicate_or_rejected(
        records in records(),
        layout in 0..JOINED.len(),
    ) {
        let (count, items) = JOINED[layout].items(&records);
        // A session without stages is one record.
        let parts: usize = sessions(&items).iter().map(|record| record.hypnogram().len().max(1)).sum();
        let duplicates: u64 = items
            .iter()
            .filter_map(|item| match item {
                ImportItem::Note(note) if note.reason.contains("more than once") => note.amount,
                _ => None,
            })
            .sum();
        let duplicates = usize::try_from(duplicates).unwrap();
        prop_assert_eq!(parts + duplicates + rejections(&items).len(), count, "{:?}", items);
    }

    #[test]
    fn each_epoch_of_a_hypnogram_is_part_of_its_night_unless_that_is_rejected(
        epochs in prop::collection::vec(prop_oneof![20 => -1_i64..=4, 1 => Just(7)], 1..60),
    ) {
        let text = epochs.iter().map(i64::to_string).collect::<Vec<_>>().join("\n");
        let items = read(text.as_bytes(), Format::Hypnogram, "UTC").unwrap();
        let nights = sessions(&items);
        let millis = nights.iter().flat_map(|night| night.hypnogram().entries()).map(StageEntry::millis);
        let is_valid = !epochs.contains(&7);
        prop_assert_eq!((items.len(), nights.len()), (1, usize::from(is_valid)));
        let expected = if is_valid { 30_000 * i64::try_from(epochs.len()).unwrap() } else { 0 };
        prop_assert_eq!(millis.sum::<i64>(), expected);
    }
}
