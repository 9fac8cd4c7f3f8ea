//! Deletes one session at its owner's request.

use crate::audit::{self, AuditTrail};
use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{SleepSessionId, UserId};
use std::sync::Arc;

/// Deletes a session. The change feed reports it like a deletion by a service client.
pub struct DeleteNight {
    units: Arc<dyn UnitOfWorkFactory>,
    trail: AuditTrail,
}

impl DeleteNight {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { units, trail: AuditTrail::new(entropy, clock) }
    }

    /// Deletes the session; returns whether it belonged to this user.
    pub async fn run(&self, user_id: UserId, id: SleepSessionId) -> Result<bool, StorageError> {
        let mut unit = self.units.begin().await?;
        // Locks the user before the record, as everywhere.
        unit.users().find(user_id).await?;
        if unit.sleep().delete(user_id, &[id]).await? == 0 {
            unit.rollback().await?;
            return Ok(false);
        }
        let event = self.trail.event(AuditActor::Person, AuditKind::SleepDeleted);
        audit::commit(unit, &[event.user(user_id).subject(id.as_uuid())]).await?;
        Ok(true)
    }
}
