//! Conversion of a session of an exporter app.

use super::member::{RawStage, Record};
use super::{SOURCE, stage};
use crate::json::{self, LooseScalar, decode};
use crate::local_time::LocalTime;
use crate::session;
use crate::source::{Items, Notes};
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{SleepRecord, SleepRecordHead, SourceTotals, Stage, StageEntry};
use domain::time::{TimeZone, UtcOffset};

/// Adds the session of a record.
pub(super) fn read(record: &json::Record<'_>, zone: TimeZone, items: &mut Items) {
    let mut notes = Notes::default();
    let outcome = decode(record.text).and_then(|members: Record| session(&members, zone, &mut notes));
    items.finish_session(&record.place(), notes, outcome);
}

fn session(record: &Record, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    let stages = record.stages.as_ref().map(|stages| stages.0.as_slice());
    let stages = stages.ok_or("stages is missing; only sleep sessions are imported")?;
    let entries = entries(&of_main_source(stages, record.source(), notes), notes);
    let end = instant("the end", &record.end)?;
    let start = if record.start.is_blank() {
        start_from_duration(&record.duration, end.0, &entries)?
    } else {
        instant("startTime", &record.start)?
    };
    let time_in_bed = session::time_in_bed(
        with_offset(start, record.offset_at_start(), zone),
        with_offset(end, record.offset_at_end(), zone),
    )?;
    let hypnogram = session::hypnogram(entries, &time_in_bed, notes)?;
    let metrics = session::metrics(&SourceTotals::default(), &time_in_bed, notes);
    let head = SleepRecordHead {
        key: session::key("id", record.id(), time_in_bed.start())?,
        source: session::source(record.source().unwrap_or(SOURCE))
            .map_err(|reason| format!("the source: {reason}"))?,
        time_in_bed,
        is_nap: None,
    };
    session::with_stages(head, hypnogram, metrics, notes)
}

/// An instant and its written offset, unless it is in UTC.
type Time = (DateTime<Utc>, Option<UtcOffset>);

fn instant(name: &str, value: &LooseScalar) -> Result<Time, String> {
    if value.is_blank() {
        return Err(format!("{name} is missing"));
    }
    let invalid = || format!("{name} is not a date and time with an offset");
    let text = value.as_str().map(str::trim).ok_or_else(invalid)?;
    let time = LocalTime::parse(text).filter(|time| time.offset.is_some()).ok_or_else(invalid)?;
    let (instant, offset) = time.resolve(TimeZone::UTC).ok_or_else(invalid)?;
    Ok((instant, Some(offset).filter(|_| !text.ends_with(['Z', 'z']))))
}

/// Returns the start of a session of which only the length in whole seconds is written, and whose first stage
/// may therefore begin up to a second earlier.
fn start_from_duration(
    duration: &LooseScalar,
    end: DateTime<Utc>,
    entries: &[StageEntry],
) -> Result<Time, String> {
    let seconds = duration.identifier().and_then(|seconds| seconds.parse().ok());
    let length = seconds.and_then(TimeDelta::try_seconds).ok_or("duration_seconds is not a whole number")?;
    let start = end.checked_sub_signed(length).ok_or("duration_seconds is out of range")?;
    let first = entries.iter().map(StageEntry::start).min();
    let is_cut = |first: &DateTime<Utc>| {
        let early = start.signed_duration_since(*first);
        TimeDelta::zero() < early && early < TimeDelta::seconds(1)
    };
    Ok((first.filter(is_cut).unwrap_or(start), None))
}

/// Returns the instant with its offset, else the one of the record, else the one of the zone.
fn with_offset((instant, offset): Time, stated: &LooseScalar, zone: TimeZone) -> Time {
    let stated = || match stated {
        LooseScalar::Text(text) => UtcOffset::parse(text.trim()).ok(),
        number => number.identifier()?.parse().ok().and_then(UtcOffset::from_seconds),
    };
    (instant, offset.or_else(stated).or_else(|| Some(zone.offset_at(instant))))
}

/// Omits time in bed, and the stages of other devices than the session's: two recordings are not mixed.
fn of_main_source<'a>(stages: &'a [RawStage], main: Option<&str>, notes: &mut Notes) -> Vec<&'a RawStage> {
    let is_in_bed = |raw: &&RawStage| raw.stage.as_str().is_some_and(stage::is_in_bed);
    let stages: Vec<_> = stages.iter().filter(|raw| !is_in_bed(raw)).collect();
    if main.is_none() || !stages.iter().any(|raw| raw.source() == main) {
        return stages;
    }
    let is_of_main = |raw: &&RawStage| raw.source().is_none() || raw.source() == main;
    let (of_main, others): (Vec<_>, Vec<_>) = stages.into_iter().partition(is_of_main);
    notes.count(others.len(), "stages of other devices than the session's were omitted");
    of_main
}

fn entries(stages: &[&RawStage], notes: &mut Notes) -> Vec<StageEntry> {
    let (mut entries, mut unreadable, mut unknown) = (Vec::new(), 0_usize, 0_usize);
    for raw in stages {
        let stage = raw.stage.identifier().and_then(|text| stage::of_text(&text));
        let at = |time| instant("", time).ok().map(|(instant, _)| instant);
        let entry = at(&raw.start)
            .zip(at(&raw.end))
            .and_then(|(start, end)| StageEntry::new(stage.unwrap_or(Stage::Unknown), start, end).ok());
        unreadable = unreadable.saturating_add(usize::from(entry.is_none()));
        unknown = unknown.saturating_add(usize::from(entry.is_some() && stage.is_none()));
        entries.extend(entry);
    }
    notes.count(unreadable, "stages whose times are unreadable or not in order were omitted");
    notes.count(unknown, "stages with an unknown name were stored as UNKNOWN");
    entries
}
