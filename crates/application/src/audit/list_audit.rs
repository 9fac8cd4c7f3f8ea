//! Lists audit events.

use crate::ports::storage::{AuditFilter, AuditPosition, AuditReader, StorageError};
use domain::audit::AuditEvent;
use std::sync::Arc;

/// Lists events of the audit trail.
pub struct ListAudit {
    reader: Arc<dyn AuditReader>,
}

impl ListAudit {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn AuditReader>) -> Self {
        Self { reader }
    }

    /// Returns at most `limit` matching events after this position, latest first. Time and id of the last one
    /// are the position of the next page.
    pub async fn run(
        &self,
        filter: AuditFilter,
        after: Option<AuditPosition>,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        self.reader.list_events(filter, after, limit).await
    }
}
