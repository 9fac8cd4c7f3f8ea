//! Erasure: deletes everything stored about a user in one transaction, and keeps a receipt.

#[cfg(test)]
mod tests;

pub use crate::ports::storage::Erasure;

use crate::ports::storage::{StorageError, UnitOfWork};
use crate::session::SignedInPerson;
use crate::store::Store;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ClientId, ErasureId, UserId};
use scoped_futures::ScopedFutureExt as _;

/// Number of tries of an erasure that the store aborts.
const MAX_TRIES: u32 = 3;

/// Erasures of users.
pub struct Erasures {
    /// The store.
    pub store: Store,
}

/// Who erases a user.
#[derive(Debug, Clone, Copy)]
pub enum Eraser<'a> {
    /// The user, whose sign-in must be fresh.
    Person(&'a SignedInPerson),
    /// The operator.
    Operator(UserId),
    /// An authorized service client, for this user.
    Client(ClientId, UserId),
    /// A developer or, without an owner, the operator, for a sandbox person.
    SandboxOwner {
        /// The sandbox person; a real one is reported as not found.
        user_id: UserId,
        /// The developer, who must have created the person.
        owner: Option<UserId>,
    },
}

impl Eraser<'_> {
    const fn user_id(self) -> UserId {
        match self {
            Self::Person(person) => person.user_id,
            Self::Operator(user_id) | Self::Client(_, user_id) | Self::SandboxOwner { user_id, .. } => {
                user_id
            }
        }
    }

    /// Returns the actor of the event, and the client if it is one.
    const fn actor(self) -> (AuditActor, Option<ClientId>) {
        match self {
            Self::Person(_) | Self::SandboxOwner { owner: Some(_), .. } => (AuditActor::Person, None),
            Self::Operator(_) | Self::SandboxOwner { owner: None, .. } => (AuditActor::Operator, None),
            Self::Client(client_id, _) => (AuditActor::Client, Some(client_id)),
        }
    }
}

/// Why no one is erased.
#[derive(Debug, thiserror::Error)]
pub enum ErasureError {
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

impl Erasures {
    /// Erases the user in one transaction, and returns the receipt. The user's audit events and sandbox
    /// people are deleted too. One anonymous event remains for each, with actor and time. The user's tokens
    /// and sessions are rejected immediately where they are looked up, and within 2 s where the result is
    /// cached (decisions 3).
    ///
    /// Writers of the user's data lock the user first, as this does. A store may still abort the transaction
    /// in favor of another one, such as the deletion of an app that the user connected; it is then repeated.
    pub async fn erase(&self, eraser: Eraser<'_>) -> Result<Erasure, ErasureError> {
        let mut tries = 0;
        loop {
            let mut has_begun = false;
            let attempt = self.store.transact(|tx| {
                has_begun = true;
                self.attempt(tx, eraser).scope_boxed()
            });
            let outcome = attempt.await;
            tries += 1;
            match outcome {
                Err(ErasureError::Storage(StorageError::Retryable)) if has_begun && tries < MAX_TRIES => {}
                outcome => return outcome,
            }
        }
    }

    async fn attempt(&self, tx: &mut dyn UnitOfWork, eraser: Eraser<'_>) -> Result<Erasure, ErasureError> {
        let (user_id, now) = (eraser.user_id(), self.store.now());
        // Locked first, as by all writers of the user's data.
        tx.users().find(user_id).await?.ok_or(ErasureError::NotFound)?;
        admit(tx, eraser, now).await?;
        let sandbox = tx.sandbox().list_of_owner(user_id).await?;
        for person in &sandbox {
            tx.erasures().erase(*person, self.receipt(now)).await?;
        }
        let erasure = self.receipt(now);
        if !tx.erasures().erase(user_id, erasure).await? {
            return Err(ErasureError::NotFound);
        }
        let (actor, client_id) = eraser.actor();
        for _ in 0..=sandbox.len() {
            // Contains neither the user, their address nor the receipt: the event cannot be linked to anyone.
            tx.record(AuditEvent { client_id, ..self.store.event(actor, AuditKind::UserErased) }).await?;
        }
        Ok(erasure)
    }

    fn receipt(&self, at: DateTime<Utc>) -> Erasure {
        Erasure { id: ErasureId::from_uuid(self.store.entropy().uuid()), at }
    }
}

/// Checks that this person may erase themselves now, or that this owner created the sandbox person.
async fn admit(tx: &mut dyn UnitOfWork, eraser: Eraser<'_>, now: DateTime<Utc>) -> Result<(), ErasureError> {
    match eraser {
        Eraser::Person(SignedInPerson { user_id, session, .. }) => {
            tx.sessions().find(*user_id, session.id).await?.ok_or(ErasureError::SessionEnded)?;
            session.is_fresh(now).then_some(()).ok_or(ErasureError::NotFresh)
        }
        Eraser::SandboxOwner { user_id, owner } => {
            let person = tx.sandbox().find(user_id).await?;
            let is_theirs = person.is_some_and(|person| owner.is_none() || person.owner == owner);
            is_theirs.then_some(()).ok_or(ErasureError::NotFound)
        }
        Eraser::Operator(_) | Eraser::Client(..) => Ok(()),
    }
}
