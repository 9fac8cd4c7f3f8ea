//! Stages of a night: changes, each of which lasts until the next.

use super::duration;
use super::members::Change;
use crate::json::LooseScalar;
use crate::source::Notes;
use chrono::{DateTime, NaiveTime, TimeDelta, Timelike as _, Utc};
use domain::sleep::{Hypnogram, Stage, StageEntry, TimeInBed};
use domain::time::UtcOffset;
use std::collections::BTreeMap;

/// Beginning of a stage; `None` is an unknown code.
type Begin = (DateTime<Utc>, Option<Stage>);

/// Reads the changes of the export.
pub(super) fn of_export(
    changes: &[Change],
    time_in_bed: &TimeInBed,
    notes: &mut Notes,
) -> Result<Hypnogram, String> {
    let mut begins: Vec<Begin> = Vec::with_capacity(changes.len());
    let mut unreadable = 0_usize;
    for change in changes {
        let offset = change.offset_from_start.as_str().and_then(duration::parse);
        let offset = offset.and_then(|offset| TimeDelta::from_std(offset).ok());
        match offset.and_then(|offset| time_in_bed.start().checked_add_signed(offset)) {
            Some(start) => begins.push((start, stage_of_word(&change.state))),
            None => unreadable = unreadable.saturating_add(1),
        }
    }
    // Some nights end with a wake after their end, which only marks it.
    begins.pop_if(|(start, stage)| *start >= time_in_bed.end() && *stage == Some(Stage::Awake));
    notes.count(unreadable, "state changes without a readable offsetFromStart were omitted");
    hypnogram(begins, time_in_bed, notes)
}

/// Reads the codes of the API, whose local times have the offset of the start and no date.
pub(super) fn of_api(
    codes: &BTreeMap<String, LooseScalar>,
    time_in_bed: &TimeInBed,
    notes: &mut Notes,
) -> Result<Hypnogram, String> {
    if time_in_bed.millis() >= TimeDelta::days(1).num_milliseconds() {
        notes.add("the times of the hypnogram are ambiguous in a night of 24 hours or more; it was omitted");
        return Ok(Hypnogram::empty());
    }
    if !codes.is_empty() && time_in_bed.offset_at_start() != time_in_bed.offset_at_end() {
        notes.add(
            "the clocks changed in this night; the times of the hypnogram were read with the first offset",
        );
    }
    let mut begins: Vec<Begin> = Vec::with_capacity(codes.len());
    let mut unreadable = 0_usize;
    for (time, code) in codes {
        match NaiveTime::parse_from_str(time, "%H:%M") {
            Ok(time) => begins.push((begin(time, time_in_bed), stage_of_code(code))),
            Err(_) => unreadable = unreadable.saturating_add(1),
        }
    }
    notes.count(unreadable, "stages without a readable time were omitted");
    hypnogram(begins, time_in_bed, notes)
}

/// Returns the instant of a local time of day, of which the night has one. Times have no seconds, so the
/// minute of the start is the start.
fn begin(time: NaiveTime, time_in_bed: &TimeInBed) -> DateTime<Utc> {
    let start = time_in_bed.start();
    let offset = time_in_bed.offset_at_start().map_or(0, UtcOffset::seconds);
    let minute_of = |time: NaiveTime| i64::from(time.num_seconds_from_midnight() / 60);
    let local = start.naive_utc().time().overflowing_add_signed(TimeDelta::seconds(offset.into())).0;
    let passed = minute_of(time).saturating_sub(minute_of(local)).rem_euclid(24 * 60);
    if passed == 0 {
        return start;
    }
    let seconds = TimeDelta::seconds(i64::from(local.second()))
        + TimeDelta::milliseconds(i64::from(start.timestamp_subsec_millis()));
    // Within a day of an instant with a four-digit year, so this does not overflow.
    start - seconds + TimeDelta::minutes(passed)
}

fn hypnogram(
    mut begins: Vec<Begin>,
    time_in_bed: &TimeInBed,
    notes: &mut Notes,
) -> Result<Hypnogram, String> {
    begins.sort_by_key(|(start, _)| *start);
    let (mut unknown, mut beyond, mut empty) = (0_usize, 0_usize, 0_usize);
    let ends = begins.iter().skip(1).map(|(start, _)| *start).chain([time_in_bed.end()]);
    let mut entries = Vec::with_capacity(begins.len());
    for ((start, stage), end) in begins.iter().zip(ends) {
        let entry = StageEntry::new(stage.unwrap_or(Stage::Unknown), *start, end.min(time_in_bed.end()));
        match entry {
            _ if *start >= time_in_bed.end() => beyond = beyond.saturating_add(1),
            Ok(entry) => {
                unknown = unknown.saturating_add(usize::from(stage.is_none()));
                entries.push(entry);
            }
            Err(_) => empty = empty.saturating_add(1),
        }
    }
    notes.count(unknown, "stages with an unknown word or code were stored as UNKNOWN");
    notes.count(beyond, "stages after the end of the night were omitted");
    notes.count(empty, "stages that do not end after their start were omitted");
    Hypnogram::flatten(entries, time_in_bed).map_err(|error| error.to_string())
}

fn stage_of_word(state: &LooseScalar) -> Option<Stage> {
    match state.word()?.as_str() {
        "wake" => Some(Stage::Awake),
        "rem" => Some(Stage::Rem),
        "nonrem1" | "nonrem2" | "nonrem12" => Some(Stage::Light),
        "nonrem3" => Some(Stage::Deep),
        "ws_unknown" | "unknown" => Some(Stage::Unknown),
        _ => None,
    }
}

fn stage_of_code(code: &LooseScalar) -> Option<Stage> {
    match code.identifier()?.as_str() {
        "0" => Some(Stage::Awake),
        "1" => Some(Stage::Rem),
        "2" | "3" => Some(Stage::Light),
        "4" => Some(Stage::Deep),
        // The sensor had no contact with the skin.
        "5" => Some(Stage::Unknown),
        _ => None,
    }
}
