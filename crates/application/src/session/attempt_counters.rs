//! Limits of password attempts, and the keys of their counters.

use crate::attempt_limit::{AttemptLimit, failure_key};
use crate::ports::storage::FailureKey;
use domain::address::AddressBlock;
use domain::pending_sign_in::PendingSignIn;
use std::net::IpAddr;

/// Rate limits for password attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignInLimits {
    /// Per account, from any address; known browsers have a separate counter with the same limit.
    pub per_account: AttemptLimit,
    /// Per account over a longer window, with the same separation. Together with the short window this allows
    /// at most 100 consecutive failures (NIST SP 800-63B-4 section 3.2.2).
    pub per_account_and_day: AttemptLimit,
    /// Per network address (IPv6: /64), for any account. Correct passwords do not count.
    pub per_address: AttemptLimit,
}

impl Default for SignInLimits {
    fn default() -> Self {
        Self {
            per_account: AttemptLimit { attempts: 10, window_seconds: 600 },
            per_account_and_day: AttemptLimit { attempts: 50, window_seconds: 86_400 },
            per_address: AttemptLimit { attempts: 100, window_seconds: 600 },
        }
    }
}

pub(crate) struct AttemptCounters {
    pub(crate) account: FailureKey,
    pub(crate) account_and_day: FailureKey,
    pub(crate) address: FailureKey,
    /// Enforces no limit: see `PasswordCheckpoint::simulate_audit_event`.
    pub(crate) unknown_account: FailureKey,
}

impl AttemptCounters {
    /// Returns the keys of an attempt. A malformed email address is counted like an unknown one. Known
    /// browsers have separate counters, so strangers cannot use up their attempts.
    pub(crate) fn new(email: &str, address: IpAddr, is_known_browser: bool) -> Self {
        let [account, account_and_day, known, known_and_day] = account_counters(email);
        let [account, account_and_day] =
            if is_known_browser { [known, known_and_day] } else { [account, account_and_day] };
        let block = AddressBlock::containing(address).to_string();
        Self {
            account,
            account_and_day,
            address: address_counter(address),
            unknown_account: failure_key(&["sign-in/unknown-account", &block]),
        }
    }
}

/// Returns the counter keys of the second step of a sign-in: account, account over a day, and address. Only
/// people who know the password can use them up; known browsers have separate ones.
pub(crate) fn second_step_counters(pending: &PendingSignIn, address: IpAddr) -> [FailureKey; 3] {
    let (user_id, block) = (pending.user_id.to_string(), AddressBlock::containing(address).to_string());
    let [account, account_and_day] = if pending.is_known_browser {
        ["second-step/known-browser", "second-step/known-browser-and-day"]
    } else {
        ["second-step/account", "second-step/account-and-day"]
    };
    [
        failure_key(&[account, &user_id]),
        failure_key(&[account_and_day, &user_id]),
        failure_key(&["second-step/address", &block]),
    ]
}

/// Returns the counter key of an address, shared by passwords and passkeys.
pub(crate) fn address_counter(address: IpAddr) -> FailureKey {
    failure_key(&["sign-in/address", &AddressBlock::containing(address).to_string()])
}

/// Returns the counter keys of an account: the short window and the day for strangers, then the same two for
/// known browsers.
pub(crate) fn account_counters(email: &str) -> [FailureKey; 4] {
    // Same rule as `Email::normalised`, but applied to malformed addresses as well.
    let account = email.to_lowercase();
    [
        failure_key(&["sign-in/account", &account]),
        failure_key(&["sign-in/account-and-day", &account]),
        failure_key(&["sign-in/known-browser", &account]),
        failure_key(&["sign-in/known-browser-and-day", &account]),
    ]
}
