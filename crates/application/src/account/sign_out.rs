//! Signs a user out of one browser.

use super::SessionKey;
use crate::audit::AuditTrail;
use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use std::sync::Arc;

/// Ends one session.
pub struct SignOut {
    units: Arc<dyn UnitOfWorkFactory>,
    trail: AuditTrail,
}

impl SignOut {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { units, trail: AuditTrail::new(entropy, clock) }
    }

    /// Ends the session and returns whether it existed. `actor` is the user (with their address) or the
    /// operator.
    pub async fn run(
        &self,
        session: SessionKey,
        actor: AuditActor,
        address: Option<AddressBlock>,
    ) -> Result<bool, StorageError> {
        let SessionKey { user_id, id } = session;
        let mut unit = self.units.begin().await?;
        // Locks the user: concurrent writes in this session finish first, or find it gone.
        unit.users().find(user_id).await?;
        let existed = unit.sessions().delete(user_id, id).await?;
        if existed {
            let event = self.trail.event(actor, AuditKind::SignedOut).user(user_id).subject(id.as_uuid());
            let event = AuditEvent { address, ..event };
            unit.audit().append(&event).await?;
        }
        unit.commit().await?;
        Ok(existed)
    }
}
