//! Checks a password, within the limits against guessing (security.md T80 to T82, T84).
//!
//! Three counters stand before the hash, one after the other: the address block, the account, the account over a
//! day. Each attempt adds to a counter before it goes on, so that of racing attempts over many replicas no more
//! than the limit are ever hashed. The order matters: what the address is refused does not count against the
//! account, else one machine could lock everybody out; what the short window refuses does not count against the
//! day, else a burst would lock a person out until tomorrow.
//!
//! A browser in which the person has signed in with this password before has counters of the account of its own, of
//! the same size ([`domain::known_browser`]): strangers cannot use them up.
//!
//! The right password deletes the counters of the account that it was counted in. That of the address is shared with its neighbours: the
//! attempt alone is taken back. While it is under way it counts, afterwards only what failed counts, so that many
//! people behind one address sign in unhindered and a guesser cannot refill the budget with an account of their own.

use super::attempt_counters::AttemptCounters;
use crate::audit::append_refusal;
use crate::guessing::{AttemptLimit, AttemptRefused, count_attempt};
use crate::ports::storage::{CredentialReader, Credentials, FailureCounter, StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, PasswordHasher, PasswordHashingError};
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use domain::known_browser::is_known_browser;
use domain::password::{Password, PasswordHash};
use domain::secret::Secret;
use domain::user::Email;
use std::net::IpAddr;
use std::sync::Arc;

/// How often a password may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignInLimits {
    /// For one account, whoever tries; once more for the browsers that the account knows.
    pub per_account: AttemptLimit,
    /// For one account over a longer time, likewise: both together let no more than 100 failures in a row through
    /// (NIST SP 800-63B-4 section 3.2.2).
    pub per_account_and_day: AttemptLimit,
    /// For one address (IPv6: its /64), whatever the account. Right passwords do not count.
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

/// What a use case needs to check a password.
#[derive(Clone)]
pub struct SignInPorts {
    /// What a password is checked against.
    pub credentials: Arc<dyn CredentialReader>,
    /// Checks it.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Counts attempts.
    pub failures: Arc<dyn FailureCounter>,
    /// Where sessions, passwords and the audit trail are written.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
}

/// Why a password is not taken.
#[derive(Debug, thiserror::Error)]
pub enum PasswordCheckError {
    /// What was sent is no password at all: empty, or longer than any. Nothing was hashed.
    #[error("a password has 1 to 1024 bytes")]
    InvalidForm,
    /// No such account, a locked one, one without a password, or a wrong password; which of them is not told.
    #[error("the address or the password is wrong")]
    WrongCredentials,
    /// Too many were tried for this account or from this address. Nothing was hashed.
    #[error("too many attempts")]
    TooManyAttempts {
        /// After how many seconds the window ends.
        retry_after_seconds: u32,
    },
    /// As many passwords as may be are being hashed; a moment later there is room.
    #[error("too many passwords are being checked at this moment")]
    Busy,
    /// The stored hash is none, or the library failed.
    #[error("the password could not be hashed or checked")]
    HashingFailed,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<AttemptRefused> for PasswordCheckError {
    fn from(error: AttemptRefused) -> Self {
        match error {
            AttemptRefused::TooMany { retry_after_seconds, is_first: _ } => {
                Self::TooManyAttempts { retry_after_seconds }
            }
            AttemptRefused::Storage(error) => Self::Storage(error),
        }
    }
}

impl From<PasswordHashingError> for PasswordCheckError {
    fn from(error: PasswordHashingError) -> Self {
        match error {
            PasswordHashingError::Busy => Self::Busy,
            PasswordHashingError::Failed => Self::HashingFailed,
        }
    }
}

/// Who is said to have typed what, and where.
#[derive(Clone, Copy)]
pub(super) struct PasswordAttempt<'a> {
    /// The account's address, as typed.
    pub(super) email: &'a str,
    pub(super) password: &'a Password,
    pub(super) address: IpAddr,
    /// Whose account it has to be, when somebody is signed in.
    pub(super) owner: Option<UserId>,
    /// What the browser keeps of an earlier sign-in, if anything.
    pub(super) known_browser: Option<&'a Secret>,
}

/// Somebody who knows the password of an active account.
pub(super) struct ProvenPassword {
    pub(super) user_id: UserId,
    /// The hash that was checked. Whoever writes on the strength of it makes sure that it is still the one.
    pub(super) hash: PasswordHash,
    /// Whether it should be made anew with the parameters of today.
    pub(super) is_outdated: bool,
}

/// The one place where passwords are checked.
pub(super) struct PasswordCheckpoint {
    ports: SignInPorts,
    limits: SignInLimits,
}

impl PasswordCheckpoint {
    pub(super) const fn new(ports: SignInPorts, limits: SignInLimits) -> Self {
        Self { ports, limits }
    }

    pub(super) const fn ports(&self) -> &SignInPorts {
        &self.ports
    }

    /// Counts the attempt, hashes exactly once, and settles the counters. A refusal for an account that exists is
    /// written down.
    pub(super) async fn check(
        &self,
        attempt: PasswordAttempt<'_>,
    ) -> Result<ProvenPassword, PasswordCheckError> {
        let now = self.ports.clock.now();
        // Looked up before anything is counted for a browser alone that claims to be known: what a stranger is
        // refused costs no more than counting.
        let early = match attempt.known_browser {
            Some(_) => Some(self.find(&attempt).await?),
            None => None,
        };
        let is_known = early.as_ref().and_then(Option::as_ref).is_some_and(|found| knows(found, &attempt));
        let counters = AttemptCounters::of(&attempt, is_known);
        self.admit(&attempt, &counters, now).await?;
        let found = match early {
            Some(found) => found,
            None => self.find(&attempt).await?,
        };
        let stored = found.as_ref().and_then(|found| found.password.as_ref());
        let check = match self.ports.hasher.check(attempt.password, stored).await {
            Err(PasswordHashingError::Busy) => {
                self.take_back(&counters, now).await?;
                return Err(PasswordCheckError::Busy);
            }
            other => other?,
        };
        let user_id = found.as_ref().map(|found| found.user_id);
        let Some((user_id, hash)) = found.and_then(|found| proven(found, check.is_right)) else {
            self.note_refusal(user_id, &attempt, &counters).await?;
            return Err(PasswordCheckError::WrongCredentials);
        };
        let failures = &self.ports.failures;
        failures.forget(&[counters.account, counters.account_and_day]).await?;
        failures.take_back(&[counters.address], now).await?;
        Ok(ProvenPassword { user_id, hash, is_outdated: check.is_outdated })
    }

    async fn admit(
        &self,
        attempt: &PasswordAttempt<'_>,
        counters: &AttemptCounters,
        now: DateTime<Utc>,
    ) -> Result<(), PasswordCheckError> {
        let SignInLimits { per_account, per_account_and_day, per_address } = self.limits;
        for (key, limit, is_of_account) in [
            (counters.address, per_address, false),
            (counters.account, per_account, true),
            (counters.account_and_day, per_account_and_day, true),
        ] {
            let counted = count_attempt(self.ports.failures.as_ref(), key, limit, now).await;
            if let Err(AttemptRefused::TooMany { is_first: true, .. }) = counted {
                self.note_limit(is_of_account, attempt, counters).await?;
            }
            counted?;
        }
        Ok(())
    }

    /// Writes down that a limit was reached: once a window, so that whoever goes on guessing writes nothing. What
    /// hinders it does not open the limit.
    async fn note_limit(
        &self,
        is_of_account: bool,
        attempt: &PasswordAttempt<'_>,
        counters: &AttemptCounters,
    ) -> Result<(), StorageError> {
        let now = self.ports.clock.now();
        let event = self.event(AuditKind::SignInLimited, attempt, now);
        let event = if is_of_account {
            match self.find(attempt).await? {
                Some(found) => event.user(found.user_id),
                None => return self.stand_in(counters, now).await,
            }
        } else {
            event
        };
        append_refusal(self.ports.units.as_ref(), &event).await;
        Ok(())
    }

    /// Costs what an event costs, for an account that does not exist and has no trail, so that time does not tell it
    /// from one that does (security.md T80).
    async fn stand_in(&self, counters: &AttemptCounters, now: DateTime<Utc>) -> Result<(), StorageError> {
        let window = self.limits.per_address.window();
        self.ports.failures.record_failure(&[counters.unknown_account], now, window).await?;
        Ok(())
    }

    fn event(&self, kind: AuditKind, attempt: &PasswordAttempt<'_>, now: DateTime<Utc>) -> AuditEvent {
        let id = AuditEventId::from_uuid(self.ports.entropy.uuid());
        AuditEvent::new(id, now, kind, AuditActor::Person).from(AddressBlock::containing(attempt.address))
    }

    /// Takes an attempt back that nobody looked at, so that a busy server does not lock people out.
    async fn take_back(&self, counters: &AttemptCounters, at: DateTime<Utc>) -> Result<(), StorageError> {
        let keys = [counters.address, counters.account, counters.account_and_day];
        self.ports.failures.take_back(&keys, at).await
    }

    async fn find(&self, attempt: &PasswordAttempt<'_>) -> Result<Option<Credentials>, StorageError> {
        // Whether an address is well formed is known to whoever typed it, so not asking the store tells nothing.
        let Ok(email) = Email::parse(attempt.email) else { return Ok(None) };
        let found = self.ports.credentials.find_credentials(&email).await?;
        // An address may go to another account while somebody is signed in.
        Ok(found.filter(|found| attempt.owner.is_none_or(|owner| owner == found.user_id)))
    }

    /// Writes down that a password was refused.
    async fn note_refusal(
        &self,
        user_id: Option<UserId>,
        attempt: &PasswordAttempt<'_>,
        counters: &AttemptCounters,
    ) -> Result<(), StorageError> {
        let now = self.ports.clock.now();
        let Some(user_id) = user_id else { return self.stand_in(counters, now).await };
        let event = self.event(AuditKind::SignInRefused, attempt, now).user(user_id);
        let mut unit = self.ports.units.begin().await?;
        unit.audit().append(&event).await?;
        unit.commit().await
    }
}

/// Returns whether the attempt comes from a browser in which the owner of this account has signed in.
fn knows(found: &Credentials, attempt: &PasswordAttempt<'_>) -> bool {
    let known = attempt.known_browser.zip(found.password.as_ref());
    known.is_some_and(|(cookie, hash)| is_known_browser(cookie, found.user_id, hash))
}

/// Returns whose account it is and the hash, when the password is right and the account can be used.
fn proven(found: Credentials, is_right: bool) -> Option<(UserId, PasswordHash)> {
    let Credentials { user_id, status, password } = found;
    password.filter(|_| is_right && status.is_active()).map(|hash| (user_id, hash))
}
