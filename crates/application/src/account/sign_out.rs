//! Signs a user out of one browser.

use super::SessionKey;
use crate::audit;
use crate::ports::storage::StorageError;
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};

audit::use_case! {
    /// Ends one session.
    SignOut
}

impl SignOut {
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
