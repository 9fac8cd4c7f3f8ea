//! Conversion of a night to a session.

use super::members::{Evaluation, Night, SleepResult};
use super::{change, duration};
use crate::json::LooseScalar;
use crate::local_time::LocalTime;
use crate::session::{self, Sums};
use crate::source::Notes;
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SourceTotals, TimeInBed};
use domain::time::TimeZone;
use std::time::Duration;

const SOURCE: &str = "polar";

/// Converts one night, or returns why it is invalid; dropped parts are noted.
pub(super) fn read(night: &Night, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    match &night.result {
        Some(result) => of_export(night, result, zone, notes),
        None => of_api(night, zone, notes),
    }
}

fn of_export(
    night: &Night,
    result: &SleepResult,
    zone: TimeZone,
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    let hypnogram = result.hypnogram.as_ref().ok_or("sleepResult.hypnogram is missing")?;
    let start = LocalTime::read("sleepStart", &hypnogram.start, zone, notes)?;
    let end = LocalTime::read("sleepEnd", &hypnogram.end, zone, notes)?;
    let time_in_bed = session::time_in_bed((start.0, Some(start.1)), (end.0, Some(end.1)))?;
    let stages = change::of_export(&hypnogram.changes.0, &time_in_bed, notes)?;
    let mut sums = Sums::default();
    let totals = night.evaluation.as_ref().map(|evaluation| totals(evaluation, &mut sums));
    let metrics = sums.metrics(&totals.unwrap_or_default(), &time_in_bed, notes);
    let key = session::key("night", &night.day, time_in_bed.start())?;
    session::with_stages(head(key, time_in_bed)?, stages, metrics, notes)
}

fn of_api(night: &Night, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    let start = LocalTime::read("sleep_start_time", &night.sleep_start_time, zone, notes)?;
    let end = LocalTime::read("sleep_end_time", &night.sleep_end_time, zone, notes)?;
    let time_in_bed = session::time_in_bed((start.0, Some(start.1)), (end.0, Some(end.1)))?;
    let codes = night.hypnogram.clone().unwrap_or_default();
    let stages = change::of_api(&codes, &time_in_bed, notes)?;
    let mut sums = Sums::default();
    let totals = SourceTotals {
        awake: sums.seconds(&night.total_interruption_duration),
        light: sums.seconds(&night.light_sleep),
        deep: sums.seconds(&night.deep_sleep),
        rem: sums.seconds(&night.rem_sleep),
        ..SourceTotals::default()
    };
    let metrics = sums.metrics(&totals, &time_in_bed, notes);
    // Without stages it is no correction of the night that the export may have under this date.
    let key = if stages.is_empty() {
        SessionKey::derived_from(time_in_bed.start())
    } else {
        session::key("date", &night.date, time_in_bed.start())?
    };
    session::with_stages(head(key, time_in_bed)?, stages, metrics, notes)
}

fn head(key: SessionKey, time_in_bed: TimeInBed) -> Result<SleepRecordHead, String> {
    Ok(SleepRecordHead { key, source: session::source(SOURCE)?, time_in_bed, is_nap: None })
}

fn totals(evaluation: &Evaluation, sums: &mut Sums) -> SourceTotals {
    let mut length = |value: &LooseScalar| -> Option<Duration> {
        sums.checked(value, value.as_str().and_then(duration::parse))
    };
    let phases = evaluation.phase_durations.as_ref();
    SourceTotals {
        asleep: length(&evaluation.asleep_duration),
        awake: evaluation.interruptions.as_ref().and_then(|all| length(&all.total_duration)),
        light: phases.and_then(|phases| length(&phases.light)),
        deep: phases.and_then(|phases| length(&phases.deep)),
        rem: phases.and_then(|phases| length(&phases.rem)),
        ..SourceTotals::default()
    }
}
