//! A new grant, within the limit and with its events.

use crate::audit::{self, AuditTrail};
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::grant::{Grant, MAX_LIVE_GRANTS};

/// Stores a new grant of whoever asked from wherever, revokes those that its client and person have beyond the limit, and commits.
pub(crate) async fn commit_grant(
    mut unit: Box<dyn UnitOfWork>,
    grant: &Grant,
    trail: &AuditTrail,
    (actor, address): (AuditActor, Option<AddressBlock>),
) -> Result<(), StorageError> {
    let event = |actor, kind| trail.event(actor, kind).user(grant.user_id).client(grant.client_id);
    unit.grants().insert(grant).await?;
    let excess = unit
        .grants()
        .revoke_excess(grant.client_id, grant.user_id, MAX_LIVE_GRANTS, grant.created_at)
        .await?;
    let created = event(actor, AuditKind::GrantCreated).subject(grant.id.as_uuid());
    let mut events = vec![AuditEvent { address, ..created }];
    if excess > 0 {
        events.push(event(AuditActor::Server, AuditKind::GrantRevoked).count(excess));
    }
    audit::commit(unit, &events).await
}
