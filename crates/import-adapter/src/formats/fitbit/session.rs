//! Conversion of a log to a session.

use super::clock::{Anchor, End};
use super::log::Log;
use super::stage::Stages;
use super::{SOURCE, minute, totals};
use crate::formats::google_health::Account;
use crate::json::LooseScalar;
use crate::local_time::{LocalTime, SKIPPED_TIME_NOTE};
use crate::session::{self, Sums};
use crate::source::Notes;
use chrono::TimeDelta;
use domain::sleep::{SleepRecord, SleepRecordHead};
use domain::time::TimeZone;

/// Converts one log, or returns why it is invalid; dropped parts are noted. `account` may have its offsets.
pub(super) fn read(
    log: &Log,
    zone: TimeZone,
    account: &Account,
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    let mut start = local_time("startTime", &log.start_time)?.ok_or("startTime is missing")?;
    let mut end = local_time("endTime", &log.end_time)?;
    if let (None, Some(LocalTime { local, offset: None })) = (start.offset, end)
        && let Some((at_start, at_end)) = account.written_offsets(start.local, local)
    {
        notes.add("the offset is that of this night in the table UserSleeps of the same import");
        start.offset = Some(at_start);
        end = Some(LocalTime { local, offset: Some(at_end) });
    }
    let anchor = Anchor::new(zone, start).ok_or("startTime is out of range")?;
    if start.is_skipped(zone) || end.is_some_and(|end| start.offset.is_none() && end.is_skipped(zone)) {
        notes.add_once(SKIPPED_TIME_NOTE);
    }
    let mut stages = stages(log, &anchor, notes);
    if end.is_some_and(|end| anchor.readings_of_end(end).len() > 1 || end.offset != start.offset) {
        stages.drop_padding(notes);
    }
    let End { instant, offset } = match end {
        Some(end) => anchor.end(end, stages.end()).ok_or("endTime is out of range")?,
        None => length(log)
            .and_then(|length| anchor.end_after(length))
            .ok_or("endTime and duration are missing")?,
    };
    let time_in_bed = session::time_in_bed((anchor.start, anchor.offset()), (instant, offset))?;
    let hypnogram = stages.hypnogram(&time_in_bed, notes)?;
    let mut sums = Sums::default();
    let totals = totals::read(log, &mut sums);
    let metrics = sums.metrics(&totals, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: session::key("logId", &log.id, anchor.start)?,
        source: session::source(SOURCE)?,
        time_in_bed,
        is_nap: is_nap(log),
    };
    session::with_stages(head, hypnogram, metrics, notes)
}

fn local_time(name: &str, value: &LooseScalar) -> Result<Option<LocalTime>, String> {
    if value.is_absent() {
        return Ok(None);
    }
    let time = value.as_str().and_then(LocalTime::parse);
    time.map(Some).ok_or_else(|| format!("{name} is not a date and time"))
}

/// Returns the stages of the newer versions, else the minutes of version 1.
fn stages(log: &Log, anchor: &Anchor, notes: &mut Notes) -> Stages {
    match &log.levels {
        Some(levels) if !levels.data.0.is_empty() => Stages::read(levels, anchor, notes),
        _ => Stages::of_minutes(minute::entries(&log.minute_data.0, anchor, notes)),
    }
}

/// Returns the stated length: `duration` in milliseconds, else `timeInBed` in minutes.
fn length(log: &Log) -> Option<TimeDelta> {
    let millis =
        log.duration.number().or_else(|| log.time_in_bed.number().map(|minutes| minutes * 60_000.0))?;
    #[expect(clippy::cast_possible_truncation, reason = "checked: far below the bounds of an i64")]
    (millis.abs() < 1e13).then(|| TimeDelta::milliseconds(millis as i64))
}

fn is_nap(log: &Log) -> Option<bool> {
    log.is_main_sleep.as_flag().or_else(|| log.main_sleep.as_flag()).map(|main| !main)
}
