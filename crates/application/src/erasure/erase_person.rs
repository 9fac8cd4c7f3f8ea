//! Erases a user with everything stored about them.

use crate::audit;
use crate::ports::storage::{Erasure, StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ClientId, ErasureId, UserId};
use domain::session::Session;

/// Number of tries of an erasure that the store aborts.
const MAX_TRIES: u32 = 3;

/// Caller of an erasure.
#[derive(Debug, Clone, Copy)]
pub enum ErasePersonCommand<'a> {
    /// The user, in this session, which must be fresh.
    ByPerson(&'a Session),
    /// The operator.
    ByOperator(UserId),
    /// An authorized service client, for this user.
    ByClient(ClientId, UserId),
    /// A developer or, without an owner, the operator, for a sandbox person.
    OfSandbox {
        /// The sandbox person; a real one is reported as not found.
        user_id: UserId,
        /// The developer, who must have created the person.
        owner: Option<UserId>,
    },
}

impl ErasePersonCommand<'_> {
    const fn user_id(&self) -> UserId {
        match self {
            Self::ByPerson(session) => session.user_id,
            Self::ByOperator(user_id) | Self::ByClient(_, user_id) | Self::OfSandbox { user_id, .. } => {
                *user_id
            }
        }
    }

    const fn actor(&self) -> AuditActor {
        match self {
            Self::ByPerson(_) | Self::OfSandbox { owner: Some(_), .. } => AuditActor::Person,
            Self::ByOperator(_) | Self::OfSandbox { owner: None, .. } => AuditActor::Operator,
            Self::ByClient(..) => AuditActor::Client,
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
    /// Erases the user in one transaction, and returns the receipt. The user's audit events and sandbox
    /// people are deleted too. One anonymous event remains for each, with actor and time. The user's tokens
    /// and sessions are rejected at once where they are looked up, and within 2 s where the result is cached
    /// (decisions 3).
    ///
    /// Writers of the user's data lock the user first, as this does. A store may still abort the transaction
    /// in favor of another one, such as the deletion of an app that the user connected; it is then repeated.
    pub async fn run(&self, command: ErasePersonCommand<'_>) -> Result<Erasure, ErasePersonError> {
        let mut tries = 1;
        loop {
            let unit = self.units.begin().await?;
            match self.attempt(unit, command).await {
                Err(ErasePersonError::Storage(StorageError::Retryable)) if tries < MAX_TRIES => tries += 1,
                outcome => return outcome,
            }
        }
    }

    async fn attempt(
        &self,
        mut unit: Box<dyn UnitOfWork>,
        command: ErasePersonCommand<'_>,
    ) -> Result<Erasure, ErasePersonError> {
        match self.erase(&mut *unit, command).await {
            Ok((erasure, erased)) => {
                // Contains neither the user, their address nor the receipt: the event cannot be linked to
                // anyone.
                let event = || {
                    let event = self.trail.event(command.actor(), AuditKind::UserErased);
                    match command {
                        ErasePersonCommand::ByClient(client_id, _) => event.client(client_id),
                        _ => event,
                    }
                };
                let events: Vec<_> = (0..erased).map(|_| event()).collect();
                audit::commit(unit, &events).await?;
                Ok(erasure)
            }
            Err(error @ ErasePersonError::Storage(_)) => Err(error),
            Err(refusal) => unit.refuse(refusal).await,
        }
    }

    /// Returns the receipt of the user, and the number of erased people: the user and their sandbox people.
    async fn erase(
        &self,
        unit: &mut dyn UnitOfWork,
        command: ErasePersonCommand<'_>,
    ) -> Result<(Erasure, usize), ErasePersonError> {
        let (user_id, at) = (command.user_id(), self.trail.now());
        // Locked first, as by all writers of the user's data.
        unit.users().find(user_id).await?.ok_or(ErasePersonError::NotFound)?;
        match command {
            ErasePersonCommand::ByPerson(session) => {
                if unit.sessions().find(user_id, session.id).await?.is_none() {
                    return Err(ErasePersonError::SessionEnded);
                }
                if !session.is_fresh(at) {
                    return Err(ErasePersonError::NotFresh);
                }
            }
            ErasePersonCommand::OfSandbox { owner, .. } => {
                let person = unit.sandbox().find(user_id).await?;
                let is_theirs = person.is_some_and(|person| owner.is_none() || person.owner == owner);
                if !is_theirs {
                    return Err(ErasePersonError::NotFound);
                }
            }
            ErasePersonCommand::ByOperator(_) | ErasePersonCommand::ByClient(..) => {}
        }
        let sandbox = unit.sandbox().list_of_owner(user_id).await?;
        for person in &sandbox {
            unit.erasures().erase(*person, self.receipt(at)).await?;
        }
        let erasure = self.receipt(at);
        let existed = unit.erasures().erase(user_id, erasure).await?;
        if existed { Ok((erasure, 1 + sandbox.len())) } else { Err(ErasePersonError::NotFound) }
    }

    fn receipt(&self, at: DateTime<Utc>) -> Erasure {
        Erasure { id: ErasureId::from_uuid(self.trail.entropy.uuid()), at }
    }
}
