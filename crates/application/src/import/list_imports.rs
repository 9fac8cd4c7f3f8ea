//! Lists imports.

use crate::ports::storage::{Import, StorageError, UnitOfWorkFactory};
use domain::id::UserId;
use std::sync::Arc;

/// How many imports are asked for at a time.
const PAGE: u32 = 200;

/// Lists imports, the latest first.
pub struct ListImports {
    units: Arc<dyn UnitOfWorkFactory>,
}

impl ListImports {
    /// Takes the port.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>) -> Self {
        Self { units }
    }

    /// Returns the imports of a person, or all, the latest start first, at most `limit`.
    pub async fn run(&self, user_id: Option<UserId>, limit: usize) -> Result<Vec<Import>, StorageError> {
        let mut unit = self.units.begin().await?;
        let mut found: Vec<Import> = Vec::new();
        while found.len() < limit {
            let after = found.last().map(|import| (import.started_at, import.id));
            let page = unit.imports().list(user_id, after, PAGE).await?;
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        unit.rollback().await?;
        found.truncate(limit);
        Ok(found)
    }
}
