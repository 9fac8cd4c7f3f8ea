//! Revokes grants.

use crate::audit;
use crate::ports::storage::{GrantFilter, GrantReader, StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::code::CodeLifetime;
use domain::grant::RevocationReason;
use domain::id::UserId;
use std::sync::Arc;

/// Why no grants are revoked.
#[derive(Debug, thiserror::Error)]
pub enum RevokeGrantsError {
    /// The filter is empty, which would match all grants.
    #[error("specify which grants to revoke: by user, by client, or one by id")]
    NothingNamed,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

audit::use_case! {
    /// Revokes grants on behalf of the operator.
    RevokeGrants { grants: Arc<dyn GrantReader> }
}

impl RevokeGrants {
    /// Revokes the matching live grants and returns their number; their tokens stop working within two
    /// seconds.
    ///
    /// Also deletes the remembered consents of the same user or client, so that no app reconnects without
    /// consent. If a user is named, all their unredeemed codes are discarded, of any client; they live for a
    /// minute. If only a client is named, its codes stay valid for that minute; disabling the client stops
    /// them.
    pub async fn run(&self, filter: GrantFilter) -> Result<u64, RevokeGrantsError> {
        let names_somebody = filter.user_id.is_some() || filter.client_id.is_some() || filter.id.is_some();
        if !names_somebody {
            return Err(RevokeGrantsError::NothingNamed);
        }
        let Some(filter) = self.with_owners(filter).await? else { return Ok(0) };
        let mut unit = self.units.begin().await?;
        let now = self.trail.now();
        let voided = match filter.user_id {
            Some(user_id) => void_codes(unit.as_mut(), user_id, now).await?,
            None => 0,
        };
        // Consents first, as an erasure deletes them: without a user to lock, only this order serializes
        // both.
        let forgotten = unit.consents().forget(filter.user_id, filter.client_id).await?;
        let revoked = unit.grants().revoke(filter, now, RevocationReason::Operator).await?;
        if voided + revoked + forgotten == 0 {
            unit.rollback().await?;
            return Ok(0);
        }
        audit::commit(unit, &[self.event(filter, revoked)]).await?;
        Ok(revoked)
    }

    /// Adds user and client to a filter for one grant; `None` if there is no such grant.
    async fn with_owners(&self, filter: GrantFilter) -> Result<Option<GrantFilter>, StorageError> {
        if filter.id.is_none() {
            return Ok(Some(filter));
        }
        let found = self.grants.list_grants(filter, None, 1).await?;
        Ok(found.first().map(|grant| GrantFilter {
            user_id: Some(grant.user_id),
            client_id: Some(grant.client_id),
            ..filter
        }))
    }

    fn event(&self, filter: GrantFilter, revoked: u64) -> AuditEvent {
        let GrantFilter { user_id, client_id, id, created_before: _ } = filter;
        let event = self.trail.event(AuditActor::Operator, AuditKind::GrantRevoked).count(revoked);
        AuditEvent { user_id, client_id, subject: id.map(|id| id.as_uuid()), ..event }
    }
}

/// Deletes a user's unredeemed codes, including those of a replica whose clock is ahead; returns their
/// number.
async fn void_codes(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    now: DateTime<Utc>,
) -> Result<u64, StorageError> {
    // Locked until the end: a concurrent issue or redemption of a code finishes first, and its grant is then
    // seen.
    unit.users().find(user_id).await?;
    unit.codes().discard_unredeemed(Some(user_id), CodeLifetime::MAX.end_from(now)).await
}
