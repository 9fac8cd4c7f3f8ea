//! Checks a password within the limits on guessing (security.md T80 to T82, T84).
//!
//! Three counters are checked before the hash, in this order: the address block, the account, the account
//! over a day. Each attempt increments a counter before it continues. Concurrent attempts on several replicas
//! therefore never hash more than the limit.
//!
//! The order matters. Attempts rejected for their address do not count for the account: otherwise one machine
//! could lock every account. Attempts rejected by the short window do not count for the day: otherwise a
//! burst would lock a user out until the next day.
//!
//! A browser in which the user signed in with this password before has separate account counters with the
//! same limits ([`domain::known_browser`]). Strangers cannot use these up.
//!
//! A correct password deletes the account counters it was counted in. The address counter is shared with
//! other users, so only this attempt is subtracted. Many users behind one address can then sign in freely,
//! and an attacker cannot reset the counter with an account they own.

use crate::attempt_limit::{AttemptRejected, count_attempt, from_attempt_rejected};
use crate::ports::storage::{CredentialReader, Credentials, FailureCounter, StorageError};
use crate::ports::system::{PasswordHasher, PasswordHashingError};
use crate::session::{AttemptCounters, SignInLimits};
use crate::store::{Store, transact};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use domain::known_browser::is_known_browser;
use domain::password::{Password, PasswordHash};
use domain::secret::Secret;
use domain::user::Email;
use std::net::IpAddr;
use std::sync::Arc;

/// Why a password check fails.
#[derive(Debug, thiserror::Error)]
pub enum PasswordCheckError {
    /// The input is empty or longer than any password. Nothing was hashed.
    #[error("a password has 1 to 1024 bytes")]
    InvalidForm,
    /// The account is unknown, locked or has no password, or the password is wrong; the caller does not learn
    /// which.
    #[error("the address or the password is wrong")]
    WrongCredentials,
    /// The limit of this account or of this address is reached. Nothing was hashed.
    #[error("too many attempts")]
    TooManyAttempts {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
    },
    /// The password could not be hashed.
    #[error(transparent)]
    Hashing(#[from] PasswordHashingError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

from_attempt_rejected!(PasswordCheckError, TooManyAttempts);

/// A password attempt.
#[derive(Clone, Copy)]
pub(super) struct PasswordAttempt<'a> {
    /// Email address of the account, as typed.
    pub(super) email: &'a str,
    pub(super) password: &'a Password,
    pub(super) address: IpAddr,
    /// Required owner of the account, if a user is signed in.
    pub(super) owner: Option<UserId>,
    /// Known-browser cookie of an earlier sign-in, if any.
    pub(super) known_browser: Option<&'a Secret>,
}

/// Result of a successful password check.
pub(super) struct ProvenPassword {
    pub(super) user_id: UserId,
    /// The hash that was checked. Writers must verify in their transaction that it is still the stored one.
    pub(super) hash: PasswordHash,
    /// Whether the hash uses outdated parameters and should be replaced.
    pub(super) is_outdated: bool,
}

/// The single entry point for password checks.
pub struct PasswordCheckpoint {
    /// The store.
    pub store: Store,
    /// Reader of stored credentials.
    pub credentials: Arc<dyn CredentialReader>,
    /// Password hasher.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Attempt counters.
    pub failures: Arc<dyn FailureCounter>,
    /// Limits on guessing.
    pub limits: SignInLimits,
}

impl PasswordCheckpoint {
    /// Counts the attempt, hashes exactly once, and settles the counters. A failure for an existing account
    /// is recorded in the audit trail.
    pub(super) async fn check(
        &self,
        attempt: PasswordAttempt<'_>,
    ) -> Result<ProvenPassword, PasswordCheckError> {
        let now = self.store.now();
        // Looked up before counting only if the browser presents a known-browser cookie, so that rejecting a
        // stranger costs no more than the counters.
        let early = match attempt.known_browser {
            Some(_) => Some(self.find(&attempt).await?),
            None => None,
        };
        let is_known =
            early.as_ref().and_then(Option::as_ref).is_some_and(|found| is_known_to_owner(found, &attempt));
        let counters = AttemptCounters::new(attempt.email, attempt.address, is_known);
        self.admit(&attempt, &counters, now).await?;
        let found = match early {
            Some(found) => found,
            None => self.find(&attempt).await?,
        };
        let stored = found.as_ref().and_then(|found| found.password.as_ref());
        let check = self.hasher.check(attempt.password, stored).await;
        if matches!(check, Err(PasswordHashingError::Busy)) {
            self.uncount(&counters, now).await?;
        }
        let check = check?;
        let user_id = found.as_ref().map(|found| found.user_id);
        let Some((user_id, hash)) = found.and_then(|found| proven(found, check.is_right)) else {
            self.note_rejection(user_id, &attempt, &counters).await?;
            return Err(PasswordCheckError::WrongCredentials);
        };
        let failures = &self.failures;
        failures.forget(&[counters.account, counters.account_and_day]).await?;
        failures.uncount(&[counters.address], now).await?;
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
            let counted = count_attempt(self.failures.as_ref(), key, limit, now).await;
            if let Err(AttemptRejected::TooMany { is_first: true, .. }) = counted {
                self.note_limit(is_of_account, attempt, counters).await?;
            }
            counted?;
        }
        Ok(())
    }

    /// Records that a limit was reached, once per window, so that further guesses write nothing. If this
    /// fails, the limit still applies.
    async fn note_limit(
        &self,
        is_of_account: bool,
        attempt: &PasswordAttempt<'_>,
        counters: &AttemptCounters,
    ) -> Result<(), StorageError> {
        let now = self.store.now();
        let event = self.event(AuditKind::SignInLimited, attempt, now);
        let event = if is_of_account {
            match self.find(attempt).await? {
                Some(found) => event.user(found.user_id),
                None => return self.simulate_audit_event(counters, now).await,
            }
        } else {
            event
        };
        self.store.record_rejection(&event).await;
        Ok(())
    }

    /// Costs as much as an audit event, for an account that does not exist. Timing then does not reveal
    /// whether the account exists (security.md T80).
    async fn simulate_audit_event(
        &self,
        counters: &AttemptCounters,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let window = self.limits.per_address.window();
        self.failures.record_failure(&[counters.unknown_account], now, window).await?;
        Ok(())
    }

    fn event(&self, kind: AuditKind, attempt: &PasswordAttempt<'_>, now: DateTime<Utc>) -> AuditEvent {
        let id = AuditEventId::from_uuid(self.store.entropy().uuid());
        AuditEvent::new(id, now, kind, AuditActor::Person).from(attempt.address)
    }

    /// Subtracts an attempt that was not checked, so that a busy server does not lock users out.
    async fn uncount(&self, counters: &AttemptCounters, at: DateTime<Utc>) -> Result<(), StorageError> {
        let keys = [counters.address, counters.account, counters.account_and_day];
        self.failures.uncount(&keys, at).await
    }

    async fn find(&self, attempt: &PasswordAttempt<'_>) -> Result<Option<Credentials>, StorageError> {
        // The sender can see whether the address is well formed, so skipping the store reveals nothing.
        let Ok(email) = Email::parse(attempt.email) else { return Ok(None) };
        let found = self.credentials.find_credentials(&email).await?;
        // The address may have moved to another account while the user was signed in.
        Ok(found.filter(|found| attempt.owner.is_none_or(|owner| owner == found.user_id)))
    }

    /// Records a rejected password.
    async fn note_rejection(
        &self,
        user_id: Option<UserId>,
        attempt: &PasswordAttempt<'_>,
        counters: &AttemptCounters,
    ) -> Result<(), StorageError> {
        let now = self.store.now();
        let Some(user_id) = user_id else { return self.simulate_audit_event(counters, now).await };
        let event = self.event(AuditKind::SignInRefused, attempt, now).user(user_id);
        transact!(self.store, |tx| { tx.record(event).await }).await
    }
}

/// Returns whether the account's owner has signed in in this browser before.
fn is_known_to_owner(found: &Credentials, attempt: &PasswordAttempt<'_>) -> bool {
    let known = attempt.known_browser.zip(found.password.as_ref());
    known.is_some_and(|(cookie, hash)| is_known_browser(cookie, found.user_id, hash))
}

/// Returns the account's id and hash if the password is correct and the account is active.
fn proven(found: Credentials, is_right: bool) -> Option<(UserId, PasswordHash)> {
    let Credentials { user_id, status, password } = found;
    password.filter(|_| is_right && status.is_active()).map(|hash| (user_id, hash))
}
