//! Stages from events: `LIGHT_START-1606462701362`, `LIGHT_END-1606462881362`.

use crate::source::Notes;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{Hypnogram, Stage, StageEntry, TimeInBed};
use std::collections::HashMap;

/// How far before `From` a stage may start without a note: `From` and `To` are truncated to minutes, events
/// are not.
const SLACK_BEFORE: TimeDelta = TimeDelta::minutes(1);
/// How far past `To` a stage may end without a note: the app scores epochs of five minutes, and the last one
/// ends later.
const SLACK_AFTER: TimeDelta = TimeDelta::minutes(6);

/// Start or end of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Event {
    at: DateTime<Utc>,
    stage: Stage,
    is_start: bool,
}

/// Kind of an event.
enum ParsedEvent {
    Stage(Event),
    /// A light, an alarm or a device.
    Other,
    Unreadable,
}

fn read(text: &str) -> ParsedEvent {
    let mut parts = text.splitn(3, '-');
    let (label, at) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let (stage, is_start) = match label {
        "LIGHT_START" => (Stage::Light, true),
        "LIGHT_END" => (Stage::Light, false),
        "DEEP_START" => (Stage::Deep, true),
        "DEEP_END" => (Stage::Deep, false),
        "REM_START" => (Stage::Rem, true),
        "REM_END" => (Stage::Rem, false),
        "AWAKE_START" => (Stage::Awake, true),
        "AWAKE_END" => (Stage::Awake, false),
        _ => return ParsedEvent::Other,
    };
    let at = at.parse().ok().and_then(DateTime::from_timestamp_millis);
    at.map_or(ParsedEvent::Unreadable, |at| ParsedEvent::Stage(Event { at, stage, is_start }))
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
            ParsedEvent::Stage(event) => events.push(event),
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
    Hypnogram::flatten(entries, time_in_bed).map_err(|error| error.to_string())
}

/// Pairs starts with ends: a stage lasts to its own end, else to the next start, else to the end of the
/// session.
fn entries(events: &[Event], time_in_bed: &TimeInBed, notes: &mut Notes) -> Vec<StageEntry> {
    let (mut entries, mut empty, mut unmatched) = (Vec::new(), 0_usize, 0_usize);
    // Backwards, so that the next start is known.
    let mut next_start = time_in_bed.end();
    let mut ends: HashMap<Stage, DateTime<Utc>> = HashMap::new();
    for Event { at, stage, is_start } in events.iter().rev() {
        if !is_start {
            let is_second = ends.insert(*stage, *at).is_some();
            unmatched = unmatched.saturating_add(usize::from(is_second));
            continue;
        }
        match StageEntry::new(*stage, *at, ends.remove(stage).unwrap_or(next_start)) {
            Ok(entry) => entries.push(entry),
            Err(_) => empty = empty.saturating_add(1),
        }
        next_start = *at;
    }
    notes.count(empty, "stages without a duration were left out");
    notes.count(unmatched.saturating_add(ends.len()), "stage ends without a start were left out");
    entries.reverse();
    entries
}
