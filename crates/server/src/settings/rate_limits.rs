//! The section `rate_limits`.

use super::problem::Problem;
use super::secret_text::SecretText;
use super::section::section;
use application::access::DailyLimits;
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use redis_adapter::RedisOptions;
use std::path::PathBuf;
use std::time::Duration;

section! {
    /// Daily limits (UTC) per client, person and endpoint, and the store that counts them for all replicas.
    RateLimitSettings("rate_limits") {
        /// Profile reads.
        profile: u32 = Some("1000"), "requests a day" in 1..=1_000_000_000, "1000";
        /// Sleep reads.
        sleep: u32 = Some("10000"), "requests a day" in 1..=1_000_000_000, "20000";
        /// Supplement reads.
        supplements: u32 = Some("10000"), "requests a day" in 1..=1_000_000_000, "20000";
        /// Reads of the change feed.
        changes: u32 = Some("10000"), "requests a day" in 1..=1_000_000_000, "20000";
        /// Exports.
        export: u32 = Some("100"), "requests a day" in 1..=1_000_000_000, "10";
        /// Writes by backends.
        ingest: u32 = Some("10000"), "requests a day" in 1..=1_000_000_000, "100000";
        /// Redis or Valkey server in which all replicas count requests together:
        /// `redis://user:password@host:6379/0`, `rediss://` (TLS) or `redis+unix:///path/to/socket`. Without
        /// it each process counts separately.
        store_url: Option<SecretText> = None, "URL", "rediss://restwell@cache.example.org:6379/0";
        /// File that contains `rate_limits.store_url`.
        store_url_file: Option<PathBuf> = None, "path", "/run/secrets/restwell-rate-limits-url";
        /// PEM file with the authorities of a `rediss://` certificate. Default: those of the operating
        /// system.
        store_certificates_file: Option<PathBuf> = None, "path", "/etc/restwell/redis-ca.pem";
        /// Maximum wait for the shared counter. After one timeout each process counts separately until the
        /// store is back.
        store_timeout_milliseconds: u32 = Some("100"), "milliseconds" in 1..=10_000, "50";
    }
}

impl RateLimitSettings {
    /// Returns the daily limits by endpoint.
    pub(crate) fn daily_limits(&self) -> DailyLimits {
        let limit = |endpoint| match endpoint {
            PersonEndpoint::Data(DataKind::Profile) => self.profile,
            PersonEndpoint::Data(DataKind::Sleep) => self.sleep,
            PersonEndpoint::Data(DataKind::Supplements) => self.supplements,
            PersonEndpoint::Changes => self.changes,
            PersonEndpoint::Export => self.export,
            PersonEndpoint::Ingest => self.ingest,
        };
        PersonEndpoint::all().map(|endpoint| (endpoint, limit(endpoint))).collect()
    }

    /// Returns the shared store of the counters; `None` if each process counts separately.
    pub(crate) fn store(&self) -> Result<Option<RedisOptions>, Problem> {
        let Some(url) = &self.store_url else {
            return match &self.store_certificates_file {
                None => Ok(None),
                Some(_) => Err(Problem::new(
                    "rate_limits.store_certificates_file",
                    "is set, but rate_limits.store_url is not",
                )),
            };
        };
        let timeout = Duration::from_millis(u64::from(self.store_timeout_milliseconds));
        RedisOptions::parse(url.expose(), self.store_certificates_file.as_deref(), timeout)
            .map(Some)
            .map_err(|reason| Problem::new("rate_limits.store_url", reason.to_string()))
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        self.store().err().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::{Settings, Variables};

    fn refused(pairs: &[(&str, &str)]) -> String {
        let variables: Variables =
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Settings::from_sources(None, &variables).unwrap_err().to_string()
    }

    #[test]
    fn a_store_that_could_not_be_one_is_refused_without_its_password() {
        for url in ["http://u:HIDDEN@h", "redis://u:HIDDEN@h/name", "rediss://u:HIDDEN@h#insecure", "HIDDEN"]
        {
            let text = refused(&[("RESTWELL__RATE_LIMITS__STORE_URL", url)]);
            assert!(text.contains("rate_limits.store_url") && !text.contains("HIDDEN"), "{text}");
        }
    }

    #[test]
    fn a_time_out_out_of_range_and_certificates_without_a_store_are_refused() {
        for milliseconds in ["0", "10001"] {
            let text = refused(&[("RESTWELL__RATE_LIMITS__STORE_TIMEOUT_MILLISECONDS", milliseconds)]);
            assert!(text.contains("rate_limits.store_timeout_milliseconds"), "{text}");
        }
        let text = refused(&[("RESTWELL__RATE_LIMITS__STORE_CERTIFICATES_FILE", "/etc/ca.pem")]);
        assert!(text.contains("rate_limits.store_certificates_file"), "{text}");
    }

    #[test]
    fn the_url_may_be_in_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "redis://u:HIDDEN@h:7000/2\n").unwrap();
        let path = file.path().display().to_string();
        let pairs = [("RESTWELL__RATE_LIMITS__STORE_URL_FILE", path.as_str())];
        let variables: Variables =
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let settings = Settings::from_sources(None, &variables).unwrap();
        let store = settings.rate_limits.store().unwrap().unwrap();
        assert_eq!(store.to_string(), "redis://h:7000/2");
        assert!(!format!("{settings:?}").contains("HIDDEN"));
    }
}
