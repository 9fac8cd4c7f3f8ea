//! Checks a password, within the limits against guessing (security.md T80 to T82, T84).
//!
//! Three counters stand before the hash, one after the other: the address block, the account, the account over a
//! day. Each attempt adds to a counter before it goes on, so that of racing attempts over many replicas no more
//! than the limit are ever hashed. The order matters: what the address is refused does not count against the
//! account, else one machine could lock everybody out; what the short window refuses does not count against the
//! day, else a burst would lock a person out until tomorrow.
//!
//! The right password deletes the counters of the account. That of the address is shared with its neighbours: the
//! attempt alone is taken back. While it is under way it counts, afterwards only what failed counts, so that many
//! people behind one address sign in unhindered and a guesser cannot refill the budget with an account of their own.

use super::attempt_counters::AttemptCounters;
use crate::guessing::{AttemptLimit, AttemptRefused, count_attempt};
use crate::ports::storage::{CredentialReader, Credentials, FailureCounter, StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, PasswordHasher, PasswordHashingError};
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use domain::password::{Password, PasswordHash};
use domain::user::Email;
use std::net::IpAddr;
use std::sync::Arc;

/// How often a password may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignInLimits {
    /// For one account, whoever tries.
    pub per_account: AttemptLimit,
    /// For one account over a longer time: no more than 100 failures in a row (NIST SP 800-63B-4 section 3.2.2).
    pub per_account_and_day: AttemptLimit,
    /// For one address (IPv6: its /64), whatever the account. Right passwords do not count.
    pub per_address: AttemptLimit,
}

impl Default for SignInLimits {
    fn default() -> Self {
        Self {
            per_account: AttemptLimit { attempts: 15, window_seconds: 600 },
            per_account_and_day: AttemptLimit { attempts: 100, window_seconds: 86_400 },
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
            AttemptRefused::TooMany { retry_after_seconds } => Self::TooManyAttempts { retry_after_seconds },
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
        let counters = AttemptCounters::of(&attempt);
        self.admit(&counters, now).await?;
        let found = self.find(&attempt).await?;
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

    async fn admit(&self, counters: &AttemptCounters, now: DateTime<Utc>) -> Result<(), AttemptRefused> {
        let failures = self.ports.failures.as_ref();
        count_attempt(failures, counters.address, self.limits.per_address, now).await?;
        count_attempt(failures, counters.account, self.limits.per_account, now).await?;
        count_attempt(failures, counters.account_and_day, self.limits.per_account_and_day, now).await
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

    /// Writes down that a password was refused. An account that does not exist has no trail; it costs a write all
    /// the same, so that time does not tell the two apart (security.md T80).
    async fn note_refusal(
        &self,
        user_id: Option<UserId>,
        attempt: &PasswordAttempt<'_>,
        counters: &AttemptCounters,
    ) -> Result<(), StorageError> {
        let now = self.ports.clock.now();
        let Some(user_id) = user_id else {
            let window = self.limits.per_address.window();
            self.ports.failures.record_failure(&[counters.unknown_account], now, window).await?;
            return Ok(());
        };
        let id = AuditEventId::from_uuid(self.ports.entropy.uuid());
        let event = AuditEvent::new(id, now, AuditKind::SignInRefused, AuditActor::Person)
            .user(user_id)
            .from(AddressBlock::of(attempt.address));
        let mut unit = self.ports.units.begin().await?;
        unit.audit().append(&event).await?;
        unit.commit().await
    }
}

/// Returns whose account it is and the hash, when the password is right and the account can be used.
fn proven(found: Credentials, is_right: bool) -> Option<(UserId, PasswordHash)> {
    let Credentials { user_id, status, password } = found;
    password.filter(|_| is_right && status.is_active()).map(|hash| (user_id, hash))
}
