//! Erases a person with everything that is kept of them.

use crate::audit::{self, AuditTrail};
use crate::ports::storage::{Erasure, StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ClientId, ErasureId, UserId};
use domain::session::Session;
use std::sync::Arc;

/// Who wants a person erased.
#[derive(Debug, Clone, Copy)]
pub enum ErasePersonCommand<'a> {
    /// The person, in this session, which must be fresh.
    ByPerson(&'a Session),
    /// The operator.
    ByOperator(UserId),
    /// A service client that may, of this person.
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

/// Why nobody is erased.
#[derive(Debug, thiserror::Error)]
pub enum ErasePersonError {
    /// There is no such person, or no more.
    #[error("there is no user with this id")]
    NotFound,
    /// The person signed in more than five minutes ago and has to prove again who they are.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// The session has ended meanwhile: the person signed out, or the password was changed.
    #[error("the session has ended")]
    SessionEnded,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Erases people.
pub struct ErasePerson {
    units: Arc<dyn UnitOfWorkFactory>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
    trail: AuditTrail,
}

impl ErasePerson {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        let trail = AuditTrail::new(entropy.clone(), clock.clone());
        Self { units, entropy, clock, trail }
    }

    /// Erases the person, all or nothing, and returns the receipt. The audit trail forgets them too and keeps that
    /// somebody was erased, on whose behalf and when, without saying whom. Tokens and sessions of the person count
    /// no more at once where they are looked up, and within 2 s where an answer is remembered (decisions 3).
    pub async fn run(&self, command: ErasePersonCommand<'_>) -> Result<Erasure, ErasePersonError> {
        let mut unit = self.units.begin().await?;
        match self.erase(&mut *unit, command).await {
            Ok(erasure) => {
                // Neither the person nor their address nor the receipt: nothing leads from it to anybody.
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
        // Held first, as whoever adds something to them does.
        unit.users().find(user_id).await?.ok_or(ErasePersonError::NotFound)?;
        if let ErasePersonCommand::ByPerson(session) = command {
            if unit.sessions().find(user_id, session.id).await?.is_none() {
                return Err(ErasePersonError::SessionEnded);
            }
            if !session.is_fresh(at) {
                return Err(ErasePersonError::NotFresh);
            }
        }
        let erasure = Erasure { id: ErasureId::from_uuid(self.entropy.uuid()), at };
        let existed = unit.erasures().erase(user_id, erasure).await?;
        if existed { Ok(erasure) } else { Err(ErasePersonError::NotFound) }
    }
}
