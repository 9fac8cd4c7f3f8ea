//! Local start of a session, which only the name of its file contains.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::time::UtcOffset;

/// Start in a name such as `2026-03-10T22_30_00+01_00_SLEEP.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedStart {
    instant: DateTime<Utc>,
    offset: UtcOffset,
}

impl NamedStart {
    /// Parses a name in lower case; `None` for a file that was renamed.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (start, _) = name.split_once("_sleep")?;
        let (local, offset) = start.split_at_checked(start.len().checked_sub(6)?)?;
        let offset = UtcOffset::parse(&offset.replace('_', ":")).ok()?;
        let local = NaiveDateTime::parse_from_str(local, "%Y-%m-%dt%H_%M_%S%.f").ok()?;
        let shift = TimeDelta::seconds(i64::from(offset.seconds()));
        Some(Self { instant: local.and_utc().checked_sub_signed(shift)?, offset })
    }

    /// Returns the offset if a session starts at this time, to the second.
    pub(super) fn offset_of(self, start: DateTime<Utc>) -> Option<UtcOffset> {
        (self.instant.timestamp() == start.timestamp()).then_some(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::NamedStart;
    use chrono::DateTime;

    #[test]
    fn a_name_has_the_local_start_with_its_offset() {
        let start = DateTime::from_timestamp(1_773_178_200, 276_000_000).unwrap();
        for (name, minutes) in [
            ("2026-03-10t22_30_00+01_00_sleep.json", 60),
            ("2026-03-10t22_30_00.276+01_00_sleep(1).json", 60),
            ("2026-03-10t14_30_00-07_00_sleep.json", -420),
        ] {
            let offset = NamedStart::parse(name).and_then(|named| named.offset_of(start));
            assert_eq!(offset.map(domain::time::UtcOffset::minutes), Some(minutes), "{name}");
        }
        let other = NamedStart::parse("2026-03-10t22_30_01+01_00_sleep.json").unwrap();
        assert_eq!(other.offset_of(start), None);
    }

    #[test]
    fn another_name_has_no_offset() {
        for name in [
            "",
            "_sleep",
            "sleep.json",
            "é_sleep",
            "2026-03-10t22_30_00+01_00.json",
            "2026-03-10t22_30_00z_sleep.json",
        ] {
            assert_eq!(NamedStart::parse(name), None, "{name}");
        }
    }
}
