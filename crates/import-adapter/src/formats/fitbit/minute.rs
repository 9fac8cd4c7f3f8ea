//! Version 1 of the API: one value per minute, each with a time of day but no date.

use super::clock::Anchor;
use super::log::Minute;
use crate::source::Notes;
use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use domain::sleep::{Stage, StageEntry};

const DAY_SECONDS: i64 = 86_400;
const MINUTE: TimeDelta = TimeDelta::minutes(1);

/// Creates one entry per run of equal values.
///
/// The first minute lies closest to the start of the log and each other one after its predecessor, so
/// midnight is crossed where the time of day decreases. A time of day that repeats, or decreases by less than
/// half a day because clocks went back, is the next minute.
pub(super) fn entries(minutes: &[Minute], anchor: &Anchor, notes: &mut Notes) -> Vec<StageEntry> {
    let mut runs: Vec<Run> = Vec::new();
    let mut before: Option<(NaiveTime, DateTime<Utc>)> = None;
    let (mut unreadable, mut unknown) = (0_usize, 0_usize);
    for minute in minutes {
        let clock = minute.clock().and_then(parse_clock);
        let placed = clock.and_then(|clock| Some((clock, place(clock, before, anchor)?)));
        let Some((clock, start)) = placed else {
            unreadable = unreadable.saturating_add(1);
            continue;
        };
        before = Some((clock, start));
        let stage = stage(minute);
        unknown = unknown.saturating_add(usize::from(stage == Stage::Unknown));
        match runs.last_mut() {
            Some(run) if run.stage == stage && run.end == start => run.end = start + MINUTE,
            _ => runs.push(Run { stage, start, end: start + MINUTE }),
        }
    }
    notes.count(unreadable, "minutes without a readable time of day were left out");
    notes.count(unknown, "minutes with an unknown value were stored as UNKNOWN");
    runs.into_iter().filter_map(|run| StageEntry::new(run.stage, run.start, run.end).ok()).collect()
}

struct Run {
    stage: Stage,
    start: DateTime<Utc>,
    end: DateTime<Utc>,
}

fn parse_clock(text: &str) -> Option<NaiveTime> {
    ["%H:%M:%S%.f", "%H:%M"].iter().find_map(|form| NaiveTime::parse_from_str(text, form).ok())
}

fn place(
    clock: NaiveTime,
    before: Option<(NaiveTime, DateTime<Utc>)>,
    anchor: &Anchor,
) -> Option<DateTime<Utc>> {
    let (from_clock, from) = before.unwrap_or((anchor.start_local.time(), anchor.start));
    let passed = clock.signed_duration_since(from_clock).num_seconds().rem_euclid(DAY_SECONDS);
    let back = DAY_SECONDS.saturating_sub(passed);
    let step = match before {
        // The values are whole minutes, and the log may start within one.
        None if passed < 60 || back <= 60 => TimeDelta::zero(),
        Some(_) if passed == 0 || back < DAY_SECONDS / 2 => MINUTE,
        _ => TimeDelta::seconds(passed),
    };
    // Anything further away is beyond any time in bed.
    from.checked_add_signed(step).filter(|start| start.checked_add_signed(MINUTE).is_some())
}

fn stage(minute: &Minute) -> Stage {
    match minute.value.identifier().as_deref() {
        Some("1") => Stage::Asleep,
        Some("2" | "3") => Stage::Awake,
        _ => Stage::Unknown,
    }
}
