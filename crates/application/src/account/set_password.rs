//! Sets the password of an account for the operator, who hands it over by other means.

use super::password_change::replace_password;
use super::{ChoosePasswordPorts, NewPassword, NewPasswordError};
use crate::ports::storage::{ProfileReader, StorageError};
use crate::ports::system::PasswordHashingError;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use std::sync::Arc;

/// Why no password was set.
#[derive(Debug, thiserror::Error)]
pub enum SetPasswordError {
    /// There is no such person.
    #[error("there is no user with this id")]
    NotFound,
    /// The password does not obey the rules.
    #[error(transparent)]
    Rule(#[from] NewPasswordError),
    /// It could not be hashed.
    #[error(transparent)]
    Hashing(#[from] PasswordHashingError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Sets passwords.
pub struct SetPassword {
    ports: ChoosePasswordPorts,
    profiles: Arc<dyn ProfileReader>,
}

impl SetPassword {
    /// Takes the ports.
    pub fn new(ports: ChoosePasswordPorts, profiles: Arc<dyn ProfileReader>) -> Self {
        Self { ports, profiles }
    }

    /// Sets the password of a person instead of an earlier one, and ends what the earlier one may have opened: sessions,
    /// links, codes that no app has redeemed. Whoever guessed at the account does not make its person wait any more.
    pub async fn run(&self, user_id: UserId, text: &str) -> Result<(), SetPasswordError> {
        let user = self.profiles.find_profile(user_id).await?.ok_or(SetPasswordError::NotFound)?;
        let new = NewPassword::judge(text, &user.email, self.ports.judge.as_ref())?;
        // Hashed before the unit of work is opened: it is slow.
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
