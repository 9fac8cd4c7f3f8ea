//! Lists people, finds one, or shows one to the operator.

use crate::audit::AuditTrail;
use crate::ports::storage::{ProfileReader, StorageError, UnitOfWorkFactory};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::user::User;
use std::sync::Arc;

/// Lists people.
pub struct ListUsers {
    reader: Arc<dyn ProfileReader>,
}

impl ListUsers {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn ProfileReader>) -> Self {
        Self { reader }
    }

    /// Returns the people after this id, by ascending id, at most `limit`.
    pub async fn run(&self, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StorageError> {
        self.reader.list_profiles(after, limit).await
    }
}

/// Finds one person.
pub struct FindUser {
    reader: Arc<dyn ProfileReader>,
}

impl FindUser {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn ProfileReader>) -> Self {
        Self { reader }
    }

    /// Returns the person, or nothing.
    pub async fn run(&self, id: UserId) -> Result<Option<User>, StorageError> {
        self.reader.find_profile(id).await
    }
}

/// Shows a person's profile to the operator.
pub struct ShowUser {
    reader: Arc<dyn ProfileReader>,
    units: Arc<dyn UnitOfWorkFactory>,
    trail: AuditTrail,
}

impl ShowUser {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn ProfileReader>, units: Arc<dyn UnitOfWorkFactory>, trail: AuditTrail) -> Self {
        Self { reader, units, trail }
    }

    /// Returns the person, once it is stored that the operator saw them; `None` if there is no such person.
    pub async fn run(&self, id: UserId) -> Result<Option<User>, StorageError> {
        let Some(user) = self.reader.find_profile(id).await? else { return Ok(None) };
        let event = self.trail.event(AuditActor::Operator, AuditKind::ProfileShown).user(id);
        let mut unit = self.units.begin().await?;
        unit.audit().append_once(&event, event.at).await?;
        unit.commit().await?;
        Ok(Some(user))
    }
}
