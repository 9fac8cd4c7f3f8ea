//! Deletes one session or one intake log of a user.

use crate::audit::{self, AuditTrail};
use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ClientId, IntakeLogId, SleepSessionId, UserId};
use std::sync::Arc;

/// Deletes records on behalf of a service client.
pub struct DeleteRecord {
    units: Arc<dyn UnitOfWorkFactory>,
    trail: AuditTrail,
}

impl DeleteRecord {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { units, trail: AuditTrail::new(entropy, clock) }
    }

    /// Deletes a session; returns whether it belonged to this user.
    pub async fn session(
        &self,
        client_id: ClientId,
        user_id: UserId,
        id: SleepSessionId,
    ) -> Result<bool, StorageError> {
        let mut unit = self.units.begin().await?;
        // Locks the user before the record, as everywhere.
        unit.users().find(user_id).await?;
        let deleted = unit.sleep().delete(user_id, &[id]).await?;
        let event = self.trail.event(AuditActor::Client, AuditKind::SleepDeleted);
        finish(unit, deleted, event.client(client_id).user(user_id).subject(id.as_uuid())).await
    }

    /// Deletes an intake log; returns whether it belonged to this user.
    pub async fn log(
        &self,
        client_id: ClientId,
        user_id: UserId,
        id: IntakeLogId,
    ) -> Result<bool, StorageError> {
        let mut unit = self.units.begin().await?;
        unit.users().find(user_id).await?;
        let deleted = unit.intake_logs().delete(user_id, &[id]).await?;
        let event = self.trail.event(AuditActor::Client, AuditKind::IntakeLogDeleted);
        finish(unit, deleted, event.client(client_id).user(user_id).subject(id.as_uuid())).await
    }
}

/// Commits a deletion with its event, or rolls back if nothing was deleted.
async fn finish(unit: Box<dyn UnitOfWork>, deleted: u64, event: AuditEvent) -> Result<bool, StorageError> {
    if deleted == 0 {
        unit.rollback().await?;
        return Ok(false);
    }
    audit::commit(unit, &[event]).await?;
    Ok(true)
}
