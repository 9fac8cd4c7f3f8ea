//! The section `accounts`.

use super::problem::Problem;
use super::section::{SettingValue, section};
use application::account::LinkRequestLimits;
use application::attempt_limit::AttemptLimit;
use application::authorization::ANONYMOUS_REQUESTS;
use application::session::SignInLimits;
use serde::Deserialize;

const DAY_SECONDS: u32 = 86_400;

section! {
    /// Sign-up, and limits against guessing passwords.
    AccountSettings("accounts") {
        /// Whether people may sign up themselves, which needs `mail.host`. Otherwise the operator creates
        /// accounts.
        sign_up_open: bool = Some("false"), "true or false", "false";
        /// `required`: nobody is signed in without a second factor. People without one set it up as they sign
        /// in.
        second_factor: SecondFactorPolicy = Some("optional"), "optional or required", "required";
        /// Wrong passwords per account within the window. Browsers known to the account have a separate
        /// budget of the same size.
        sign_in_per_account: u32 = Some("10"), "failures" in 1..=1_000_000, "15";
        /// Wrong passwords per account and day, with the same two budgets. NIST SP 800-63B-4 allows 100 in
        /// total.
        sign_in_per_account_a_day: u32 = Some("50"), "failures" in 1..=1_000_000, "25";
        /// Wrong passwords per address (IPv6: per /64) within the window.
        sign_in_per_address: u32 = Some("100"), "failures" in 1..=1_000_000, "50";
        /// Password and sign-up links per address (IPv6: per /64) and hour. Raise it if all callers share a
        /// proxy's address.
        links_per_address: u32 = Some("20"), "requests" in 1..=1_000_000, "1000";
        /// Authorization requests without a signed-in person, per address (IPv6: per /64) in ten minutes.
        /// Raise it if all callers share a proxy's address.
        app_requests_per_address: u32 = Some("300"), "requests" in 1..=1_000_000, "10000";
        /// Length of the window of these limits.
        failure_window_seconds: u32 = Some("600"), "seconds" in 1..=86_400, "900";
    }
}

/// Whether people must have a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SecondFactorPolicy {
    Optional,
    Required,
}

impl From<SecondFactorPolicy> for domain::second_factor::SecondFactorPolicy {
    fn from(policy: SecondFactorPolicy) -> Self {
        match policy {
            SecondFactorPolicy::Optional => Self::Optional,
            SecondFactorPolicy::Required => Self::Required,
        }
    }
}

impl SettingValue for SecondFactorPolicy {
    const KIND: &'static str = "optional or required";

    fn format_value(&self) -> String {
        domain::second_factor::SecondFactorPolicy::from(*self).as_str().to_owned()
    }
}

impl AccountSettings {
    /// Returns the limits against guessing passwords.
    pub(crate) const fn sign_in_limits(&self) -> SignInLimits {
        let window_seconds = self.failure_window_seconds;
        SignInLimits {
            per_account: AttemptLimit { attempts: self.sign_in_per_account, window_seconds },
            per_account_and_day: AttemptLimit {
                attempts: self.sign_in_per_account_a_day,
                window_seconds: DAY_SECONDS,
            },
            per_address: AttemptLimit { attempts: self.sign_in_per_address, window_seconds },
        }
    }

    /// Returns the limits on requests for links.
    pub(crate) fn link_limits(&self) -> LinkRequestLimits {
        let usual = LinkRequestLimits::default();
        let per_address = AttemptLimit { attempts: self.links_per_address, ..usual.per_address };
        LinkRequestLimits { per_address, ..usual }
    }

    /// Returns the limit on authorization requests per address before sign-in.
    pub(crate) const fn app_request_limit(&self) -> AttemptLimit {
        AttemptLimit { attempts: self.app_requests_per_address, ..ANONYMOUS_REQUESTS }
    }

    pub(super) fn problems(&self, mail_is_set: bool) -> Vec<Problem> {
        let needs_mail = (self.sign_up_open && !mail_is_set).then(|| {
            Problem::new(
                "accounts.sign_up_open",
                "requires email, because sign-up sends a link; set mail.host",
            )
        });
        needs_mail.into_iter().collect()
    }
}
