//! Grants: the access that people gave to apps, and its end.

mod last_uses;

#[cfg(test)]
mod tests;

pub use crate::ports::storage::ConnectedApp;

use crate::ports::storage::{ConnectedAppReader, GrantFilter, GrantReader, StorageError, UnitOfWork};
use crate::session::SignedInPerson;
use crate::store::{RollBack, Store, transact};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::code::CodeLifetime;
use domain::grant::RevocationReason;
use domain::id::{ClientId, UserId};
use std::sync::Arc;

/// Grants of users to apps.
pub struct Grants {
    /// The store.
    pub store: Store,
    /// Reader of grants.
    pub reader: Arc<dyn GrantReader>,
    /// Reader of connected apps.
    pub apps: Arc<dyn ConnectedAppReader>,
}

/// Why the operator revokes no grants.
#[derive(Debug, thiserror::Error)]
pub enum RevokeGrantsError {
    /// The filter is empty, which would match all grants.
    #[error("specify which grants to revoke: by user, by client, or one by id")]
    NothingNamed,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Grants {
    /// Returns the apps with live grants or a remembered consent of this user, by name.
    pub async fn list_apps(&self, user_id: UserId) -> Result<Vec<ConnectedApp>, StorageError> {
        self.apps.list_connected_apps(user_id).await
    }

    /// Revokes the person's live grants of this app, or of all apps, and returns their number; their tokens
    /// stop working within two seconds. Remembered consents are deleted. All unredeemed codes of the person
    /// are discarded, of any app: they live for a minute, and the app can ask again.
    pub async fn disconnect(
        &self,
        person: &SignedInPerson,
        client_id: Option<ClientId>,
    ) -> Result<u64, StorageError> {
        let (user_id, now) = (person.user_id, self.store.now());
        transact!(self.store, |tx| {
            discard_codes(tx, user_id, now).await?;
            let filter = GrantFilter { user_id: Some(user_id), client_id, ..GrantFilter::default() };
            let revoked = tx.grants().revoke(filter, now, RevocationReason::Person).await?;
            let forgotten = tx.consents().forget(Some(user_id), client_id).await?;
            if revoked + forgotten > 0 {
                let event = person.event(&self.store, AuditKind::GrantRevoked).count(revoked);
                tx.record(AuditEvent { client_id, ..event }).await?;
            }
            Ok(revoked)
        })
        .await
    }

    /// Revokes the matching live grants for the operator and returns their number; their tokens stop working
    /// within two seconds.
    ///
    /// Also deletes the remembered consents of the same user or client, so that no app reconnects without
    /// consent. If a user is named, all their unredeemed codes are discarded, of any client; they live for a
    /// minute. If only a client is named, its codes stay valid for that minute; disabling the client stops
    /// them.
    pub async fn revoke(&self, filter: GrantFilter) -> Result<u64, RevokeGrantsError> {
        if filter.user_id.is_none() && filter.client_id.is_none() && filter.id.is_none() {
            return Err(RevokeGrantsError::NothingNamed);
        }
        let Some(filter) = self.with_owners(filter).await? else { return Ok(0) };
        let GrantFilter { user_id, client_id, id, created_before: _ } = filter;
        let outcome = transact!(self.store, |tx| {
            let now = self.store.now();
            let discarded = match user_id {
                Some(user_id) => discard_codes(tx, user_id, now).await?,
                None => 0,
            };
            // Consents first, as an erasure deletes them: without a user to lock, only this order serializes
            // both.
            let forgotten = tx.consents().forget(user_id, client_id).await?;
            let revoked = tx.grants().revoke(filter, now, RevocationReason::Operator).await?;
            if discarded + revoked + forgotten == 0 {
                return Err(RollBack(Ok(0)));
            }
            let event = self.store.event(AuditActor::Operator, AuditKind::GrantRevoked).count(revoked);
            let subject = id.map(|id| id.as_uuid());
            tx.record(AuditEvent { user_id, client_id, subject, ..event }).await?;
            Ok(revoked)
        });
        outcome.await.or_else(|RollBack(outcome)| outcome)
    }

    /// Adds user and client to a filter for one grant; `None` if there is no such grant.
    async fn with_owners(&self, filter: GrantFilter) -> Result<Option<GrantFilter>, StorageError> {
        if filter.id.is_none() {
            return Ok(Some(filter));
        }
        let found = self.reader.list_grants(filter, None, 1).await?;
        Ok(found.first().map(|grant| GrantFilter {
            user_id: Some(grant.user_id),
            client_id: Some(grant.client_id),
            ..filter
        }))
    }
}

/// Deletes a user's unredeemed codes, including those of a replica whose clock is ahead; returns their
/// number. Locks the user until the transaction ends: a concurrent issue or redemption of a code finishes
/// first, and its grant is then seen.
async fn discard_codes(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    now: DateTime<Utc>,
) -> Result<u64, StorageError> {
    tx.users().find(user_id).await?;
    tx.codes().discard_unredeemed(Some(user_id), CodeLifetime::MAX.end_from(now)).await
}
