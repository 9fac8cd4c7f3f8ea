//! Deletes one session or one intake log of a user.

use crate::audit;
use crate::ports::storage::StorageError;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ClientId, IntakeLogId, SleepSessionId, UserId};

audit::use_case! {
    /// Deletes records on behalf of a service client, and sessions at their owner's request.
    DeleteRecord
}

impl DeleteRecord {
    /// Deletes a session; returns whether it belonged to this user. `client_id` is `None` at the user's own
    /// request.
    pub async fn session(
        &self,
        client_id: Option<ClientId>,
        user_id: UserId,
        id: SleepSessionId,
    ) -> Result<bool, StorageError> {
        let mut unit = self.units.begin().await?;
        // Locks the user before the record, as everywhere.
        unit.users().find(user_id).await?;
        let deleted = unit.sleep().delete(user_id, &[id]).await?;
        let actor = client_id.map_or(AuditActor::Person, |_| AuditActor::Client);
        let event = AuditEvent { client_id, ..self.trail.event(actor, AuditKind::SleepDeleted) };
        audit::commit_if(deleted > 0, unit, event.user(user_id).subject(id.as_uuid())).await
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
        audit::commit_if(deleted > 0, unit, event.client(client_id).user(user_id).subject(id.as_uuid())).await
    }
}
