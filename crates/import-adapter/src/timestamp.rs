//! ISO 8601 timestamps with an offset.

use crate::json::LooseScalar;
use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use domain::time::UtcOffset;

/// An instant with its written offset; `Z` means that the offset is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp {
    pub(crate) instant: DateTime<Utc>,
    pub(crate) offset: Option<UtcOffset>,
}

impl Timestamp {
    /// Parses the value of this member, which may be absent, or returns what is wrong with it.
    pub(crate) fn parse_optional(name: &str, value: &LooseScalar) -> Result<Option<Self>, String> {
        if value.is_absent() {
            return Ok(None);
        }
        Self::parse(name, value.as_str().unwrap_or_default()).map(Some)
    }

    /// Parses the value of this member, or returns what is wrong with it.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, String> {
        let wrong = || format!("{name} is not a timestamp with an offset, such as 2026-03-08T23:10:00-05:00");
        let read = match parse_common_form(text.as_bytes()) {
            Some(read) => read,
            None => DateTime::parse_from_rfc3339(text).map_err(|_| wrong())?,
        };
        let offset = if text.ends_with(['Z', 'z']) {
            None
        } else {
            Some(UtcOffset::from_seconds(read.offset().local_minus_utc()).ok_or_else(wrong)?)
        };
        Ok(Self { instant: read.to_utc(), offset })
    }
}

/// Parses the most frequent form, whole seconds or milliseconds; `None` for other forms.
///
/// Files have two timestamps per stage, so this matters; chrono parses the rest.
fn parse_common_form(text: &[u8]) -> Option<DateTime<FixedOffset>> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', ref time @ ..] = text else { return None };
    let &[h1, h2, b':', i1, i2, b':', s1, s2, ref rest @ ..] = time else { return None };
    let (millis, rest) = match rest {
        &[b'.', a, b, c, ref rest @ ..] => (number([a, b, c])?, rest),
        rest => (0, rest),
    };
    let seconds_ahead = match *rest {
        [b'Z'] => 0,
        [sign @ (b'+' | b'-'), a, b, b':', c, d] => {
            let (hours, minutes) = (number([a, b])?, number([c, d]).filter(|minutes| *minutes < 60)?);
            let seconds = i32::try_from((hours * 60 + minutes) * 60).ok()?;
            if sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let year = i32::try_from(number([y1, y2, y3, y4])?).ok()?;
    let date = NaiveDate::from_ymd_opt(year, number([m1, m2])?, number([d1, d2])?)?;
    let second = number([s1, s2])?;
    let local = date.and_hms_milli_opt(number([h1, h2])?, number([i1, i2])?, second, millis)?;
    local.and_local_timezone(FixedOffset::east_opt(seconds_ahead)?).single()
}

/// Reads a number of at most four digits.
fn number<const DIGITS: usize>(text: [u8; DIGITS]) -> Option<u32> {
    text.into_iter().try_fold(0_u32, |number, digit| {
        digit.is_ascii_digit().then(|| number.saturating_mul(10).saturating_add(u32::from(digit - b'0')))
    })
}

#[cfg(test)]
mod tests {
    use super::parse_common_form;
    use chrono::DateTime;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_fast_path_agrees_with_the_library(
            text in "(0000|1970|20[0-9]{2}|9999)-[0-3][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9]\
                     (\\.[0-9]{1,4})?(Z|z|[+-][0-2][0-9]:?[0-6][0-9])"
        ) {
            if let Some(read) = parse_common_form(text.as_bytes()) {
                let expected = DateTime::parse_from_rfc3339(&text).unwrap();
                prop_assert_eq!((read, read.offset()), (expected, expected.offset()));
            }
        }
    }

    #[test]
    fn the_common_forms_use_the_fast_path() {
        for text in [
            "2026-03-08T23:10:00-05:00",
            "2024-02-29T00:00:00Z",
            "1970-01-01T00:00:00.000+00:00",
            "9999-12-31T23:59:59.999+14:00",
        ] {
            assert_eq!(parse_common_form(text.as_bytes()), DateTime::parse_from_rfc3339(text).ok(), "{text}");
            assert!(parse_common_form(text.as_bytes()).is_some());
        }
        for text in ["2026-02-29T00:00:00Z", "2026-03-08T23:10:60Z", "2026-03-08 23:10:00Z", "2026-03-08"] {
            assert!(parse_common_form(text.as_bytes()).is_none(), "{text}");
        }
    }
}
