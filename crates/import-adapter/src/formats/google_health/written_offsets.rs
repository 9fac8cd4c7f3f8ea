//! Offsets of nights that differ from those of the zone, for the logs of Fitbit's JSON, which have none.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::sleep::TimeInBed;
use domain::time::{Fold, TimeZone, UtcOffset};
use std::collections::HashMap;

/// Local start and end in minutes.
type Clock = (i64, i64);

/// Offsets at the start and the end of nights, by their local times to the minute.
#[derive(Debug, Default)]
pub(super) struct WrittenOffsets(HashMap<Clock, (UtcOffset, UtcOffset)>);

impl WrittenOffsets {
    /// Adds the offsets of a night, unless its local times denote the same instants in the zone.
    pub(super) fn add(&mut self, time_in_bed: &TimeInBed, zone: TimeZone) {
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
        if [local_start, local_end].map(|local| zone.resolve(local, Fold::First)) != [start, end] {
            self.0.insert(clock(local_start, local_end), (at_start, at_end));
        }
    }

    /// Returns the offsets of the night with these local times.
    pub(super) fn find(&self, start: NaiveDateTime, end: NaiveDateTime) -> Option<(UtcOffset, UtcOffset)> {
        self.0.get(&clock(start, end)).copied()
    }
}

fn clock(start: NaiveDateTime, end: NaiveDateTime) -> Clock {
    let minutes = |local: NaiveDateTime| local.and_utc().timestamp().div_euclid(60);
    (minutes(start), minutes(end))
}
