//! The first step of a sign-in in one browser: the password.

use super::open_session::{ProvenPerson, open_session};
use super::password_check::{PasswordAttempt, PasswordCheckpoint, ProvenPassword};
use super::second_step::{WaitingPerson, begin_second_step};
use super::{PasswordCheckError, SignInLimits, SignInOrigin, SignInPorts, SignedIn};
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::id::{SessionId, UserId};
use domain::known_browser::is_known_browser;
use domain::password::{Password, PasswordHash};
use domain::pending_sign_in::SecondStep;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::Secret;
use domain::session::AuthenticationMethod;

/// Primary key of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionKey {
    /// Owner's id.
    pub user_id: UserId,
    /// The session's id.
    pub id: SessionId,
}

/// Input of [`SignIn`].
#[derive(Clone, Copy)]
pub struct SignInCommand<'a> {
    /// Email address of the account, as typed.
    pub email: &'a str,
    /// Password, as typed.
    pub password: &'a str,
    /// Known-browser cookie of an earlier sign-in, if any.
    pub known_browser: Option<&'a Secret>,
    /// The browser.
    pub origin: SignInOrigin<'a>,
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

/// Signs users in. Confirming a password is the same operation: it creates a new, fresh session.
pub struct SignIn {
    checkpoint: PasswordCheckpoint,
    policy: SecondFactorPolicy,
}

impl SignIn {
    /// Creates the use case with the sign-in limits and the policy on second factors.
    pub fn new(ports: SignInPorts, limits: SignInLimits, policy: SecondFactorPolicy) -> Self {
        Self { checkpoint: PasswordCheckpoint::new(ports, limits), policy }
    }

    /// Opens a session if the password is correct and no second step is due. `Storage(Retryable)` if the
    /// password was changed in the meantime.
    pub async fn run(&self, command: SignInCommand<'_>) -> Result<SignInProgress, PasswordCheckError> {
        let SignInCommand { email, password, known_browser, origin } = command;
        let password = Password::parse(password).map_err(|_| PasswordCheckError::InvalidForm)?;
        let address = origin.address;
        let attempt = PasswordAttempt { email, password: &password, address, owner: None, known_browser };
        let proven = self.checkpoint.check(attempt).await?;
        let rehashed = self.rehash_if_outdated(&proven, &password).await;
        let ports = self.checkpoint.ports();
        let mut unit = ports.units.begin().await?;
        still_proven(unit.as_mut(), &proven).await?;
        if let Some(better) = &rehashed {
            unit.passwords().rehash(proven.user_id, &proven.hash, better).await?;
        }
        let progress = match self.second_step(unit.as_mut(), proven.user_id).await? {
            None => {
                let method = AuthenticationMethod::Password;
                let person = ProvenPerson { user_id: proven.user_id, method, origin };
                let opened =
                    open_session(unit.as_mut(), person, ports.clock.as_ref(), ports.entropy.as_ref());
                SignInProgress::SignedIn(opened.await?)
            }
            // Otherwise a stolen password alone could set up another second factor.
            Some(SecondStep::SetUp) if !unit.passkeys().list(proven.user_id).await?.is_empty() => {
                SignInProgress::PasskeyNeeded
            }
            Some(step) => {
                let waiting = waiting(&command, &proven, step);
                let begun =
                    begin_second_step(unit.as_mut(), waiting, ports.clock.as_ref(), ports.entropy.as_ref());
                SignInProgress::SecondStep(begun.await?)
            }
        };
        unit.commit().await?;
        Ok(progress)
    }

    /// Returns the second step of this user's sign-in; `None` if the password suffices.
    async fn second_step(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: UserId,
    ) -> Result<Option<SecondStep>, StorageError> {
        let has_app = unit.second_factors().find(user_id).await?.is_some();
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
        match self.checkpoint.ports().hasher.hash(password).await {
            Ok(hash) => Some(hash),
            Err(error) => {
                tracing::warn!(user_id = %proven.user_id, %error, "a weak password hash was kept until the next sign-in");
                None
            }
        }
    }
}

fn waiting<'a>(command: &SignInCommand<'a>, proven: &ProvenPassword, step: SecondStep) -> WaitingPerson<'a> {
    let ProvenPassword { user_id, ref hash, is_outdated: _ } = *proven;
    let is_known_browser =
        command.known_browser.is_some_and(|cookie| is_known_browser(cookie, user_id, hash));
    WaitingPerson { user_id, step, is_known_browser, origin: command.origin }
}

/// Verifies inside the unit of work that the checked hash is still the stored one. Otherwise a concurrent
/// reset would end every session except the one that the old password is about to open.
pub(super) async fn still_proven(
    unit: &mut dyn UnitOfWork,
    proven: &ProvenPassword,
) -> Result<(), StorageError> {
    let is_active = unit.users().find(proven.user_id).await?.is_some_and(|user| user.status.is_active());
    let stored = unit.passwords().find(proven.user_id).await?;
    if is_active && stored.as_ref() == Some(&proven.hash) { Ok(()) } else { Err(StorageError::Retryable) }
}
