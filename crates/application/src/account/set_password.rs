//! Sets the password of an account for the operator.

use super::password_change::replace_password;
use super::{ChoosePasswordPorts, NewPassword, NewPasswordError};
use crate::ports::storage::{ProfileReader, StorageError};
use crate::ports::system::PasswordHashingError;
use derive_more::Constructor;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use std::sync::Arc;

/// Errors of [`SetPassword`].
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

/// Sets passwords.
#[derive(Constructor)]
pub struct SetPassword {
    ports: ChoosePasswordPorts,
    profiles: Arc<dyn ProfileReader>,
}

impl SetPassword {
    /// Replaces the user's password, and ends what the old one may have opened: sessions, links, unredeemed
    /// codes. Also resets the failure counters of the account.
    pub async fn run(&self, user_id: UserId, text: &str) -> Result<(), SetPasswordError> {
        let user = self.profiles.find_profile(user_id).await?.ok_or(SetPasswordError::NotFound)?;
        if user.email.is_sandbox() {
            return Err(SetPasswordError::SandboxPerson);
        }
        let new = NewPassword::check(text, &user.email, self.ports.strength_checker.as_ref())?;
        // Hashed before the unit of work opens, because hashing is slow.
        let hash = self.ports.hasher.hash(new.password()).await?;
        let now = self.ports.clock.now();
        let mut unit = self.ports.units.begin().await?;
        unit.users().find(user_id).await?.ok_or(SetPasswordError::NotFound)?;
        let ended = replace_password(unit.as_mut(), user_id, &hash, now).await?;
        let id = AuditEventId::from_uuid(self.ports.entropy.uuid());
        let event = AuditEvent::new(id, now, AuditKind::PasswordSet, AuditActor::Operator);
        unit.audit().append(&event.user(user_id).count(ended)).await?;
        unit.commit().await?;
        self.ports.lift_limits(user_id, &user.email).await;
        Ok(())
    }
}
