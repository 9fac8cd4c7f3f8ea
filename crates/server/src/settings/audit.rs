//! The section `audit`.

use super::section::section;
use application::audit::{AuditRetention, InvalidAuditRetention};

section! {
    /// Retention of the audit trail.
    AuditSettings("audit") {
        /// Retention of events: sign-ins, consent, tokens, operator commands.
        event_days: u32 = Some("730"), "days" in 1..=36_525, "365";
        /// Retention of the read counts that people see.
        read_days: u32 = Some("400"), "days" in 1..=36_525, "90";
    }
}

impl AuditSettings {
    /// Returns the retention of the audit trail.
    pub(crate) const fn retention(&self) -> Result<AuditRetention, InvalidAuditRetention> {
        AuditRetention::from_days(self.event_days, self.read_days)
    }
}
