//! The section `sessions`.

use super::problem::Problem;
use super::section::section;
use chrono::TimeDelta;
use domain::session::SessionLifetime;

section! {
    /// How long a browser stays signed in.
    SessionSettings("sessions") {
        /// Without a request.
        idle_minutes: u32 = Some("1440"), "minutes, 1 to 525600", "60";
        /// Since the sign-in.
        lifetime_hours: u32 = Some("720"), "hours, 1 to 8760", "24";
    }
}

impl SessionSettings {
    pub(crate) fn lifetime(&self) -> SessionLifetime {
        SessionLifetime {
            idle: TimeDelta::minutes(i64::from(self.idle_minutes)),
            absolute: TimeDelta::hours(i64::from(self.lifetime_hours)),
        }
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        [
            Problem::unless_within("sessions.idle_minutes", self.idle_minutes, 1..=525_600),
            Problem::unless_within("sessions.lifetime_hours", self.lifetime_hours, 1..=8_760),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
