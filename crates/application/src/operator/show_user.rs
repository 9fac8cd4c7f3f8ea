//! Shows a user to the operator.

use crate::audit::AuditTrail;
use crate::ports::storage::{ProfileReader, StorageError, UnitOfWorkFactory};
use derive_more::Constructor;
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::user::User;
use std::sync::Arc;

/// Shows a user's profile to the operator.
#[derive(Constructor)]
pub struct ShowUser {
    reader: Arc<dyn ProfileReader>,
    units: Arc<dyn UnitOfWorkFactory>,
    trail: AuditTrail,
}

impl ShowUser {
    /// Returns the user after recording the access in the audit trail; `None` if there is none.
    pub async fn run(&self, id: UserId) -> Result<Option<User>, StorageError> {
        let Some(user) = self.reader.find_profile(id).await? else { return Ok(None) };
        let event = self.trail.event(AuditActor::Operator, AuditKind::ProfileShown).user(id);
        let mut unit = self.units.begin().await?;
        unit.audit().append_once(&event, event.at).await?;
        unit.commit().await?;
        Ok(Some(user))
    }
}
