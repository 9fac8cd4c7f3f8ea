//! Deletes one session at its owner's request.

use crate::audit;
use crate::ports::storage::StorageError;
use domain::audit::{AuditActor, AuditKind};
use domain::id::{SleepSessionId, UserId};

audit::use_case! {
    /// Deletes a session. The change feed reports it like a deletion by a service client.
    DeleteNight
}

impl DeleteNight {
    /// Deletes the session; returns whether it belonged to this user.
    pub async fn run(&self, user_id: UserId, id: SleepSessionId) -> Result<bool, StorageError> {
        let mut unit = self.units.begin().await?;
        // Locks the user before the record, as everywhere.
        unit.users().find(user_id).await?;
        let deleted = unit.sleep().delete(user_id, &[id]).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::SleepDeleted);
        audit::commit_if(deleted > 0, unit, event.user(user_id).subject(id.as_uuid())).await
    }
}
