//! The section `sessions`.

use super::section::section;
use chrono::TimeDelta;
use domain::session::SessionLifetime;

section! {
    /// How long a browser stays signed in.
    SessionSettings("sessions") {
        /// Maximum time without a request.
        idle_minutes: u32 = Some("1440"), "minutes" in 1..=525_600, "60";
        /// Maximum time since the sign-in.
        lifetime_hours: u32 = Some("720"), "hours" in 1..=8760, "24";
    }
}

impl SessionSettings {
    pub(crate) fn lifetime(&self) -> SessionLifetime {
        SessionLifetime {
            idle: TimeDelta::minutes(i64::from(self.idle_minutes)),
            absolute: TimeDelta::hours(i64::from(self.lifetime_hours)),
        }
    }
}
