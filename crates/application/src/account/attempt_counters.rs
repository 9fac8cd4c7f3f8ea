//! The counters that a password attempt adds to.

use super::password_check::PasswordAttempt;
use crate::guessing::failure_key;
use crate::ports::storage::FailureKey;
use domain::address::AddressBlock;

/// The keys of one attempt.
pub(super) struct AttemptCounters {
    pub(super) account: FailureKey,
    pub(super) account_and_day: FailureKey,
    pub(super) address: FailureKey,
    /// Limits nothing: see where it is written.
    pub(super) unknown_account: FailureKey,
}

impl AttemptCounters {
    /// Takes an ill-formed email address as it is: it counts like one that nobody has. A browser that the account
    /// knows is counted apart from strangers, so that these cannot use up its attempts.
    pub(super) fn of(attempt: &PasswordAttempt<'_>, is_known_browser: bool) -> Self {
        let [account, account_and_day, known, known_and_day] = account_counters(attempt.email);
        let [account, account_and_day] =
            if is_known_browser { [known, known_and_day] } else { [account, account_and_day] };
        let block = AddressBlock::containing(attempt.address).to_string();
        Self {
            account,
            account_and_day,
            address: failure_key(&["sign-in/address", &block]),
            unknown_account: failure_key(&["sign-in/unknown-account", &block]),
        }
    }
}

/// Makes the keys of the counters of an account: those of the short window and of the day for strangers, then the
/// same two for the browsers that it knows.
pub(crate) fn account_counters(email: &str) -> [FailureKey; 4] {
    // The same rule as `Email::normalised`, for texts that are no address as well.
    let account = email.to_lowercase();
    [
        failure_key(&["sign-in/account", &account]),
        failure_key(&["sign-in/account-and-day", &account]),
        failure_key(&["sign-in/known-browser", &account]),
        failure_key(&["sign-in/known-browser-and-day", &account]),
    ]
}
