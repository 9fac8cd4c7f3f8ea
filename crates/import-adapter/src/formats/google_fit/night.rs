//! Conversion of a session of Google Fit.

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

/// Converts one session, or returns why it is invalid; omitted parts are noted.
pub(super) fn read(record: &Session, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    let start = LocalTime::read("startTime", &record.start_time, zone, notes)?;
    let end = LocalTime::read("endTime", &record.end_time, zone, notes)?;
    let time_in_bed = session::time_in_bed((start.0, Some(start.1)), (end.0, Some(end.1)))?;
    let hypnogram = hypnogram(&record.segments.0, &time_in_bed, zone, notes)?;
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
