//! How long the audit is kept.

use chrono::TimeDelta;

/// The longest that anything may be kept, in days: a hundred years.
pub const MAX_RETENTION_DAYS: u32 = 36_525;

/// Says that the audit cannot be kept for that long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the audit is kept for between 1 day and 36525 days")]
pub struct InvalidAuditRetention;

/// How long events and sums of reads are kept, in whole days, 1 to [`MAX_RETENTION_DAYS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditRetention {
    events_days: u32,
    reads_days: u32,
}

impl AuditRetention {
    /// How long events are kept when no setting says otherwise, in days: two years.
    pub const DEFAULT_EVENTS_DAYS: u32 = 730;
    /// How long sums of reads are kept when no setting says otherwise, in days: a year and a month.
    pub const DEFAULT_READS_DAYS: u32 = 400;

    /// Wraps numbers of days in range.
    pub const fn from_days(events_days: u32, reads_days: u32) -> Result<Self, InvalidAuditRetention> {
        if is_allowed(events_days) && is_allowed(reads_days) {
            Ok(Self { events_days, reads_days })
        } else {
            Err(InvalidAuditRetention)
        }
    }

    /// Returns how long events are kept.
    pub fn of_events(self) -> TimeDelta {
        TimeDelta::days(i64::from(self.events_days))
    }

    /// Returns how long sums of reads are kept.
    pub fn of_reads(self) -> TimeDelta {
        TimeDelta::days(i64::from(self.reads_days))
    }
}

impl Default for AuditRetention {
    fn default() -> Self {
        Self { events_days: Self::DEFAULT_EVENTS_DAYS, reads_days: Self::DEFAULT_READS_DAYS }
    }
}

const fn is_allowed(days: u32) -> bool {
    days >= 1 && days <= MAX_RETENTION_DAYS
}
