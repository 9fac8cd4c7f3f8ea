//! Deletes a person with everything that is stored under their id.

use crate::audit::{self, AuditTrail};
use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use std::sync::Arc;

/// Deletes people.
pub struct DeleteUser {
    units: Arc<dyn UnitOfWorkFactory>,
    trail: AuditTrail,
}

impl DeleteUser {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { units, trail: AuditTrail::new(entropy, clock) }
    }

    /// Deletes the person, their data, codes, grants and links to sign up, all or nothing; returns whether they existed. The audit
    /// trail keeps that somebody with this id was erased.
    pub async fn run(&self, id: UserId) -> Result<bool, StorageError> {
        let mut unit = self.units.begin().await?;
        let Some(user) = unit.users().find(id).await? else {
            unit.rollback().await?;
            return Ok(false);
        };
        unit.users().delete(id).await?;
        // Under their address they would be back by a link that was sent before.
        unit.password_links().delete_sign_ups(&user.email).await?;
        let event = self.trail.event(AuditActor::Operator, AuditKind::UserErased).user(id);
        audit::commit(unit, &[event]).await?;
        Ok(true)
    }
}
