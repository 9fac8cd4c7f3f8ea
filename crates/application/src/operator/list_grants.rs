//! Lists grants.

use crate::ports::storage::{GrantFilter, StorageError, UnitOfWorkFactory};
use domain::grant::Grant;
use domain::id::GrantId;
use std::sync::Arc;

/// Lists grants.
pub struct ListGrants {
    units: Arc<dyn UnitOfWorkFactory>,
}

impl ListGrants {
    /// Takes the port.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>) -> Self {
        Self { units }
    }

    /// Returns the grants that match, live and revoked, by ascending id, those after this one, at most `limit`.
    pub async fn run(
        &self,
        filter: GrantFilter,
        after: Option<GrantId>,
        limit: u32,
    ) -> Result<Vec<Grant>, StorageError> {
        let mut unit = self.units.begin().await?;
        let grants = unit.grants().list(filter, after, limit).await?;
        unit.rollback().await?;
        Ok(grants)
    }
}
