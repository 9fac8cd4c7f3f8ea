//! Nights of which an app wrote each stage as a session.

use super::tables::SessionRow;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{Stage, TimeInBed};
use std::collections::HashMap;

/// Longest gap between two such sessions.
const GAP: TimeDelta = TimeDelta::minutes(1);

/// What is known of a session's stages before they are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Staging {
    /// One stage.
    Single(DateTime<Utc>, DateTime<Utc>, Stage),
    Several,
}

/// Stages of each session, by its row id.
#[derive(Debug, Default)]
pub(super) struct Stagings(HashMap<i64, Staging>);

impl Stagings {
    /// Adds a stage; a repeated one is the same.
    pub(super) fn add(&mut self, session: i64, start: DateTime<Utc>, end: DateTime<Utc>, stage: Stage) {
        let single = Staging::Single(start, end, stage);
        let known = self.0.entry(session).or_insert(single);
        if *known != single {
            *known = Staging::Several;
        }
    }

    /// Returns whether a session consists of one stage.
    fn is_filled_by_one(&self, row: &SessionRow) -> bool {
        let bed = &row.session.time_in_bed;
        matches!(self.0.get(&row.id), Some(Staging::Single(start, end, _)) if *start == bed.start() && *end == bed.end())
    }

    /// Returns whether two sessions consist of the same stage.
    fn are_equal(&self, one: &SessionRow, other: &SessionRow) -> bool {
        self.0.get(&one.id).is_some_and(|staging| self.0.get(&other.id) == Some(staging))
    }
}

/// Joins sessions of one app, each of one stage, that follow or repeat each other; returns their number. The
/// session of each former row id is in `united`.
pub(super) fn join(rows: &mut Vec<SessionRow>, stagings: &Stagings, united: &mut HashMap<i64, i64>) -> usize {
    let mut joined = 0_usize;
    rows.sort_by(|one, other| {
        let key = |row: &SessionRow| (row.session.time_in_bed.start(), row.number);
        one.session.source.cmp(&other.session.source).then_with(|| key(one).cmp(&key(other)))
    });
    rows.dedup_by(|next, night| {
        let follows = next.session.source == night.session.source
            && stagings.is_filled_by_one(next)
            && (night.is_chain || stagings.is_filled_by_one(night));
        let is_repeated = follows && (night.is_chain || stagings.are_equal(night, next));
        let (bed, next_bed) = (&night.session.time_in_bed, &next.session.time_in_bed);
        let joined_bed = if is_repeated && next_bed.end() <= bed.end() {
            Some(*bed)
        } else if follows {
            continued(bed, next_bed)
        } else {
            None
        };
        let Some(bed) = joined_bed else { return false };
        joined = joined.saturating_add(if night.is_chain { 1 } else { 2 });
        night.session.time_in_bed = bed;
        night.is_chain = true;
        united.insert(next.id, night.id);
        true
    });
    rows.sort_by_key(|row| row.number);
    joined
}

/// Returns the time of two sessions that adjoin; `None` if they do not, or are too long together.
fn continued(first: &TimeInBed, next: &TimeInBed) -> Option<TimeInBed> {
    let gap = next.start().signed_duration_since(first.end());
    if gap < TimeDelta::zero() || gap > GAP {
        return None;
    }
    TimeInBed::new(first.start(), next.end(), first.offset_at_start(), next.offset_at_end()).ok()
}
