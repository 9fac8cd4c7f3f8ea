//! Stores new grants, with their audit events and within the limit.

use crate::audit::{self, AuditTrail};
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::grant::{Grant, MAX_LIVE_GRANTS};

/// Stores a new grant, revokes the excess grants of its client and user, and commits. `asked` is the actor
/// and address of the request.
pub(crate) async fn commit_grant(
    mut unit: Box<dyn UnitOfWork>,
    grant: &Grant,
    trail: &AuditTrail,
    asked: (AuditActor, Option<AddressBlock>),
) -> Result<(), StorageError> {
    unit.grants().insert(grant).await?;
    let mut events = vec![created(trail, grant, asked)];
    events.extend(revoke_excess(&mut unit, grant, trail).await?);
    audit::commit(unit, &events).await
}

/// Commits a unit of work in which a code was redeemed into this grant. `live` is the number of live grants
/// of the client and user: excess ones are revoked.
pub(crate) async fn commit_redeemed_grant(
    mut unit: Box<dyn UnitOfWork>,
    grant: &Grant,
    trail: &AuditTrail,
    live: usize,
) -> Result<(), StorageError> {
    let revoked = if live > MAX_LIVE_GRANTS { revoke_excess(&mut unit, grant, trail).await? } else { None };
    audit::commit(unit, revoked.as_slice()).await
}

/// Returns the audit event of a new grant.
pub(crate) fn created(
    trail: &AuditTrail,
    grant: &Grant,
    (actor, address): (AuditActor, Option<AddressBlock>),
) -> AuditEvent {
    let event = trail.event(actor, AuditKind::GrantCreated).user(grant.user_id).client(grant.client_id);
    AuditEvent { address, ..event.subject(grant.id.as_uuid()) }
}

/// Revokes the grants of a client and user beyond the limit, and returns the audit event if there were any.
async fn revoke_excess(
    unit: &mut Box<dyn UnitOfWork>,
    grant: &Grant,
    trail: &AuditTrail,
) -> Result<Option<AuditEvent>, StorageError> {
    let (client_id, user_id) = (grant.client_id, grant.user_id);
    let excess = unit.grants().revoke_excess(client_id, user_id, MAX_LIVE_GRANTS, grant.created_at).await?;
    let event = || trail.event(AuditActor::Server, AuditKind::GrantRevoked).user(user_id).client(client_id);
    Ok((excess > 0).then(|| event().count(excess)))
}
