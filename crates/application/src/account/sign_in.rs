//! The first step of a sign-in in one browser: the password.

use super::PasswordCheckError;
use super::password_check::{PasswordAttempt, PasswordCheckpoint, ProvenPassword};
use super::second_step::{WaitingPerson, begin_second_step};
use crate::mail::QueueMail;
use crate::ports::storage::{PendingSignInReader, StorageError, UnitOfWork};
use crate::ports::system::{FormSealer, TotpSealer};
use crate::session::{ProvenPerson, open_session};
use crate::session::{SignInOrigin, SignedIn};
use crate::store::transact;
use domain::id::UserId;
use domain::known_browser::is_known_browser;
use domain::password::{Password, PasswordHash};
use domain::pending_sign_in::SecondStep;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::Secret;
use domain::session::AuthenticationMethod;
use std::sync::Arc;

/// Sign-ins with a password, and with a second step if one is due.
pub struct SignIns {
    /// Check of passwords, with the store; its limits on guessing also apply to the second step.
    pub checkpoint: PasswordCheckpoint,
    /// Reader of sign-ins that wait for their second step.
    pub pending: Arc<dyn PendingSignInReader>,
    /// Secrets and codes of authenticator apps.
    pub totp_sealer: Arc<dyn TotpSealer>,
    /// Encrypts forms, each for its person.
    pub form_sealer: Arc<dyn FormSealer>,
    /// Whether people need a second factor.
    pub policy: SecondFactorPolicy,
    /// `None` if no email is sent.
    pub mail: Option<QueueMail>,
}

/// Outcome of a correct password.
#[derive(Debug, Clone)]
pub enum SignInProgress {
    /// There is a new session.
    SignedIn(SignedIn),
    /// There is no session yet: the second step is pending in the browser with this new cookie.
    SecondStep(Secret),
    /// The operator requires a second factor, and the account's only one is a passkey.
    PasskeyNeeded,
}

impl SignIns {
    /// Encrypts the fields of a form that a browser stores while the person signs in again, as text for a
    /// cookie; `None` if encryption fails.
    pub fn seal_form(&self, user_id: UserId, fields: &str) -> Option<String> {
        self.form_sealer.seal(user_id, fields)
    }

    /// Returns the fields of a person's form; `None` if the text is another person's or was changed.
    pub fn open_form(&self, user_id: UserId, text: &str) -> Option<String> {
        self.form_sealer.open(user_id, text)
    }

    /// Opens a session if the password is correct and no second step is due. Confirming a password is the
    /// same operation: the new session is fresh. `known_browser` is the cookie of an earlier sign-in.
    /// `Storage(Retryable)` if the password was changed in the meantime.
    pub async fn sign_in(
        &self,
        origin: SignInOrigin<'_>,
        known_browser: Option<&Secret>,
        email: &str,
        password: &str,
    ) -> Result<SignInProgress, PasswordCheckError> {
        let password = Password::parse(password).map_err(|_| PasswordCheckError::InvalidForm)?;
        let address = origin.address;
        let attempt = PasswordAttempt { email, password: &password, address, owner: None, known_browser };
        let proven = self.checkpoint.check(attempt).await?;
        let rehashed = self.rehash_if_outdated(&proven, &password).await;
        transact!(self.checkpoint.store, |tx| {
            still_proven(tx, &proven).await?;
            let ProvenPassword { user_id, hash, is_outdated: _ } = &proven;
            if let Some(better) = &rehashed {
                tx.passwords().rehash(*user_id, hash, better).await?;
            }
            let (user_id, clock, entropy) =
                (*user_id, self.checkpoint.store.clock(), self.checkpoint.store.entropy());
            Ok(match self.second_step(tx, user_id).await? {
                None => {
                    let person = ProvenPerson { user_id, method: AuthenticationMethod::Password, origin };
                    SignInProgress::SignedIn(open_session(tx, person, clock, entropy).await?)
                }
                // Otherwise a stolen password alone could set up another second factor.
                Some(SecondStep::SetUp) if !tx.passkeys().list(user_id).await?.is_empty() => {
                    SignInProgress::PasskeyNeeded
                }
                Some(step) => {
                    let is_known_browser =
                        known_browser.is_some_and(|cookie| is_known_browser(cookie, user_id, hash));
                    let waiting = WaitingPerson { user_id, step, is_known_browser, origin };
                    SignInProgress::SecondStep(begin_second_step(tx, waiting, clock, entropy).await?)
                }
            })
        })
        .await
    }

    /// Returns the second step of this user's sign-in; `None` if the password suffices.
    async fn second_step(
        &self,
        tx: &mut dyn UnitOfWork,
        user_id: UserId,
    ) -> Result<Option<SecondStep>, StorageError> {
        let has_app = tx.second_factors().find(user_id).await?.is_some();
        Ok(match self.policy {
            _ if has_app => Some(SecondStep::Code),
            SecondFactorPolicy::Required => Some(SecondStep::SetUp),
            SecondFactorPolicy::Optional => None,
        })
    }

    /// Rehashes the password if its hash uses outdated parameters (security.md T86). An error is only logged:
    /// the next sign-in retries.
    async fn rehash_if_outdated(&self, proven: &ProvenPassword, password: &Password) -> Option<PasswordHash> {
        if !proven.is_outdated {
            return None;
        }
        match self.checkpoint.hasher.hash(password).await {
            Ok(hash) => Some(hash),
            Err(error) => {
                tracing::warn!(user_id = %proven.user_id, %error, "a weak password hash was kept until the next sign-in");
                None
            }
        }
    }
}

/// Verifies inside the transaction that the checked hash is still the stored one. Otherwise a concurrent
/// reset would end every session except the one that the old password is about to open.
pub(super) async fn still_proven(
    tx: &mut dyn UnitOfWork,
    proven: &ProvenPassword,
) -> Result<(), StorageError> {
    let is_active = tx.active_user(proven.user_id).await?.is_some();
    let stored = tx.passwords().find(proven.user_id).await?;
    if is_active && stored.as_ref() == Some(&proven.hash) { Ok(()) } else { Err(StorageError::Retryable) }
}
