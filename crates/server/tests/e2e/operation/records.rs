//! Files of sample records.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

/// Returns a Takeout file of Fitbit: a night over a clock change in New York with its padding, one with short
/// wakes, one over midnight without stages, a classic log, a nap, and one log twice.
pub(crate) fn fitbit() -> String {
    json!([
        fitbit_log(4_300_000_001, "2026-03-07T23:10:00.000", "2026-03-08T07:10:00.000", &json!({"data": [
            level("2026-03-07T23:10:00.000", "light", 7_200), level("2026-03-08T01:10:00.000", "deep", 3_600),
            level("2026-03-08T02:10:00.000", "rem", 14_400), level("2026-03-08T06:10:00.000", "unknown", 3_600),
        ]})),
        fitbit_log(4_300_000_002, "2026-03-09T23:00:00.000", "2026-03-10T06:00:30.000", &json!({
            "data": [
                level("2026-03-09T23:00:00.000", "wake", 600), level("2026-03-09T23:10:00.000", "light", 12_000),
                level("2026-03-10T02:30:00.000", "deep", 12_630),
            ],
            "shortData": [level("2026-03-10T01:00:00.000", "wake", 90)],
        })),
        {"logId": 4_300_000_003_u64, "startTime": "2026-03-11T22:45:00.000", "endTime": "2026-03-12T06:15:00.000",
         "duration": 27_000_000, "timeInBed": 450, "minutesAsleep": 420, "minutesAwake": 30,
         "minutesToFallAsleep": 12, "type": "classic", "mainSleep": true, "levels": {"data": []}},
        fitbit_log(4_300_000_004, "2026-03-13T23:00:00.000", "2026-03-14T01:00:00.000", &json!({"data": [
            level("2026-03-13T23:00:00.000", "restless", 300), level("2026-03-13T23:05:00.000", "asleep", 6_600),
            level("2026-03-14T00:55:00.000", "awake", 300),
        ]})),
        {"logId": 4_300_000_005_u64, "startTime": "2026-03-14T13:00:00.000", "endTime": "2026-03-14T13:40:00.000",
         "type": "classic", "mainSleep": false,
         "levels": {"data": [level("2026-03-14T13:00:00.000", "asleep", 2_400)]}},
        fitbit_log(4_300_000_004, "2026-03-13T23:00:00.000", "2026-03-14T01:00:00.000", &json!({"data": [
            level("2026-03-13T23:00:00.000", "restless", 300), level("2026-03-13T23:05:00.000", "asleep", 6_600),
            level("2026-03-14T00:55:00.000", "awake", 300),
        ]})),
    ])
    .to_string()
}

fn fitbit_log(id: u64, start: &str, end: &str, levels: &Value) -> Value {
    json!({"logId": id, "startTime": start, "endTime": end, "type": "stages", "mainSleep": true, "levels": levels})
}

fn level(at: &str, level: &str, seconds: u32) -> Value {
    json!({"dateTime": at, "level": level, "seconds": seconds})
}

/// Returns a label of the DSLD: nested rows, two serving sizes, a missing amount, other ingredients.
pub(super) fn dsld(id: u32, name: &str) -> String {
    let amount = |size: u32, quantity: f64, unit: &str| json!({"servingSizeOrder": size, "servingSizeQuantity": size, "operator": "=", "quantity": quantity, "unit": unit});
    json!({
        "id": id, "brandName": "Harbour & Söhne", "fullName": name, "upcSku": "0 11111 22222 3",
        "servingsPerContainer": "30", "entryDate": "2019-07-04",
        "ingredientRows": [
            {"order": 1, "name": "Magnesium", "quantity": [amount(2, 200.0, "mg"), amount(1, 100.5, "mg")],
             "nestedRows": [{"order": 1, "name": "Magnesium Citrate", "quantity": [], "nestedRows": []}]},
            {"order": 2, "name": "Vitamin D", "quantity": [amount(1, 25.0, "mcg")], "nestedRows": []},
            {"order": 3, "name": "Night Blend", "quantity": [amount(1, 0.0, "NP")], "nestedRows": []},
        ],
        "otheringredients": {"text": null, "ingredients": [{"order": 1, "name": "Rice Flour"}]},
    })
    .to_string()
}

/// Id of the label from [`label_stub`], logged by [`odd_lines`].
const LABEL_ID: &str = "5e7a0000-0000-4000-8000-000000000003";

/// Returns a line with an almost empty label of the DSLD, by its number.
pub(super) fn label_stub(id: u32) -> String {
    json!({"type": "supplement", "id": LABEL_ID, "name": "Stub", "external_source": "dsld", "external_id": id.to_string()})
        .to_string()
}

/// Returns lines in Restwell's format with unusual but valid values.
pub(super) fn odd_lines() -> String {
    let first = "5e7a0000-0000-4000-8000-000000000001";
    let second = "5e7a0000-0000-4000-8000-000000000002";
    let lines = [
        json!({"type": "profile", "created_at": "2019-12-31T23:59:59.123456Z", "home_timezone": "America/New_York",
               "birth_date": "1979-02-28", "biological_sex": "other", "blood_type": "AB-", "height_cm": 171.5,
               "weight_kg": 64, "skin_type": 6, "wheelchair_use": false}),
        // No source, no offset, unknown whether a nap, no stages, no metrics.
        json!({"type": "sleep_session", "time_in_bed_start": "2025-06-01T22:00:00Z",
               "time_in_bed_end": "2025-06-02T05:00:00Z", "source": null, "is_nap": null}),
        // The same start from other sources; fractions; different offsets at start and end.
        json!({"type": "sleep_session", "time_in_bed_start": "2025-06-02T03:45:00.123+05:45",
               "time_in_bed_end": "2025-06-02T10:15:00.999+06:00", "source": "Änne’s ⌚ \"<&>\\ \u{2028}", "is_nap": false,
               "raw_sleep": [
                   {"stage": "AWAKE", "start": "2025-06-02T03:45:00.123+05:45", "end": "2025-06-02T03:45:00.124+05:45"},
                   {"stage": "REM", "start": "2025-06-01T22:30:00Z", "end": "2025-06-01T23:30:00.5Z"},
                   {"stage": "UNKNOWN", "start": "2025-06-02T00:00:00Z", "end": "2025-06-02T04:15:00.999Z"}]}),
        json!({"type": "sleep_session", "time_in_bed_start": "2025-06-01T18:30:00-03:30",
               "time_in_bed_end": "2025-06-02T01:30:00-03:30", "source": "phone", "is_nap": false,
               "external_id": "given/ключ 1", "updated_at": "2025-06-05T00:00:00.001Z",
               "raw_sleep": [{"stage": "ASLEEP", "start": "2025-06-01T18:30:00-03:30", "end": "2025-06-02T01:30:00-03:30"}]}),
        // Metrics reported by the source, without stages; a nap.
        json!({"type": "sleep_session", "time_in_bed_start": "2025-06-03T13:00:00+13:00",
               "time_in_bed_end": "2025-06-03T14:00:00+13:00", "source": "chair", "is_nap": true,
               "sleep_metric": [
                   {"sleep_metric": "timeNightAsleep", "value": 3000.5}, {"sleep_metric": "timeNightAwake", "value": 599.5},
                   {"sleep_metric": "sleepEfficiency", "value": 83.361}, {"sleep_metric": "sleepWakeups", "value": 2}]}),
        json!({"type": "supplement", "id": first, "brand": "\u{5065}康 🌙", "name": "\"Tab\"\\ <b>&amp;</b>", "servings": "30–60",
               "upc": "0 12345 67890 5", "entry_date": "2024-05-06T07:08:09.010Z", "supplement_ingredient": [
                   {"ingredient_name": "Zinc", "quantity": 0.1, "unit": "mg", "active": true, "order": 7},
                   {"ingredient_name": "Iron", "quantity": 1e-7, "unit": "g", "active": true, "order": 3},
                   {"ingredient_name": "Starch", "active": false, "order": 9},
                   {"ingredient_name": "Calories", "quantity": 1_234_567.875, "unit": "{Calories}", "active": false, "order": 8}]}),
        json!({"type": "supplement", "id": second, "name": "Second", "external_source": "shop", "external_id": "№ 7",
               "entry_date": "2024-05-06T00:00:00+00:00"}),
        // Two at the same time with the same amount are distinct, because their ids differ.
        json!({"type": "supplement_log", "id": "5e7a0000-0000-4000-8000-0000000000a1", "created_at": "2026-02-20T22:00:00.000001Z",
               "supplement_id": first, "servings": 1}),
        json!({"type": "supplement_log", "id": "5e7a0000-0000-4000-8000-0000000000a2", "created_at": "2026-02-20T22:00:00.000001Z",
               "supplement_id": first, "servings": 1}),
        json!({"type": "supplement_log", "created_at": "2026-02-21T00:00:00.1+02:00", "supplement_id": first, "servings": 0.333}),
        json!({"type": "supplement_log", "created_at": "2026-02-20T22:00:00.000001Z", "supplement_id": second, "servings": 10000,
               "external_id": "meine-№-1"}),
        json!({"type": "supplement_log", "created_at": "2020-02-29T12:00:00Z", "supplement_id": second, "servings": 2.5}),
        json!({"type": "supplement_log", "created_at": "2026-03-01T08:00:00Z", "supplement_id": LABEL_ID, "servings": 2}),
    ];
    lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n")
}

/// Packs files, by name, into an archive.
pub(super) fn zip(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).expect("entry");
        archive.write_all(content.as_bytes()).expect("content");
    }
    archive.finish().expect("end").into_inner()
}

/// Returns nights from 1970 on, at most 20,000 of the past, one a day, each with this many stages that add up
/// to less than a day.
pub(crate) fn nights(number: usize, stages: usize) -> String {
    const NAMES: [&str; 4] = ["AWAKE", "LIGHT", "DEEP", "REM"];
    let mut text = String::with_capacity(number * (200 + 100 * stages));
    for night in 0..number {
        let start = first_night() + TimeDelta::days(i64::try_from(night).expect("few"));
        let (mut at, mut from) = (start, zulu(start));
        let mut list = String::new();
        for stage in 0..stages {
            let longest = 2400 / stages;
            let halves = i64::try_from(1 + (night * 7 + stage * 13) % longest).expect("few");
            let end = at + TimeDelta::seconds(30 * halves);
            let name = NAMES[(night + stage) % 4];
            let comma = if stage == 0 { "" } else { "," };
            let to = zulu(end);
            write!(list, r#"{comma}{{"stage":"{name}","start":"{from}","end":"{to}"}}"#).expect("text");
            (at, from) = (end, to);
        }
        let end = if stages == 0 { start + TimeDelta::hours(8) } else { at };
        let (from, to) = (zulu(start), zulu(end));
        writeln!(
            text,
            r#"{{"type":"sleep_session","time_in_bed_start":"{from}","time_in_bed_end":"{to}","source":"ring","is_nap":false,"raw_sleep":[{list}]}}"#
        )
        .expect("text");
    }
    text
}

/// Returns the start of the first of [`nights`].
fn first_night() -> DateTime<Utc> {
    "1970-01-02T22:00:00Z".parse().expect("time")
}

fn zulu(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%S+00:00").to_string()
}
