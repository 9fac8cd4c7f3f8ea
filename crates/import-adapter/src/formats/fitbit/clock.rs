//! Fitbit's local times, which have no zone.

use crate::local_time::LocalTime;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::time::{Fold, TimeZone, UtcOffset};

/// Converts the local times of one log to instants with the offset in force at the log's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    zone: TimeZone,
    pub(super) start: DateTime<Utc>,
    pub(super) start_local: NaiveDateTime,
    /// Local time less UTC.
    shift: TimeDelta,
    /// Whether the log itself has an offset, which wins over the zone.
    carried: bool,
}

/// End of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) instant: DateTime<Utc>,
    pub(super) offset: Option<UtcOffset>,
}

impl Anchor {
    pub(super) fn new(zone: TimeZone, start: LocalTime) -> Option<Self> {
        let (instant, carried) = match start.offset {
            Some(offset) => (shifted(start.local, seconds(offset))?, true),
            None => (zone.resolve(start.local, Fold::First), false),
        };
        let shift = start.local.and_utc().signed_duration_since(instant);
        Some(Self { zone, start: instant, start_local: start.local, shift, carried })
    }

    /// Returns the offset at the start.
    pub(super) fn offset(&self) -> Option<UtcOffset> {
        i32::try_from(self.shift.num_seconds()).ok().and_then(UtcOffset::from_seconds)
    }

    /// Returns the instant of a stage.
    pub(super) fn at(&self, time: LocalTime) -> Option<DateTime<Utc>> {
        shifted(time.local, time.offset.map_or(self.shift, seconds))
    }

    /// Returns the instants that an end can denote, first the one with the offset in force at the end.
    ///
    /// There is one, unless clocks changed during the log or the end exists twice.
    pub(super) fn readings_of_end(&self, end: LocalTime) -> Vec<DateTime<Utc>> {
        let with_start = self.at(end);
        if end.offset.is_some() || self.carried {
            return with_start.into_iter().collect();
        }
        let in_zone = [Fold::First, Fold::Second].map(|fold| self.zone.resolve(end.local, fold));
        let mut readings: Vec<_> = in_zone.into_iter().chain(with_start).collect();
        let after_start = readings.iter().any(|reading| *reading > self.start);
        readings.retain(|reading| !after_start || *reading > self.start);
        readings.sort_by_key(|reading| !in_zone.contains(reading));
        readings.dedup();
        readings
    }

    /// Returns the instant closest to the end of the last stage; without stages, the one with the offset in
    /// force at the end.
    pub(super) fn end(&self, end: LocalTime, stages_end: Option<DateTime<Utc>>) -> Option<End> {
        let readings = self.readings_of_end(end);
        let instant = match stages_end {
            Some(last) => {
                readings.into_iter().min_by_key(|reading| reading.signed_duration_since(last).abs())
            }
            None => readings.into_iter().next(),
        }?;
        Some(End { instant, offset: end.offset.or_else(|| self.offset_at(instant)) })
    }

    /// Returns the end of a log that states its length instead.
    pub(super) fn end_after(&self, length: TimeDelta) -> Option<End> {
        let instant = self.start.checked_add_signed(length)?;
        Some(End { instant, offset: self.offset_at(instant) })
    }

    fn offset_at(&self, instant: DateTime<Utc>) -> Option<UtcOffset> {
        if self.carried { self.offset() } else { Some(self.zone.offset_at(instant)) }
    }
}

fn seconds(offset: UtcOffset) -> TimeDelta {
    TimeDelta::seconds(i64::from(offset.seconds()))
}

fn shifted(local: NaiveDateTime, shift: TimeDelta) -> Option<DateTime<Utc>> {
    local.and_utc().checked_sub_signed(shift)
}
