//! Conversion of a session of Google Fit.

use super::file_name::NamedStart;
use super::members::{Segment, Session};
use crate::json::LooseScalar;
use crate::local_time::LocalTime;
use crate::session;
use crate::source::Notes;
use chrono::{DateTime, Utc};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SourceTotals, Stage, StageEntry, TimeInBed,
};
use domain::time::TimeZone;

const SOURCE: &str = "google fit";

/// Where the offsets of a session come from: its times are in universal time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub(super) zone: TimeZone,
    /// Start that the name of the file contains.
    pub(super) named_start: Option<NamedStart>,
}

/// Converts one session, or returns why it is invalid; omitted parts are noted.
pub(super) fn read(record: &Session, clock: Clock, notes: &mut Notes) -> Result<SleepRecord, String> {
    let (start, at_start) = LocalTime::read("startTime", &record.start_time, clock.zone, notes)?;
    let (end, at_end) = LocalTime::read("endTime", &record.end_time, clock.zone, notes)?;
    let named = clock.named_start.and_then(|named| named.offset_of(start));
    // An offset other than the zone's is of another place, whose clock changes are unknown.
    let (at_start, at_end) = match named {
        Some(offset) if offset != at_start => (offset, offset),
        _ => (at_start, at_end),
    };
    let time_in_bed = session::time_in_bed((start, Some(at_start)), (end, Some(at_end)))?;
    let hypnogram = hypnogram(&record.segments.0, &time_in_bed, clock.zone, notes)?;
    let head = SleepRecordHead {
        key: SessionKey::derived_from(time_in_bed.start()),
        source: session::source(SOURCE)?,
        time_in_bed,
        is_nap: None,
    };
    // The duration of a session includes the time awake in some files and not in others.
    let metrics = session::metrics(&SourceTotals::default(), &time_in_bed, notes);
    session::with_stages(head, hypnogram, metrics, notes)
}

fn hypnogram(
    segments: &[Segment],
    time_in_bed: &TimeInBed,
    zone: TimeZone,
    notes: &mut Notes,
) -> Result<Hypnogram, String> {
    let (mut unreadable, mut unknown, mut beyond) = (0_usize, 0_usize, 0_usize);
    let mut entries = Vec::with_capacity(segments.len());
    for segment in segments {
        let stage = stage(&segment.activity);
        let Some(entry) = entry(segment, stage.unwrap_or(Stage::Unknown), zone) else {
            unreadable = unreadable.saturating_add(1);
            continue;
        };
        let is_within = entry.start() < time_in_bed.end() && time_in_bed.start() < entry.end();
        unknown = unknown.saturating_add(usize::from(is_within && stage.is_none()));
        beyond = beyond.saturating_add(usize::from(!is_within));
        entries.push(entry);
    }
    notes.count(unreadable, "segments without a readable start and a later end were omitted");
    notes.count(unknown, "segments with an unknown fitnessActivity were stored as UNKNOWN");
    notes.count(beyond, "segments outside the session were omitted");
    Hypnogram::flatten(entries, time_in_bed).map_err(|error| error.to_string())
}

fn entry(segment: &Segment, stage: Stage, zone: TimeZone) -> Option<StageEntry> {
    let instant = |time: &LooseScalar| -> Option<DateTime<Utc>> {
        let time = LocalTime::parse(time.as_str()?.trim())?;
        time.resolve(zone).map(|(instant, _)| instant)
    };
    StageEntry::new(stage, instant(&segment.start_time)?, instant(&segment.end_time)?).ok()
}

/// Returns the stage of a segment; older files do not name its activity, which is then that of the session.
fn stage(activity: &LooseScalar) -> Option<Stage> {
    if activity.is_blank() {
        return Some(Stage::Asleep);
    }
    match activity.word()?.as_str() {
        "sleep" => Some(Stage::Asleep),
        "sleep.awake" => Some(Stage::Awake),
        "sleep.light" => Some(Stage::Light),
        "sleep.deep" => Some(Stage::Deep),
        "sleep.rem" => Some(Stage::Rem),
        _ => None,
    }
}
