//! The section `rate_limits`.

use super::problem::Problem;
use super::section::section;
use application::access::DailyLimits;

section! {
    /// How many requests a client may make for one person in a UTC day, by endpoint.
    RateLimitSettings("rate_limits") {
        /// Requests to the profile endpoint.
        profile: u32 = Some("1000"), "requests a day, 1 to 1000000000", "1000";
        /// Requests to the sleep endpoint.
        sleep: u32 = Some("10000"), "requests a day, 1 to 1000000000", "20000";
        /// Requests to the supplements endpoint.
        supplements: u32 = Some("10000"), "requests a day, 1 to 1000000000", "20000";
        /// Pages of changes.
        changes: u32 = Some("10000"), "requests a day, 1 to 1000000000", "20000";
        /// Exports of everything.
        export: u32 = Some("100"), "requests a day, 1 to 1000000000", "10";
        /// Requests of first-party backends that write, whatever they write.
        ingest: u32 = Some("10000"), "requests a day, 1 to 1000000000", "100000";
    }
}

impl RateLimitSettings {
    /// Returns the limits by endpoint.
    pub(crate) const fn daily_limits(&self) -> DailyLimits {
        let Self { profile, sleep, supplements, changes, export, ingest, .. } = *self;
        DailyLimits { profile, sleep, supplements, changes, export, ingest }
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let limits = [
            ("profile", self.profile),
            ("sleep", self.sleep),
            ("supplements", self.supplements),
            ("changes", self.changes),
            ("export", self.export),
            ("ingest", self.ingest),
        ];
        limits
            .into_iter()
            .filter_map(|(name, limit)| {
                Problem::unless_within(&format!("rate_limits.{name}"), limit, 1..=1_000_000_000)
            })
            .collect()
    }
}
