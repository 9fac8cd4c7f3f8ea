//! Transactions of services: what one stores is stored completely or not at all.

use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, ClientId, UserId};
use domain::secret::{Secret, SecretKind};
use domain::user::User;
use scoped_futures::ScopedBoxFuture;
use std::sync::Arc;

/// Calls [`Store::transact`], or [`finish`] for an open transaction, with a block in place of a boxed
/// future.
macro_rules! transact {
    (in $unit:expr, |$tx:ident| $work:block) => {
        $crate::store::finish($unit, |$tx| scoped_futures::ScopedFutureExt::scope_boxed(async move $work))
    };
    ($store:expr, |$tx:ident| $work:block) => {
        $store.transact(|$tx| scoped_futures::ScopedFutureExt::scope_boxed(async move $work))
    };
}
pub(crate) use transact;

/// Creates events with an id and the current time.
#[derive(Clone, Constructor)]
pub struct AuditTrail {
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl AuditTrail {
    /// Returns the current time.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Creates an event at the current time; the event's methods add the details.
    pub fn event(&self, actor: AuditActor, kind: AuditKind) -> AuditEvent {
        AuditEvent::new(AuditEventId::from_uuid(self.entropy.uuid()), self.now(), kind, actor)
    }
}

/// The store of a service, and what every change needs: the time, ids and events.
#[derive(Clone)]
pub struct Store {
    /// Opens transactions.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Creates events.
    pub trail: AuditTrail,
}

impl Store {
    /// Returns the current time.
    pub fn now(&self) -> DateTime<Utc> {
        self.trail.now()
    }

    /// Returns the clock.
    pub(crate) fn clock(&self) -> &dyn Clock {
        self.trail.clock.as_ref()
    }

    /// Returns the source of ids and secrets.
    pub(crate) fn entropy(&self) -> &dyn Entropy {
        self.trail.entropy.as_ref()
    }

    /// Creates a random secret.
    pub fn new_secret(&self, kind: SecretKind) -> Secret {
        Secret::from_bytes(kind, &self.entropy().secret_bytes())
    }

    /// Creates an event at the current time; the event's methods add the details.
    pub fn event(&self, actor: AuditActor, kind: AuditKind) -> AuditEvent {
        self.trail.event(actor, kind)
    }

    /// Creates an event of this client, or of the user if there is none; the event's methods add the details.
    pub(crate) fn event_by(
        &self,
        client_id: Option<ClientId>,
        user_id: UserId,
        kind: AuditKind,
    ) -> AuditEvent {
        let actor = client_id.map_or(AuditActor::Person, |_| AuditActor::Client);
        AuditEvent { client_id, ..self.event(actor, kind).user(user_id) }
    }

    /// Stores an event about a rejected request, in a separate transaction.
    ///
    /// An error is only logged: a different response would reveal what the rejection hides.
    pub(crate) async fn record_rejection(&self, event: &AuditEvent) {
        if let Err(error) = transact!(self, |tx| { tx.audit().append(event).await }).await {
            tracing::error!(kind = event.kind.as_str(), %error, "an event is missing from the audit trail");
        }
    }

    /// Runs `work` in a transaction, which commits if `work` succeeds. Otherwise rolls back, waits until the
    /// connection is free again, and returns the error of `work`, even if the rollback fails.
    pub async fn transact<'a, T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'a,
        E: From<StorageError> + Send + 'a,
        F: for<'t> FnOnce(&'t mut dyn UnitOfWork) -> ScopedBoxFuture<'a, 't, Result<T, E>> + Send + 'a,
    {
        finish(self.units.begin().await?, work).await
    }
}

/// Runs `work` in this transaction, and ends it as [`Store::transact`] does.
pub(crate) async fn finish<'a, T, E, F>(mut unit: Box<dyn UnitOfWork>, work: F) -> Result<T, E>
where
    T: Send + 'a,
    E: From<StorageError> + Send + 'a,
    F: for<'t> FnOnce(&'t mut dyn UnitOfWork) -> ScopedBoxFuture<'a, 't, Result<T, E>> + Send + 'a,
{
    let outcome = work(unit.as_mut()).await;
    end(unit, outcome.is_ok()).await?;
    outcome
}

/// Commits a transaction that succeeded. Otherwise rolls back; that this failed is only logged.
async fn end(unit: Box<dyn UnitOfWork>, has_succeeded: bool) -> Result<(), StorageError> {
    if has_succeeded {
        return unit.commit().await;
    }
    if let Err(fault) = unit.rollback().await {
        tracing::warn!(error = %fault, "a transaction could not be rolled back");
    }
    Ok(())
}

/// Error that rolls a transaction back and gives the caller this result, which may be a success.
pub(crate) struct RollBack<T, E>(pub(crate) Result<T, E>);

impl<T, E: From<StorageError>> From<StorageError> for RollBack<T, E> {
    fn from(error: StorageError) -> Self {
        Self(Err(error.into()))
    }
}

impl dyn UnitOfWork + '_ {
    /// Appends an event to the audit trail.
    pub(crate) async fn record(&mut self, event: AuditEvent) -> Result<(), StorageError> {
        self.audit().append(&event).await
    }

    /// Finds a user whose account is neither locked nor deleted, and locks the row until the transaction
    /// ends.
    pub(crate) async fn active_user(&mut self, user_id: UserId) -> Result<Option<User>, StorageError> {
        Ok(self.users().find(user_id).await?.filter(|user| user.status.is_active()))
    }
}

#[cfg(test)]
mod tests;
