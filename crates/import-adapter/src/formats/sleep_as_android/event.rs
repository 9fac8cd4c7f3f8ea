//! Stages from events: `LIGHT_START-1606462701362`, `LIGHT_END-1606462881362`.

use crate::source::Notes;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{Hypnogram, InvalidHypnogram, Stage, StageEntry, TimeInBed};
use std::collections::HashMap;

/// How far before `From` a stage may start without a note: `From` and `To` are truncated to minutes, events
/// are not.
const SLACK_BEFORE: TimeDelta = TimeDelta::minutes(1);
/// How far past `To` a stage may end without a note: the app scores epochs of five minutes, and the last one
/// ends later.
const SLACK_AFTER: TimeDelta = TimeDelta::minutes(6);

/// What an event starts or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stretch {
    Stage(Stage),
    /// The person paused the recording and is awake.
    Pause,
}

impl Stretch {
    const fn stage(self) -> Stage {
        match self {
            Self::Stage(stage) => stage,
            Self::Pause => Stage::Awake,
        }
    }
}

/// Start or end of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Event {
    at: DateTime<Utc>,
    stretch: Stretch,
    is_start: bool,
}

/// Kind of an event.
enum ParsedEvent {
    Stretch(Event),
    /// A light, an alarm or a device.
    Other,
    Unreadable,
}

fn read(text: &str) -> ParsedEvent {
    let mut parts = text.splitn(3, '-');
    let (label, at) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let (stretch, is_start) = match label {
        "LIGHT_START" => (Stretch::Stage(Stage::Light), true),
        "LIGHT_END" => (Stretch::Stage(Stage::Light), false),
        "DEEP_START" => (Stretch::Stage(Stage::Deep), true),
        "DEEP_END" => (Stretch::Stage(Stage::Deep), false),
        "REM_START" => (Stretch::Stage(Stage::Rem), true),
        "REM_END" => (Stretch::Stage(Stage::Rem), false),
        "AWAKE_START" => (Stretch::Stage(Stage::Awake), true),
        "AWAKE_END" => (Stretch::Stage(Stage::Awake), false),
        "TRACKING_PAUSED" => (Stretch::Pause, true),
        "TRACKING_RESUMED" => (Stretch::Pause, false),
        _ => return ParsedEvent::Other,
    };
    let at = at.parse().ok().and_then(DateTime::from_timestamp_millis);
    at.map_or(ParsedEvent::Unreadable, |at| ParsedEvent::Stretch(Event { at, stretch, is_start }))
}

/// Builds the stages from a record's events and notes what was left out.
pub(super) fn hypnogram<'a>(
    texts: impl Iterator<Item = &'a str>,
    time_in_bed: &TimeInBed,
    notes: &mut Notes,
) -> Result<Hypnogram, String> {
    let (mut events, mut unreadable) = (Vec::new(), 0_usize);
    for text in texts {
        match read(text) {
            ParsedEvent::Stretch(event) => events.push(event),
            ParsedEvent::Other => {}
            ParsedEvent::Unreadable => unreadable = unreadable.saturating_add(1),
        }
    }
    // A stable sort: at equal times an end comes before the next start.
    events.sort_by_key(|event| event.at);
    notes.count(unreadable, "events without a readable time were left out");
    let entries = entries(&events, time_in_bed, notes);
    let beyond = |entry: &&StageEntry| {
        entry.end().signed_duration_since(time_in_bed.end()) > SLACK_AFTER
            || time_in_bed.start().signed_duration_since(entry.start()) > SLACK_BEFORE
    };
    notes.count(
        entries.iter().filter(beyond).count(),
        "stages that extend beyond the time in bed were trimmed",
    );
    if events.iter().all(|event| event.stretch == Stretch::Pause) {
        // Otherwise the rest of the night would seem to be without sleep.
        notes.count(entries.len(), "pauses were left out, because there are no stages");
        return Ok(Hypnogram::empty());
    }
    flatten_under_rem(&entries, time_in_bed).map_err(|error| error.to_string())
}

/// Resolves overlaps as the app does: AWAKE wins, then REM, which the app writes inside of DEEP, then DEEP.
///
/// The general order is the same with REM and DEEP exchanged.
fn flatten_under_rem(entries: &[StageEntry], time_in_bed: &TimeInBed) -> Result<Hypnogram, InvalidHypnogram> {
    let exchanged = entries.iter().filter_map(exchange_deep_and_rem).collect();
    let flat = Hypnogram::flatten(exchanged, time_in_bed)?;
    Hypnogram::new(flat.entries().iter().filter_map(exchange_deep_and_rem).collect(), time_in_bed)
}

fn exchange_deep_and_rem(entry: &StageEntry) -> Option<StageEntry> {
    let stage = match entry.stage() {
        Stage::Deep => Stage::Rem,
        Stage::Rem => Stage::Deep,
        other => other,
    };
    StageEntry::new(stage, entry.start(), entry.end()).ok()
}

/// Pairs starts with ends: a stage lasts to its own end, else to the next start, else to the end of the
/// session; a pause without an end lasts to the end of the session.
fn entries(events: &[Event], time_in_bed: &TimeInBed, notes: &mut Notes) -> Vec<StageEntry> {
    let (mut entries, mut empty, mut unmatched) = (Vec::new(), 0_usize, 0_usize);
    // Backwards, so that the next start is known.
    let mut next_start = time_in_bed.end();
    let mut ends: HashMap<Stretch, DateTime<Utc>> = HashMap::new();
    for Event { at, stretch, is_start } in events.iter().rev() {
        if !is_start {
            let is_second = ends.insert(*stretch, *at).is_some();
            unmatched = unmatched.saturating_add(usize::from(is_second));
            continue;
        }
        let otherwise = if *stretch == Stretch::Pause { time_in_bed.end() } else { next_start };
        match StageEntry::new(stretch.stage(), *at, ends.remove(stretch).unwrap_or(otherwise)) {
            Ok(entry) => entries.push(entry),
            Err(_) => empty = empty.saturating_add(1),
        }
        if *stretch != Stretch::Pause {
            next_start = *at;
        }
    }
    notes.count(empty, "stages without a duration were left out");
    notes.count(unmatched.saturating_add(ends.len()), "stage ends without a start were left out");
    entries.reverse();
    entries
}
