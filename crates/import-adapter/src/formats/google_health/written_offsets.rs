//! Offsets of nights that differ from those of the zone, for the logs of Fitbit's JSON, which have none.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::sleep::TimeInBed;
use domain::time::{Fold, TimeZone, UtcOffset};
use std::collections::HashMap;

/// Local start and end in minutes.
type Clock = (i64, i64);

/// A row of the table.
#[derive(Debug)]
struct Row {
    updated: Option<DateTime<Utc>>,
    /// Offsets at the start and the end; `None` if the local times denote the same instants in the zone.
    offsets: Option<(UtcOffset, UtcOffset)>,
}

/// The latest row of each night, by its local times to the minute.
#[derive(Debug, Default)]
pub(super) struct WrittenOffsets(HashMap<Clock, Row>);

impl WrittenOffsets {
    /// Adds the offsets of a row that was last changed at a time.
    pub(super) fn add(&mut self, time_in_bed: &TimeInBed, updated: Option<DateTime<Utc>>, zone: TimeZone) {
        let (Some(at_start), Some(at_end)) = (time_in_bed.offset_at_start(), time_in_bed.offset_at_end())
        else {
            return;
        };
        let local = |instant: DateTime<Utc>, offset: UtcOffset| {
            let ahead = TimeDelta::seconds(i64::from(offset.seconds()));
            instant.naive_utc().checked_add_signed(ahead)
        };
        let (start, end) = (time_in_bed.start(), time_in_bed.end());
        let (Some(local_start), Some(local_end)) = (local(start, at_start), local(end, at_end)) else {
            return;
        };
        let is_of_zone =
            [local_start, local_end].map(|local| zone.resolve(local, Fold::First)) == [start, end];
        let row = Row { updated, offsets: (!is_of_zone).then_some((at_start, at_end)) };
        let clock = clock(local_start, local_end);
        if self.0.get(&clock).is_none_or(|known| known.updated <= row.updated) {
            self.0.insert(clock, row);
        }
    }

    /// Returns the offsets of the night with these local times, if the zone has others.
    pub(super) fn find(&self, start: NaiveDateTime, end: NaiveDateTime) -> Option<(UtcOffset, UtcOffset)> {
        self.0.get(&clock(start, end))?.offsets
    }
}

fn clock(start: NaiveDateTime, end: NaiveDateTime) -> Clock {
    let minutes = |local: NaiveDateTime| local.and_utc().timestamp().div_euclid(60);
    (minutes(start), minutes(end))
}
