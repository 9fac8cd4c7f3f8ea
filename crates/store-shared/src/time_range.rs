//! Ranges of stored times.

use chrono::{DateTime, TimeDelta, Utc};

/// Range of all stored times; replaces open ends and times that Postgres cannot represent.
const EARLIEST_SECONDS: i64 = -62_135_596_800;
const LATEST_SECONDS: i64 = 253_402_300_800;

/// Returns the start of a range, not before the year 1, rounded up to microseconds.
pub fn lower_bound(start: Option<DateTime<Utc>>) -> DateTime<Utc> {
    let Some(start) = start else { return earliest() };
    let start = known_moment(start);
    let whole = whole_micros(start);
    if whole < start { whole + TimeDelta::microseconds(1) } else { whole }
}

/// Returns the end of a range, not after the year 9999, truncated to microseconds.
pub fn upper_bound(end: Option<DateTime<Utc>>) -> DateTime<Utc> {
    end.map_or_else(latest, |end| whole_micros(known_moment(end)))
}

/// Clamps an instant to Postgres' range.
pub fn known_moment(moment: DateTime<Utc>) -> DateTime<Utc> {
    moment.clamp(earliest(), latest())
}

/// Truncates an instant to microseconds, Postgres' precision.
fn whole_micros(instant: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(instant.timestamp_micros()).unwrap_or(instant)
}

fn earliest() -> DateTime<Utc> {
    DateTime::from_timestamp(EARLIEST_SECONDS, 0).unwrap_or_default()
}

fn latest() -> DateTime<Utc> {
    DateTime::from_timestamp(LATEST_SECONDS, 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_range_covers_the_years_1_to_9999_within_the_bounds_of_postgres() {
        assert_eq!(lower_bound(None).to_rfc3339(), "0001-01-01T00:00:00+00:00");
        assert_eq!(upper_bound(None), lower_bound(Some(DateTime::<Utc>::MAX_UTC)));
        assert_eq!(upper_bound(Some(DateTime::<Utc>::MIN_UTC)), lower_bound(None));
        assert_eq!(upper_bound(Some(DateTime::UNIX_EPOCH)), DateTime::UNIX_EPOCH);
    }
    #[test]
    fn a_start_is_rounded_up_and_an_end_down_to_microseconds() {
        let odd = DateTime::UNIX_EPOCH + TimeDelta::nanoseconds(-1_001);
        assert_eq!(lower_bound(Some(odd)), DateTime::UNIX_EPOCH - TimeDelta::microseconds(1));
        assert_eq!(upper_bound(Some(odd)), DateTime::UNIX_EPOCH - TimeDelta::microseconds(2));
    }
}
