//! Erases a user with everything stored about them.

use crate::audit;
use crate::ports::storage::{Erasure, StorageError, UnitOfWork};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ClientId, ErasureId, UserId};
use domain::session::Session;

/// Caller of an erasure.
#[derive(Debug, Clone, Copy)]
pub enum ErasePersonCommand<'a> {
    /// The user, in this session, which must be fresh.
    ByPerson(&'a Session),
    /// The operator.
    ByOperator(UserId),
    /// An authorized service client, for this user.
    ByClient(ClientId, UserId),
}

impl ErasePersonCommand<'_> {
    const fn user_id(&self) -> UserId {
        match self {
            Self::ByPerson(session) => session.user_id,
            Self::ByOperator(user_id) | Self::ByClient(_, user_id) => *user_id,
        }
    }
}

/// Errors of [`ErasePerson`].
#[derive(Debug, thiserror::Error)]
pub enum ErasePersonError {
    /// The user does not exist.
    #[error("there is no user with this id")]
    NotFound,
    /// The user must enter the password again, because the last sign-in was over five minutes ago.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// The session ended in the meantime: the user signed out, or the password was changed.
    #[error("the session has ended")]
    SessionEnded,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Erases users.
    ErasePerson
}

impl ErasePerson {
    /// Erases the user in one transaction, and returns the receipt. The user's audit events are deleted too.
    /// One anonymous event remains, with actor and time. The user's tokens and sessions are rejected at once
    /// where they are looked up, and within 2 s where the result is cached (decisions 3).
    pub async fn run(&self, command: ErasePersonCommand<'_>) -> Result<Erasure, ErasePersonError> {
        let mut unit = self.units.begin().await?;
        match self.erase(&mut *unit, command).await {
            Ok(erasure) => {
                // Contains neither the user, their address nor the receipt: the event cannot be linked to
                // anyone.
                let event = match command {
                    ErasePersonCommand::ByPerson(_) => {
                        self.trail.event(AuditActor::Person, AuditKind::UserErased)
                    }
                    ErasePersonCommand::ByOperator(_) => {
                        self.trail.event(AuditActor::Operator, AuditKind::UserErased)
                    }
                    ErasePersonCommand::ByClient(client_id, _) => {
                        self.trail.event(AuditActor::Client, AuditKind::UserErased).client(client_id)
                    }
                };
                audit::commit(unit, &[event]).await?;
                Ok(erasure)
            }
            Err(refusal) => {
                unit.rollback().await?;
                Err(refusal)
            }
        }
    }

    async fn erase(
        &self,
        unit: &mut dyn UnitOfWork,
        command: ErasePersonCommand<'_>,
    ) -> Result<Erasure, ErasePersonError> {
        let (user_id, at) = (command.user_id(), self.clock.now());
        // Locked first, as by all writers of the user's data.
        unit.users().find(user_id).await?.ok_or(ErasePersonError::NotFound)?;
        if let ErasePersonCommand::ByPerson(session) = command {
            if unit.sessions().find(user_id, session.id).await?.is_none() {
                return Err(ErasePersonError::SessionEnded);
            }
            if !session.is_fresh(at) {
                return Err(ErasePersonError::NotFresh);
            }
        }
        let erasure = Erasure { id: ErasureId::from_uuid(self.trail.entropy.uuid()), at };
        let existed = unit.erasures().erase(user_id, erasure).await?;
        if existed { Ok(erasure) } else { Err(ErasePersonError::NotFound) }
    }
}
