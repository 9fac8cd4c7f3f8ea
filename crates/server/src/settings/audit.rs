//! The section `audit`.

use super::problem::Problem;
use super::section::section;
use application::audit::{AuditRetention, InvalidAuditRetention, MAX_RETENTION_DAYS};

section! {
    /// Retention of the audit trail.
    AuditSettings("audit") {
        /// Retention of events: sign-ins, consent, tokens, operator commands.
        event_days: u32 = Some("730"), "days, 1 to 36525", "365";
        /// Retention of the read counts that people see.
        read_days: u32 = Some("400"), "days, 1 to 36525", "90";
    }
}

impl AuditSettings {
    /// Returns the retention of the audit trail.
    pub(crate) const fn retention(&self) -> Result<AuditRetention, InvalidAuditRetention> {
        AuditRetention::from_days(self.event_days, self.read_days)
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        [
            Problem::unless_within("audit.event_days", self.event_days, 1..=MAX_RETENTION_DAYS),
            Problem::unless_within("audit.read_days", self.read_days, 1..=MAX_RETENTION_DAYS),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
