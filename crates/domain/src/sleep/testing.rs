//! Test nights; times are minutes after the start of a fixed night.

use super::{Hypnogram, SessionKey, SleepRecordHead, SleepSource, Stage, StageEntry, TimeInBed};
use chrono::{DateTime, Duration, Utc};
use proptest::prelude::*;

/// 2026-02-10 22:30:00 UTC.
const START_SECONDS: i64 = 1_770_762_600;

pub(super) fn minute(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(START_SECONDS, 0).unwrap() + Duration::minutes(minute)
}

pub(super) fn between(start: i64, end: i64) -> TimeInBed {
    TimeInBed::new(minute(start), minute(end), None, None).unwrap()
}

pub(super) fn night(minutes: i64) -> TimeInBed {
    between(0, minutes)
}

pub(super) fn entry(stage: Stage, start: i64, end: i64) -> StageEntry {
    StageEntry::new(stage, minute(start), minute(end)).unwrap()
}

pub(super) fn given_head(key: &str, time_in_bed: TimeInBed) -> SleepRecordHead {
    let source = SleepSource::parse("made-up-tracker").ok();
    SleepRecordHead { key: SessionKey::from_source(key).unwrap(), source, time_in_bed, is_nap: Some(false) }
}

pub(super) fn derived_head(time_in_bed: TimeInBed) -> SleepRecordHead {
    SleepRecordHead { key: SessionKey::derived_from(time_in_bed.start()), ..given_head("-", time_in_bed) }
}

/// Generates up to 40 entries that may overlap and exceed a time in bed of 1 to 400 seconds, in odd
/// milliseconds or in half minutes.
pub(super) fn entries_and_frame() -> impl Strategy<Value = (Vec<StageEntry>, TimeInBed)> {
    let entry = (0..Stage::ALL.len(), -50_i64..400, 1_i64..120);
    (proptest::collection::vec(entry, 0..40), 1_i64..400, prop_oneof![Just(7_i64), Just(1_000), Just(30_000)])
        .prop_map(|(drawn, length, unit)| {
            let at = |units: i64| minute(0) + Duration::milliseconds(units * unit);
            let entries = drawn.into_iter().map(|(place, start, length)| {
                StageEntry::new(Stage::ALL[place], at(start), at(start + length)).unwrap()
            });
            (entries.collect(), TimeInBed::new(at(0), at(length), None, None).unwrap())
        })
}

/// Generates a hypnogram and its time in bed.
pub(super) fn hypnogram_and_frame() -> impl Strategy<Value = (Hypnogram, TimeInBed)> {
    entries_and_frame().prop_map(|(entries, frame)| (Hypnogram::flatten(entries, &frame).unwrap(), frame))
}
