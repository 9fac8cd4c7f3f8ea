//! The section `audit`.

use super::problem::Problem;
use super::section::section;
use application::audit::{AuditRetention, InvalidAuditRetention, MAX_RETENTION_DAYS};

section! {
    /// How long it is kept who did what.
    AuditSettings("audit") {
        /// How long events are kept: sign-ins, consent, tokens, what the operator did.
        event_days: u32 = Some("730"), "days, 1 to 36525", "365";
        /// How long the sums of reads are kept, from which people see who read their data.
        read_days: u32 = Some("400"), "days, 1 to 36525", "90";
    }
}

impl AuditSettings {
    /// Returns how long the audit is kept.
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
