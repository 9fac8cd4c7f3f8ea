//! Deletes an app of a developer.

use super::{AppCommand, DeveloperAppError, check_owner, find_own, refuse};
use crate::audit;
use crate::ports::storage::UnitOfWork;
use domain::audit::{AuditActor, AuditKind};
use domain::id::ClientId;
use domain::session::Session;

crate::audit::use_case! {
    /// Deletes apps of developers.
    DeleteApp
}

impl DeleteApp {
    /// Deletes an app with its secrets and grants; the session must be fresh. Its tokens are rejected within
    /// two seconds. A disabled app cannot be deleted, because its owner could register it again.
    pub async fn run(&self, command: AppCommand<'_>) -> Result<(), DeveloperAppError> {
        let AppCommand { session, id, address } = command;
        if !session.is_fresh(self.trail.now()) {
            return Err(DeveloperAppError::NotFresh);
        }
        let mut unit = self.units.begin().await?;
        if let Err(error) = delete(&mut *unit, session, id).await {
            return Err(refuse(unit, error).await);
        }
        let event = self.trail.event(AuditActor::Person, AuditKind::AppDeleted);
        let event = event.user(session.user_id).client(id).from(address);
        Ok(audit::commit(unit, &[event]).await?)
    }
}

async fn delete(unit: &mut dyn UnitOfWork, session: &Session, id: ClientId) -> Result<(), DeveloperAppError> {
    check_owner(unit, session).await?;
    if !find_own(unit, session.user_id, id).await?.status.is_active() {
        return Err(DeveloperAppError::Disabled);
    }
    if unit.clients().delete(id).await? { Ok(()) } else { Err(DeveloperAppError::NotFound) }
}
