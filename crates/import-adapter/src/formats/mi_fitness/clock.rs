//! Mi Fitness's times: seconds since 1970, and an offset for each recording.

use super::members::Recording;
use crate::json::LooseScalar;
use crate::source::Notes;
use chrono::{DateTime, Utc};
use domain::time::{TimeZone, UtcOffset};

/// Values above this are milliseconds.
const GREATEST_SECONDS: i64 = 100_000_000_000;
/// Start of 2015, before which no band with this app was sold.
const EARLIEST_SECONDS: i64 = 1_420_070_400;
/// Minutes of an offset's unit.
const QUARTER: i16 = 15;
/// Minutes by which clocks are ahead in summer.
const SUMMER: i16 = 60;

/// Returns the first of these times that is stated; 0 stands for an absent one.
pub(super) fn first<const TIMES: usize>(times: [&LooseScalar; TIMES]) -> Option<DateTime<Utc>> {
    times.into_iter().find_map(instant)
}

/// Parses a time in seconds, or in milliseconds as some copies have it; `None` for 0.
pub(super) fn instant(value: &LooseScalar) -> Option<DateTime<Utc>> {
    let number: i64 = value.identifier()?.parse().ok().filter(|number| *number > 0)?;
    if number > GREATEST_SECONDS {
        DateTime::from_timestamp_millis(number)
    } else {
        DateTime::from_timestamp(number, 0)
    }
}

/// Rejects times of a band whose clock was not set.
pub(super) fn check_set(start: DateTime<Utc>) -> Result<(), String> {
    if start.timestamp() < EARLIEST_SECONDS {
        return Err("the start is before 2015: the clock of the band was not set".to_owned());
    }
    Ok(())
}

/// Returns the offset of a recording; `None` if it has none, and that of the zone applies.
///
/// Rows of the older app state the offset of winter in summer as well.
pub(super) fn offset(
    recording: &Recording,
    is_old: bool,
    (start, zone): (DateTime<Utc>, TimeZone),
    notes: &mut Notes,
) -> Option<UtcOffset> {
    if recording.timezone.is_blank() {
        return None;
    }
    let quarters = recording.timezone.identifier().and_then(|text| text.parse::<i16>().ok());
    let offset = quarters.and_then(|quarters| UtcOffset::from_minutes(quarters.checked_mul(QUARTER)?));
    let Some(offset) = offset else {
        notes.add("timezone is not an offset in quarters of an hour; the specified zone was used");
        return None;
    };
    if is_old && zone.offset_at(start).minutes() == offset.minutes().saturating_add(SUMMER) {
        notes.add("timezone is an hour behind the specified zone, as older rows have it in summer; the zone was used");
        return None;
    }
    Some(offset)
}
