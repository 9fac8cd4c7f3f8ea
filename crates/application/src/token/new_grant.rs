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
    asked: (AuditActor, Option<AddressBlock>),
) -> Result<(), StorageError> {
    unit.grants().insert(grant).await?;
    let mut events = vec![created(trail, grant, asked)];
    events.extend(revoke_excess(&mut unit, grant, trail).await?);
    audit::commit(unit, &events).await
}

/// Ends the unit of work in which a code was redeemed into this grant, with which its client and person have so many live
/// ones: only beyond the limit there is anything left to revoke.
pub(crate) async fn commit_redeemed_grant(
    mut unit: Box<dyn UnitOfWork>,
    grant: &Grant,
    trail: &AuditTrail,
    live: usize,
) -> Result<(), StorageError> {
    let revoked = if live > MAX_LIVE_GRANTS { revoke_excess(&mut unit, grant, trail).await? } else { None };
    audit::commit(unit, revoked.as_slice()).await
}

/// The event that whoever asked, from wherever, got this grant.
pub(crate) fn created(
    trail: &AuditTrail,
    grant: &Grant,
    (actor, address): (AuditActor, Option<AddressBlock>),
) -> AuditEvent {
    let event = trail.event(actor, AuditKind::GrantCreated).user(grant.user_id).client(grant.client_id);
    AuditEvent { address, ..event.subject(grant.id.as_uuid()) }
}

/// Revokes what a grant's client and person have beyond the limit; returns the event about it, if there was any.
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
