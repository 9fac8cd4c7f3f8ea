//! Reads a page of a user's supplement intake.

use crate::access::GrantedAccess;
use crate::audit::ReadRecorder;
use crate::ports::storage::{StorageError, SupplementPage, SupplementPageQuery, SupplementReader};
use derive_more::Constructor;
use domain::data_kind::DataKind;
use domain::read_tally::RequestedRange;
use std::sync::Arc;

/// Reads supplements and their logs.
#[derive(Constructor)]
pub struct ReadSupplements {
    reader: Arc<dyn SupplementReader>,
    recorder: ReadRecorder,
}

impl ReadSupplements {
    /// Returns the page. Replaces the query's user with the authorized one. The store's connection is
    /// released on return.
    pub async fn run(
        &self,
        access: &GrantedAccess,
        query: SupplementPageQuery,
    ) -> Result<SupplementPage, StorageError> {
        let query = SupplementPageQuery { user_id: access.user_id, ..query };
        let page = self.reader.page(query).await?;
        let range = RequestedRange { from: query.start, to: None };
        self.recorder.record_data(access, DataKind::Supplements, page.records.len(), range);
        Ok(page)
    }
}
