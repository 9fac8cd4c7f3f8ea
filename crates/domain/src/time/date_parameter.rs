//! Date parameters of requests.

use super::digits::number;
use super::{Fold, TimeZone, UtcOffset};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Utc};
use std::fmt;

/// Nanoseconds per microsecond, the precision of stored instants.
const MICROSECOND: u32 = 1_000;

/// Value of `startDate` or `endDate`: a day, a local date-time, or a date-time with an offset (decisions 5).
///
/// Kept as written, because its meaning depends on the person's zone and on which end of a range it is. Years
/// 0001 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DateParameter {
    form: Form,
}

/// The value as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Day(NaiveDate),
    Local(NaiveDateTime),
    Offset(NaiveDateTime, UtcOffset),
}

/// End of a range that a date parameter is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// `startDate`: the start of a day, the first of an ambiguous time, fractions rounded up.
    Start,
    /// `endDate`: the end of a day, the second of an ambiguous time, fractions rounded down.
    End,
}

/// Why a date parameter is invalid; never repeats the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDateParameter {
    /// The value does not start with `YYYY-MM-DD`, or is followed by something other than `T`.
    #[error("write YYYY-MM-DD, or YYYY-MM-DDThh:mm:ss with an optional fraction and offset")]
    Shape,
    /// The date does not exist in the years 0001 to 9999.
    #[error("no such day in the years 0001 to 9999")]
    Day,
    /// The time of day is not between 00:00 and 23:59:59; leap seconds and 24:00 are rejected.
    #[error("the time of day is hh:mm or hh:mm:ss, from 00:00:00 to 23:59:59")]
    TimeOfDay,
    /// The fraction of a second has no digit, or more than nine.
    #[error("a fraction of a second has 1 to 9 digits")]
    Fraction,
    /// The offset has none of the accepted spellings, or exceeds 18 hours.
    #[error("an offset is Z, +02:00, +0200 or +02, at most 18 hours")]
    Offset,
}

impl DateParameter {
    /// Parses `YYYY-MM-DD`, or that with `Thh:mm`, optional seconds, an optional fraction of 1 to 9 digits,
    /// and an optional `Z`, `+02:00`, `+0200` or `+02`.
    ///
    /// `T` and `Z` may be lower case (RFC 3339 section 5.6). A space in place of the offset's sign is read as
    /// a plus, because an unencoded `+` in a query string becomes a space.
    pub fn parse(text: &str) -> Result<Self, InvalidDateParameter> {
        use InvalidDateParameter::Shape;
        let (date, rest) = text.as_bytes().split_at_checked(10).ok_or(Shape)?;
        let day = parse_day(date)?;
        let clock = match rest {
            [] => return Ok(Self { form: Form::Day(day) }),
            [b'T' | b't', clock @ ..] => clock,
            _ => return Err(Shape),
        };
        let (time, zone) = parse_time(clock)?;
        let local = day.and_time(time);
        let form = match parse_offset(zone)? {
            Some(offset) => Form::Offset(local, offset),
            None => Form::Local(local),
        };
        Ok(Self { form })
    }

    /// Returns the instant of this date as one end of a range, to the microsecond.
    ///
    /// A day is the whole local day in `zone`; a date-time without offset is local to `zone`, by the rules of
    /// [`TimeZone::resolve`]. A finer fraction is rounded into the range (up for `Start`, down for `End`), so
    /// that a comparison with stored microseconds includes exactly the requested range. The result may be up
    /// to a day outside the years 0001 to 9999.
    pub fn resolve(self, zone: TimeZone, bound: Bound) -> DateTime<Utc> {
        let exact = self.exact(zone, bound);
        let beyond = exact.timestamp_subsec_nanos() % MICROSECOND;
        let shift = match bound {
            _ if beyond == 0 => TimeDelta::zero(),
            Bound::Start => TimeDelta::nanoseconds(i64::from(MICROSECOND - beyond)),
            Bound::End => TimeDelta::nanoseconds(-i64::from(beyond)),
        };
        exact.checked_add_signed(shift).unwrap_or(exact)
    }

    /// Returns the instant to the nanosecond; a day ends one nanosecond before the next.
    pub(super) fn exact(self, zone: TimeZone, bound: Bound) -> DateTime<Utc> {
        match (self.form, bound) {
            (Form::Day(day), Bound::Start) => zone.first_instant_of(day),
            (Form::Day(day), Bound::End) => {
                let last = zone.last_instant_of(day);
                last.checked_add_signed(TimeDelta::nanoseconds(999)).unwrap_or(last)
            }
            (Form::Local(local), Bound::Start) => zone.resolve(local, Fold::First),
            (Form::Local(local), Bound::End) => zone.resolve(local, Fold::Second),
            (Form::Offset(local, offset), _) => {
                let wall = local.and_utc();
                wall.checked_sub_signed(TimeDelta::seconds(i64::from(offset.seconds()))).unwrap_or(wall)
            }
        }
    }
}

/// Prints the canonical RFC 3339 spelling, which parses to the same value.
impl fmt::Display for DateParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form {
            Form::Day(day) => write!(f, "{day}"),
            Form::Local(local) => write!(f, "{local:?}"),
            Form::Offset(local, offset) => write!(f, "{local:?}{offset}"),
        }
    }
}

/// Parses the ten characters `YYYY-MM-DD`.
fn parse_day(text: &[u8]) -> Result<NaiveDate, InvalidDateParameter> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else {
        return Err(InvalidDateParameter::Shape);
    };
    let fields = (number(&[*y1, *y2, *y3, *y4]), number(&[*m1, *m2]), number(&[*d1, *d2]));
    let (Some(year), Some(month), Some(day)) = fields else {
        return Err(InvalidDateParameter::Shape);
    };
    i32::try_from(year)
        .ok()
        .filter(|year| *year > 0)
        .and_then(|year| NaiveDate::from_ymd_opt(year, month, day))
        .ok_or(InvalidDateParameter::Day)
}

/// Parses `hh:mm`, optional seconds and an optional fraction; also returns the rest.
fn parse_time(text: &[u8]) -> Result<(NaiveTime, &[u8]), InvalidDateParameter> {
    use InvalidDateParameter::TimeOfDay;
    let [h1, h2, b':', m1, m2, rest @ ..] = text else {
        return Err(TimeOfDay);
    };
    let (second, rest) = match rest {
        [b':', s1, s2, rest @ ..] => (number(&[*s1, *s2]), rest),
        [b':', ..] => return Err(TimeOfDay),
        _ => (Some(0), rest),
    };
    let (nanos, rest) = match (rest, text) {
        ([b'.', rest @ ..], [_, _, _, _, _, b':', ..]) => parse_fraction(rest)?,
        _ => (0, rest),
    };
    let (hour, minute) = (number(&[*h1, *h2]), number(&[*m1, *m2]));
    let time = hour
        .zip(minute)
        .zip(second)
        .and_then(|((hour, minute), second)| NaiveTime::from_hms_opt(hour, minute, second))
        .and_then(|time| time.with_nanosecond(nanos))
        .ok_or(TimeOfDay)?;
    Ok((time, rest))
}

/// Parses the digits after the decimal point as nanoseconds; also returns the rest.
fn parse_fraction(text: &[u8]) -> Result<(u32, &[u8]), InvalidDateParameter> {
    use InvalidDateParameter::Fraction;
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let missing = 9_usize.checked_sub(length).and_then(|count| u32::try_from(count).ok()).ok_or(Fraction)?;
    let (digits, rest) = text.split_at_checked(length).ok_or(Fraction)?;
    let nanos = number(digits).ok_or(Fraction)? * 10_u32.pow(missing);
    Ok((nanos, rest))
}

/// Parses the offset at the end of a date-time; `None` if absent.
fn parse_offset(text: &[u8]) -> Result<Option<UtcOffset>, InvalidDateParameter> {
    let offset = match text {
        [] => return Ok(None),
        [b' ', clock @ ..] => UtcOffset::east(clock),
        other => UtcOffset::from_ascii(other),
    };
    offset.map(Some).ok_or(InvalidDateParameter::Offset)
}

#[cfg(test)]
mod tests;
