//! Shared arguments, and parsers of those that are no domain values.

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use clap::Args;
use domain::audit::AuditKind;
use domain::code::CodeLifetime;
use domain::scope::{Scope, ScopeSet};
use domain::time::UtcOffset;

/// Output options of a list.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Parses the kind of an audit event.
pub(crate) fn audit_kind(text: &str) -> Result<AuditKind, String> {
    AuditKind::parse(text).ok_or_else(|| {
        let known: Vec<&str> = AuditKind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("unknown kind; known kinds are {}", known.join(", "))
    })
}

/// Parses a time with its offset (RFC 3339).
pub(crate) fn moment(text: &str) -> Result<DateTime<Utc>, String> {
    let parsed = DateTime::parse_from_rfc3339(text);
    parsed.map(|at| at.to_utc()).map_err(|_| "not a time such as 2026-11-21T08:00:00Z".to_owned())
}

/// Parses the start of a recording, with the local offset (RFC 3339).
pub(crate) fn recording_start(text: &str) -> Result<DateTime<FixedOffset>, String> {
    let parsed = DateTime::parse_from_rfc3339(text).ok();
    let known = parsed.filter(|at| UtcOffset::from_seconds(at.offset().local_minus_utc()).is_some());
    known.ok_or_else(|| "not a date and time with an offset, such as 2026-01-10T22:30:00+01:00".to_owned())
}

pub(crate) fn scopes(scopes: &[Scope]) -> ScopeSet {
    scopes.iter().copied().collect()
}

/// Parses the lifetime of a code, such as `60s` or `10m`.
pub(crate) fn code_lifetime(text: &str) -> Result<CodeLifetime, String> {
    let seconds = u32::try_from(seconds(text)?).unwrap_or(u32::MAX);
    CodeLifetime::from_seconds(seconds).map_err(|error| error.to_string())
}

/// Parses a duration up to 100 days, such as `90`, `60s`, `10m`, `24h` or `7d`.
pub(crate) fn span(text: &str) -> Result<TimeDelta, String> {
    span_up_to(text, TimeDelta::days(100))
}

/// Parses a duration up to `max`, which is in whole days.
pub(crate) fn span_up_to(text: &str, max: TimeDelta) -> Result<TimeDelta, String> {
    let seconds = i64::try_from(seconds(text)?).ok();
    let span = seconds.and_then(TimeDelta::try_seconds).filter(|span| *span <= max);
    span.ok_or_else(|| format!("at most {} days", max.num_days()))
}

/// Parses a lifetime in whole days, such as `90d`.
pub(crate) fn days(text: &str) -> Result<u32, String> {
    const DAY: u64 = 86_400;
    let seconds = seconds(text)?;
    let days = u32::try_from(seconds / DAY).ok().filter(|days| *days > 0 && seconds % DAY == 0);
    days.ok_or_else(|| "enter whole days, such as 90d".to_owned())
}

fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || "enter a whole number with s, m, h or d, such as 60s or 10m".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.strip_prefix(digits) {
        Some("" | "s") => 1,
        Some("m") => 60,
        Some("h") => 3600,
        Some("d") => 86_400,
        _ => return Err(wrong()),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_a_number_with_a_unit() {
        for (text, expected) in [("90", 90), ("60s", 60), ("10m", 600), ("2h", 7200), ("1d", 86_400)] {
            assert_eq!(span(text), Ok(TimeDelta::seconds(expected)), "{text}");
        }
        for text in ["", "s", "1.5m", "-1s", "+1s", "1 m", "1ms", "101d", "99999999999999999999d"] {
            assert!(span(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_lifetime_in_days_is_whole() {
        assert_eq!([days("1d"), days("90d"), days("48h")], [Ok(1), Ok(90), Ok(2)]);
        for text in ["0d", "0", "12h", "90", "36h", "d", "-1d", "99999999999d"] {
            assert!(days(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_recording_starts_at_a_time_with_an_offset() {
        let start = recording_start("2026-01-10T22:30:00.5+01:00").unwrap();
        assert_eq!(start.to_rfc3339(), "2026-01-10T22:30:00.500+01:00");
        assert!(recording_start("2026-01-10T22:30:00Z").is_ok());
        for text in ["", "2026-01-10", "22:30", "2026-01-10T22:30:00", "2026-01-10T22:30:00+19:00"] {
            assert!(recording_start(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_maximum_lifetime_of_a_code_is_ten_minutes() {
        assert_eq!(code_lifetime("10m"), Ok(CodeLifetime::MAX));
        for text in ["601", "0s", "1h", "99999999999"] {
            assert!(code_lifetime(text).is_err(), "{text}");
        }
    }
}
