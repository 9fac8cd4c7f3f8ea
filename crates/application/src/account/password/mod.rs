//! Passwords: changed by their owners, chosen with a link, and set by the operator.

mod change;
mod choose;

pub use change::*;
pub use choose::*;

use super::password_change::replace_password;
use super::password_check::PasswordCheckpoint;
use super::{NewPassword, NewPasswordError};
use crate::mail::QueueMail;
use crate::ports::storage::{PasswordLinkReader, ProfileReader, StorageError};
use crate::ports::system::{PasswordHashingError, PasswordStrengthChecker};
use crate::session::account_counters;
use crate::store::transact;
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::second_factor::SecondFactorPolicy;
use domain::user::Email;
use std::sync::Arc;

/// People's passwords.
pub struct Passwords {
    /// Checks of current passwords, with the store and the hasher.
    pub checkpoint: PasswordCheckpoint,
    /// Reader of password links.
    pub links: Arc<dyn PasswordLinkReader>,
    /// Reader of users.
    pub profiles: Arc<dyn ProfileReader>,
    /// Password strength check.
    pub strength_checker: Arc<dyn PasswordStrengthChecker>,
    /// Whether people need a second factor.
    pub policy: SecondFactorPolicy,
    /// `None` if no email is sent.
    pub mail: Option<QueueMail>,
}

/// Why the operator sets no password.
#[derive(Debug, thiserror::Error)]
pub enum SetPasswordError {
    /// No user has this id.
    #[error("there is no user with this id")]
    NotFound,
    /// Nobody signs in as a sandbox person.
    #[error("this is a sandbox person, and nobody can sign in as one")]
    SandboxPerson,
    /// The password breaks a rule.
    #[error(transparent)]
    Rule(#[from] NewPasswordError),
    /// The password could not be hashed.
    #[error(transparent)]
    Hashing(#[from] PasswordHashingError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Passwords {
    /// Replaces a user's password for the operator, and ends what the old one may have opened: sessions,
    /// links, unredeemed codes. Also resets the failure counters of the account.
    pub async fn set(&self, user_id: UserId, text: &str) -> Result<(), SetPasswordError> {
        let user = self.profiles.find_profile(user_id).await?.ok_or(SetPasswordError::NotFound)?;
        if user.email.is_sandbox() {
            return Err(SetPasswordError::SandboxPerson);
        }
        let new = NewPassword::check(text, &user.email, self.strength_checker.as_ref())?;
        // Hashed before the transaction begins, because hashing is slow.
        let hash = self.checkpoint.hasher.hash(new.password()).await?;
        let now = self.checkpoint.store.now();
        transact!(self.checkpoint.store, |tx| {
            tx.users().find(user_id).await?.ok_or(SetPasswordError::NotFound)?;
            let ended = replace_password(tx, user_id, &hash, now).await?;
            let event = self.checkpoint.store.event(AuditActor::Operator, AuditKind::PasswordSet);
            Ok::<_, SetPasswordError>(tx.record(event.user(user_id).count(ended)).await?)
        })
        .await?;
        self.lift_limits(user_id, &user.email).await;
        Ok(())
    }

    /// Deletes the account's failure counters after a password change. An error is only logged: the windows
    /// end by themselves.
    async fn lift_limits(&self, user_id: UserId, email: &Email) {
        if let Err(error) = self.checkpoint.failures.forget(&account_counters(email.as_str())).await {
            tracing::warn!(%user_id, %error, "could not reset failed sign-ins after a new password");
        }
    }
}
