//! Removes a passkey.

use super::lacks_factor;
use crate::account::{SignedInPerson, end_sign_ins};
use crate::mail::{QueueMail, passkey_removed};
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::audit::{AuditActor, AuditKind};
use domain::id::PasskeyId;
use domain::second_factor::SecondFactorPolicy;
use std::net::IpAddr;

/// Input of [`RemovePasskey`].
#[derive(Clone, Copy)]
pub struct RemovePasskeyCommand<'a> {
    /// The person, whose sign-in must be fresh.
    pub person: &'a SignedInPerson,
    /// Id of the passkey.
    pub passkey_id: PasskeyId,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// Errors of [`RemovePasskey`].
#[derive(Debug, thiserror::Error)]
pub enum RemovePasskeyError {
    /// The person must sign in again, because the last sign-in was over five minutes ago, or has ended.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// The person has no such passkey.
    #[error("there is no such passkey")]
    NotFound,
    /// The operator requires a second factor, and the person has no other.
    #[error("this is the only second factor")]
    LastFactor,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Removes passkeys; without an outbox it sends no email.
    RemovePasskey { mail: Option<QueueMail>, policy: SecondFactorPolicy }
}

impl RemovePasskey {
    /// Removes a passkey of this person, and ends the other sessions.
    pub async fn run(&self, command: RemovePasskeyCommand<'_>) -> Result<(), RemovePasskeyError> {
        if !command.person.session.is_fresh(self.trail.now()) {
            return Err(RemovePasskeyError::NotFresh);
        }
        let mut unit = self.units.begin().await?;
        self.remove(unit.as_mut(), &command).await?;
        Ok(unit.commit().await?)
    }

    async fn remove(
        &self,
        unit: &mut dyn UnitOfWork,
        command: &RemovePasskeyCommand<'_>,
    ) -> Result<(), RemovePasskeyError> {
        let RemovePasskeyCommand { person, passkey_id, address } = *command;
        let (user_id, session) = (person.user_id, &person.session);
        let user = unit.users().find(user_id).await?.ok_or(RemovePasskeyError::NotFresh)?;
        if unit.sessions().find(user_id, session.id).await?.is_none() {
            return Err(RemovePasskeyError::NotFresh);
        }
        if !unit.passkeys().delete(user_id, passkey_id).await? {
            return Err(RemovePasskeyError::NotFound);
        }
        if lacks_factor(unit, user_id, self.policy).await? {
            return Err(RemovePasskeyError::LastFactor);
        }
        let ended = end_sign_ins(unit, user_id, Some(session.id)).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::PasskeyRemoved).user(user_id);
        let event = event.subject(passkey_id.as_uuid()).count(ended.sessions);
        unit.audit().append(&event.from(address)).await?;
        if let Some(mail) = &self.mail {
            mail.run(unit, &passkey_removed(&user.email, mail.links()), self.trail.now()).await?;
        }
        Ok(())
    }
}
