//! Noon-to-noon days, which keep a night in one piece.

use crate::time::{Fold, TimeZone, UtcOffset};
use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};

const MILLIS_PER_MINUTE: i64 = 60_000;
/// Minutes on the clock from noon to noon.
pub(super) const CLOCK_MINUTES: i64 = 24 * 60;

/// The time from noon of the day before a date to noon of that date, by the clocks of a zone.
///
/// It lasts 24 hours, or 23 or 25 if the clocks change in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoonDay {
    date: NaiveDate,
    zone: TimeZone,
    start_millis: i64,
    end_millis: i64,
    change: Option<ClockChange>,
}

/// A change of the clocks within a noon-to-noon day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockChange {
    /// Minutes from noon to the change.
    pub minute: i64,
    /// Minutes by which clocks are set forward; negative if they are set back.
    pub forward: i64,
}

impl NoonDay {
    /// Returns the day that ends at noon of `date`.
    pub fn new(date: NaiveDate, zone: TimeZone) -> Self {
        let before = date.checked_sub_days(Days::new(1)).unwrap_or(date);
        let (start_millis, end_millis) = (noon(before, zone), noon(date, zone));
        Self { date, zone, start_millis, end_millis, change: change(start_millis, end_millis, zone) }
    }

    /// Returns the day that contains an instant in milliseconds since 1970-01-01 UTC.
    pub fn containing(unix_millis: i64, zone: TimeZone) -> Self {
        let half_a_day = CLOCK_MINUTES / 2 * MILLIS_PER_MINUTE;
        let wall = wall_millis(unix_millis, zone).saturating_add(half_a_day);
        Self::new(DateTime::from_timestamp_millis(wall).unwrap_or_default().date_naive(), zone)
    }

    /// Lists the changes of the clocks strictly between two instants, with their instants.
    pub fn changes_between(start_millis: i64, end_millis: i64, zone: TimeZone) -> Vec<(ClockChange, i64)> {
        let mut changes = Vec::new();
        let mut day = Self::containing(start_millis, zone);
        while day.start_millis < end_millis {
            let at = day.change.map(|change| (change, day.start_millis + change.minute * MILLIS_PER_MINUTE));
            changes.extend(at.filter(|(_, at)| start_millis < *at && *at < end_millis));
            let Some(next) = day.date.succ_opt() else { break };
            day = Self::new(next, zone);
        }
        changes
    }

    /// Returns the date at whose noon the day ends.
    pub const fn date(&self) -> NaiveDate {
        self.date
    }

    /// Returns the change of the clocks, if there is one.
    pub const fn change(&self) -> Option<ClockChange> {
        self.change
    }

    /// Returns the first instant in milliseconds since 1970-01-01 UTC.
    pub const fn start_millis(&self) -> i64 {
        self.start_millis
    }

    /// Returns the first instant of the next day in milliseconds since 1970-01-01 UTC.
    pub const fn end_millis(&self) -> i64 {
        self.end_millis
    }

    /// Returns the milliseconds that the clock shows since noon, negative or more than a day for instants
    /// outside the day.
    pub fn clock_millis(&self, unix_millis: i64) -> i64 {
        let noon = wall_millis(self.start_millis, self.zone);
        wall_millis(unix_millis, self.zone).saturating_sub(noon)
    }

    /// Lists each minute on the clock with its instant: the first of two for a repeated one, none for a
    /// skipped one.
    pub(super) fn minutes(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        (0..CLOCK_MINUTES).filter_map(|minute| Some((usize::try_from(minute).ok()?, self.instant(minute)?)))
    }

    fn instant(&self, minute: i64) -> Option<i64> {
        let elapsed = match self.change {
            Some(change) if minute >= change.minute => {
                let elapsed = minute - change.forward;
                (elapsed >= change.minute).then_some(elapsed)?
            }
            _ => minute,
        };
        let instant = self.start_millis.checked_add(elapsed * MILLIS_PER_MINUTE)?;
        (instant < self.end_millis).then_some(instant)
    }
}

/// Returns the date on the clocks of a zone at an instant in milliseconds since 1970-01-01 UTC.
pub fn local_date(unix_millis: i64, zone: TimeZone) -> NaiveDate {
    DateTime::from_timestamp_millis(wall_millis(unix_millis, zone)).unwrap_or_default().date_naive()
}

/// Returns the date of waking up: by the clocks of the night's own zone if its offset at the end is known,
/// else by those of the person's zone (decisions 11). Milliseconds are since 1970-01-01 UTC.
pub fn waking_date(end_millis: i64, offset_at_end: Option<UtcOffset>, zone: TimeZone) -> NaiveDate {
    let Some(offset) = offset_at_end else { return local_date(end_millis, zone) };
    let wall = end_millis.saturating_add(i64::from(offset.seconds()) * 1_000);
    DateTime::from_timestamp_millis(wall).unwrap_or_default().date_naive()
}

/// Returns what the clock shows, as if it showed UTC.
pub(super) fn wall_millis(unix_millis: i64, zone: TimeZone) -> i64 {
    let seconds = zone.offset_at(instant_of(unix_millis)).seconds();
    unix_millis.saturating_add(i64::from(seconds) * 1_000)
}

fn instant_of(unix_millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(unix_millis).unwrap_or_default()
}

fn noon(date: NaiveDate, zone: TimeZone) -> i64 {
    let noon = date.and_time(NaiveTime::MIN) + TimeDelta::minutes(CLOCK_MINUTES / 2);
    zone.resolve(noon, Fold::First).timestamp_millis()
}

/// Finds the change of the clocks between two instants; two that cancel each other are not seen.
fn change(start: i64, end: i64, zone: TimeZone) -> Option<ClockChange> {
    let offset = |millis| i64::from(zone.offset_at(instant_of(millis)).minutes());
    let (first, last) = (offset(start), offset(end - 1));
    if first == last {
        return None;
    }
    let (mut before, mut after) = (start, end - 1);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        if offset(middle) == first {
            before = middle;
        } else {
            after = middle;
        }
    }
    Some(ClockChange { minute: (after - start) / MILLIS_PER_MINUTE, forward: last - first })
}

#[cfg(test)]
mod tests;
