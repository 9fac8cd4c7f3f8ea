//! Validity period of a certificate.

use application::ports::system::Clock as _;
use chrono::{DateTime, TimeDelta, Utc};
use rustls::pki_types::CertificateDer;
use system_adapter::SystemClock;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;
use x509_cert::time::Time;

/// Time before the expiry at which warnings start; ACME renews at twice that time.
const WARN_BEFORE: TimeDelta = TimeDelta::days(14);

/// Validity period of a certificate chain: the intersection of the periods of its certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    from: DateTime<Utc>,
    until: DateTime<Utc>,
}

impl Period {
    /// Reads the period; `None` if a certificate cannot be parsed.
    pub(crate) fn from_chain(chain: &[CertificateDer<'_>]) -> Option<Self> {
        let periods: Option<Vec<Self>> = chain.iter().map(Self::of_one).collect();
        periods?
            .into_iter()
            .reduce(|one, other| Self { from: one.from.max(other.from), until: one.until.min(other.until) })
    }

    fn of_one(certificate: &CertificateDer<'_>) -> Option<Self> {
        let validity = Certificate::from_der(certificate).ok()?.tbs_certificate.validity;
        Some(Self { from: moment(validity.not_before)?, until: moment(validity.not_after)? })
    }

    pub(super) const fn until(self) -> DateTime<Utc> {
        self.until
    }

    /// Returns what is wrong with the period today. Uses this machine's clock, because clients check the
    /// certificate by their clocks, not by the store's.
    pub(crate) fn warning_today(self) -> Option<String> {
        self.warning(SystemClock.now())
    }

    fn warning(self, now: DateTime<Utc>) -> Option<String> {
        let Self { from, until } = self;
        if until < now {
            Some(format!(
                "the certificate of this server, or an intermediate in its file, expired on {}; whole days since: {}",
                day(until),
                (now - until).num_days()
            ))
        } else if now < from {
            Some(format!(
                "the certificate of this server, or an intermediate in its file, is valid only from {from}; whole days until then: {}",
                (from - now).num_days()
            ))
        } else if until - now < WARN_BEFORE {
            let left = (until - now).num_days();
            let end = day(until);
            Some(format!(
                "the certificate of this server, or an intermediate in its file, expires on {end}; whole days left: {left}"
            ))
        } else {
            None
        }
    }
}

fn moment(time: Time) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(i64::try_from(time.to_unix_duration().as_secs()).ok()?, 0)
}

fn day(moment: DateTime<Utc>) -> String {
    moment.date_naive().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    fn certificate(from: (i32, u8, u8), until: (i32, u8, u8)) -> CertificateDer<'static> {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_before = date_time_ymd(from.0, from.1, from.2);
        params.not_after = date_time_ymd(until.0, until.1, until.2);
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().clone()
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_chain_is_valid_while_all_its_certificates_are() {
        let (server, between) =
            (certificate((2026, 1, 1), (2026, 6, 1)), certificate((2020, 1, 1), (2026, 5, 1)));
        let alone = Period { from: at("2026-01-01T00:00:00Z"), until: at("2026-06-01T00:00:00Z") };
        assert_eq!(Period::from_chain(std::slice::from_ref(&server)), Some(alone));
        let chain = [server, between];
        assert_eq!(Period::from_chain(&chain), Some(Period { until: at("2026-05-01T00:00:00Z"), ..alone }));
        assert_eq!(Period::from_chain(&[]), None);
        assert_eq!(Period::from_chain(&[CertificateDer::from(vec![1, 2, 3])]), None);
    }

    #[test]
    fn years_that_need_four_digits_are_read() {
        let until = Period::from_chain(&[certificate((2026, 1, 1), (2099, 12, 31))]).unwrap().until();
        assert_eq!(until, at("2099-12-31T00:00:00Z"));
    }

    #[test]
    fn expiring_expired_and_not_yet_valid_certificates_cause_a_warning() {
        let period = Period { from: at("2026-01-01T00:00:00Z"), until: at("2026-06-01T00:00:00Z") };
        let message = |now: &str| period.warning(at(now)).unwrap_or_default();
        assert!(message("2025-12-31T23:59:59Z").contains("valid only from 2026-01-01"));
        assert_eq!(message("2026-01-01T00:00:00Z"), "");
        assert_eq!(message("2026-05-18T00:00:00Z"), "");
        let soon = message("2026-05-18T00:00:01Z");
        assert!(soon.contains("expires on 2026-06-01; whole days left: 13"), "{soon}");
        assert!(message("2026-06-01T00:00:00Z").contains("whole days left: 0"));
        assert!(message("2026-06-01T00:00:01Z").contains("expired on 2026-06-01"));
    }
}
