//! Lists people, or finds one.

use crate::ports::storage::{ProfileReader, StorageError, UnitOfWorkFactory};
use domain::id::UserId;
use domain::user::User;
use std::sync::Arc;

/// Lists people.
pub struct ListUsers {
    units: Arc<dyn UnitOfWorkFactory>,
}

impl ListUsers {
    /// Takes the port.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>) -> Self {
        Self { units }
    }

    /// Returns the people after this id, by ascending id, at most `limit`.
    pub async fn run(&self, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StorageError> {
        let mut unit = self.units.begin().await?;
        let users = unit.users().list(after, limit).await?;
        unit.rollback().await?;
        Ok(users)
    }
}

/// Finds one person.
pub struct FindUser {
    reader: Arc<dyn ProfileReader>,
}

impl FindUser {
    /// Takes the port.
    pub fn new(reader: Arc<dyn ProfileReader>) -> Self {
        Self { reader }
    }

    /// Returns the person, or nothing.
    pub async fn run(&self, id: UserId) -> Result<Option<User>, StorageError> {
        self.reader.find_profile(id).await
    }
}
