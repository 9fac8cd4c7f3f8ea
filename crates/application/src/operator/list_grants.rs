//! Lists grants.

use crate::ports::storage::{GrantFilter, GrantReader, StorageError};
use domain::grant::Grant;
use domain::id::GrantId;
use std::sync::Arc;

/// Lists grants.
pub struct ListGrants {
    reader: Arc<dyn GrantReader>,
}

impl ListGrants {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn GrantReader>) -> Self {
        Self { reader }
    }

    /// Returns at most `limit` matching grants after this one, live and revoked, by ascending id.
    pub async fn run(
        &self,
        filter: GrantFilter,
        after: Option<GrantId>,
        limit: u32,
    ) -> Result<Vec<Grant>, StorageError> {
        self.reader.list_grants(filter, after, limit).await
    }
}
