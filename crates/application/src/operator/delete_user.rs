//! Deletes a person with everything that is stored under their id.

use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use domain::id::UserId;
use std::sync::Arc;

/// Deletes people.
pub struct DeleteUser {
    units: Arc<dyn UnitOfWorkFactory>,
}

impl DeleteUser {
    /// Takes the port.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>) -> Self {
        Self { units }
    }

    /// Deletes the person, their data, codes and grants, all or nothing; returns whether they existed.
    pub async fn run(&self, id: UserId) -> Result<bool, StorageError> {
        let mut unit = self.units.begin().await?;
        let existed = unit.users().delete(id).await?;
        unit.commit().await?;
        Ok(existed)
    }
}
