//! Deletes one session or one intake log of a user.

use crate::audit::{self, AuditTrail};
use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::audit::{AuditActor, AuditKind};
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
        if unit.sleep().delete(user_id, &[id]).await? == 0 {
            unit.rollback().await?;
            return Ok(false);
        }
        let event = self.trail.event(AuditActor::Client, AuditKind::SleepDeleted);
        let event = event.client(client_id).user(user_id).subject(id.as_uuid());
        audit::commit(unit, &[event]).await?;
        Ok(true)
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
        if unit.intake_logs().delete(user_id, &[id]).await? == 0 {
            unit.rollback().await?;
            return Ok(false);
        }
        let event = self.trail.event(AuditActor::Client, AuditKind::IntakeLogDeleted);
        let event = event.client(client_id).user(user_id).subject(id.as_uuid());
        audit::commit(unit, &[event]).await?;
        Ok(true)
    }
}
