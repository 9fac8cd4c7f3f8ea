//! Retention of audit data.

use chrono::TimeDelta;

/// Maximum retention in days: a hundred years.
pub const MAX_RETENTION_DAYS: u32 = 36_525;

/// The retention is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the retention of the audit trail must be 1 to 36525 days")]
pub struct InvalidAuditRetention;

/// Retention of events and read tallies in whole days, 1 to [`MAX_RETENTION_DAYS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditRetention {
    events_days: u32,
    reads_days: u32,
}

impl AuditRetention {
    /// Default retention of events in days: two years.
    pub const DEFAULT_EVENTS_DAYS: u32 = 730;
    /// Default retention of read tallies in days: 13 months.
    pub const DEFAULT_READS_DAYS: u32 = 400;

    /// Creates a retention; fails if a number of days is out of range.
    pub const fn from_days(events_days: u32, reads_days: u32) -> Result<Self, InvalidAuditRetention> {
        if is_allowed(events_days) && is_allowed(reads_days) {
            Ok(Self { events_days, reads_days })
        } else {
            Err(InvalidAuditRetention)
        }
    }

    /// Returns the retention of events.
    pub fn of_events(self) -> TimeDelta {
        TimeDelta::days(i64::from(self.events_days))
    }

    /// Returns the retention of read tallies.
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
