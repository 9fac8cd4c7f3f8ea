//! Changes the password of a signed-in user.

use super::Passwords;
use crate::account::password_change::{OtherCredentials, end_other_credentials, replace_password};
use crate::account::password_check::{PasswordAttempt, ProvenPassword};
use crate::account::sign_in::still_proven;
use crate::account::{NewPassword, NewPasswordError, PasswordCheckError};
use crate::mail::password_changed;
use crate::ports::storage::StorageError;
use crate::ports::system::PasswordHashingError;
use crate::session::store_session;
use crate::session::{ProvenPerson, SignInOrigin, SignedIn, SignedInPerson};
use crate::store::transact;
use domain::audit::AuditKind;
use domain::device::Device;
use domain::id::PasskeyId;
use domain::password::Password;
use domain::secret::Secret;

/// A new password in place of the current one.
#[derive(Clone, Copy)]
pub struct PasswordChange<'a> {
    /// Current password, as typed.
    pub current: &'a str,
    /// New password, as typed.
    pub new: &'a str,
    /// Known-browser cookie of an earlier sign-in, if any.
    pub known_browser: Option<&'a Secret>,
    /// Passkeys that stay; the others are removed (security.md T106).
    pub kept_passkeys: &'a [PasskeyId],
    /// Whether to revoke the grants of apps and the personal access tokens too (security.md T67).
    pub disconnect_apps: bool,
    /// Browser and platform, if the browser names itself.
    pub device: Option<Device>,
}

/// Why a password is not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangePasswordError {
    /// The new password breaks a rule; the current one was not checked.
    #[error(transparent)]
    Rule(#[from] NewPasswordError),
    /// The account has a second factor, and the user has to sign in again with it first.
    #[error("the sign-in is too old to change the password")]
    NotFresh,
    /// The operator requires a second factor, and no other would be left.
    #[error("this is the only second factor")]
    LastFactor,
    /// The current password was rejected.
    #[error(transparent)]
    Check(#[from] PasswordCheckError),
}

impl From<StorageError> for ChangePasswordError {
    fn from(error: StorageError) -> Self {
        Self::Check(error.into())
    }
}

impl From<PasswordHashingError> for ChangePasswordError {
    fn from(error: PasswordHashingError) -> Self {
        Self::Check(error.into())
    }
}

impl Passwords {
    /// Sets the new password, ends every session, and returns a new session for this browser (security.md
    /// T30).
    pub async fn change(
        &self,
        person: &SignedInPerson,
        change: PasswordChange<'_>,
    ) -> Result<SignedIn, ChangePasswordError> {
        let new = NewPassword::check(change.new, &person.email, self.strength_checker.as_ref())?;
        let proven = self.prove(person, change).await?;
        let hash = self.checkpoint.hasher.hash(new.password()).await?;
        let (user_id, session) = (person.user_id, &person.session);
        transact!(self.checkpoint.store, |tx| {
            let now = self.checkpoint.store.now();
            still_proven(tx, &proven).await?;
            // A second factor that was turned on in the meantime has ended the session.
            if tx.sessions().find(user_id, session.id).await?.is_none() {
                return Err(ChangePasswordError::NotFresh);
            }
            // The password alone must not change the password of an account with a second factor.
            let has_factor = tx.second_factors().find(user_id).await?.is_some()
                || !tx.passkeys().list(user_id).await?.is_empty();
            if has_factor && !session.is_fresh(now) {
                return Err(ChangePasswordError::NotFresh);
            }
            let ended = replace_password(tx, user_id, &hash, now).await?;
            let PasswordChange { kept_passkeys, disconnect_apps, device, .. } = change;
            let origin =
                SignInOrigin { address: person.address, device, replaces: Some(session), pending: None };
            let proven = ProvenPerson { user_id, method: session.method, origin };
            let signed_in = store_session(tx, proven, now, self.checkpoint.store.entropy()).await?;
            let event = person.event(&self.checkpoint.store, AuditKind::PasswordSet).device(device);
            tx.record(event.subject(signed_in.session.id.as_uuid()).count(ended)).await?;
            let others = OtherCredentials { user_id, kept_passkeys, disconnect_apps, policy: self.policy };
            let event = |kind| person.event(&self.checkpoint.store, kind);
            if !end_other_credentials(tx, others, now, &event).await? {
                return Err(ChangePasswordError::LastFactor);
            }
            if let Some(mail) = &self.mail {
                mail.run(tx, &password_changed(&person.email, mail.links()), now).await?;
            }
            Ok(signed_in)
        })
        .await
    }

    /// Checks the current password within the sign-in limits.
    async fn prove(
        &self,
        person: &SignedInPerson,
        change: PasswordChange<'_>,
    ) -> Result<ProvenPassword, PasswordCheckError> {
        let password = Password::parse(change.current).map_err(|_| PasswordCheckError::InvalidForm)?;
        let attempt = PasswordAttempt {
            email: person.email.as_str(),
            password: &password,
            address: person.address,
            owner: Some(person.user_id),
            known_browser: change.known_browser,
        };
        self.checkpoint.check(attempt).await
    }
}
