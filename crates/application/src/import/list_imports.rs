//! Lists imports.

use crate::ports::storage::{Import, ImportReader, StorageError};
use derive_more::Constructor;
use domain::id::UserId;
use std::sync::Arc;

/// Maximum number of imports per read.
const PAGE: u32 = 200;

/// Lists imports, latest first.
#[derive(Constructor)]
pub struct ListImports {
    reader: Arc<dyn ImportReader>,
}

impl ListImports {
    /// Returns at most `limit` imports of a user, or of all users, latest start first.
    pub async fn run(&self, user_id: Option<UserId>, limit: usize) -> Result<Vec<Import>, StorageError> {
        let mut found: Vec<Import> = Vec::new();
        while found.len() < limit {
            let after = found.last().map(|import| (import.started_at, import.id));
            let page = self.reader.list_imports(user_id, after, PAGE).await?;
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        found.truncate(limit);
        Ok(found)
    }
}
