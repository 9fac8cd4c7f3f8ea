//! Events and limit of new grants.

use crate::ports::storage::{StorageError, UnitOfWork};
use crate::store::Store;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::grant::{Grant, MAX_LIVE_GRANTS};

/// Returns the event of a new grant.
pub(crate) fn created(store: &Store, actor: AuditActor, grant: &Grant) -> AuditEvent {
    let event = store.event(actor, AuditKind::GrantCreated).user(grant.user_id).client(grant.client_id);
    event.subject(grant.id.as_uuid())
}

/// Revokes the grants of a client and user beyond the limit after this new one.
pub(crate) async fn revoke_excess(
    tx: &mut dyn UnitOfWork,
    store: &Store,
    grant: &Grant,
) -> Result<(), StorageError> {
    let (client_id, user_id) = (grant.client_id, grant.user_id);
    let excess = tx.grants().revoke_excess(client_id, user_id, MAX_LIVE_GRANTS, grant.created_at).await?;
    if excess > 0 {
        let event = store.event(AuditActor::Server, AuditKind::GrantRevoked).user(user_id).client(client_id);
        tx.record(event.count(excess)).await?;
    }
    Ok(())
}
