//! Reads a page of a user's sleep sessions.

use crate::access::GrantedAccess;
use crate::audit::ReadRecorder;
use crate::night::NightsQuery;
use crate::ports::storage::{PackedSleepRow, SleepPage, SleepPageQuery, SleepReader, StorageError};
use derive_more::Constructor;
use domain::data_kind::DataKind;
use domain::read_tally::RequestedRange;
use std::sync::Arc;

/// Reads sleep sessions.
#[derive(Constructor)]
pub struct ReadSleep {
    reader: Arc<dyn SleepReader>,
    recorder: ReadRecorder,
}

impl ReadSleep {
    /// Returns the page. Replaces the query's user with the authorized one. The store's connection is
    /// released on return.
    pub async fn run(
        &self,
        access: &GrantedAccess,
        query: SleepPageQuery,
    ) -> Result<SleepPage, StorageError> {
        let query = SleepPageQuery { user_id: access.user_id, ..query };
        let page = self.reader.page(query).await?;
        let range = RequestedRange { from: query.range.start(), to: query.range.end() };
        self.recorder.record_data(access, DataKind::Sleep, page.rows.len(), range);
        Ok(page)
    }

    /// Returns the sessions that end on the dates of a query, latest first, and whether earlier ones are
    /// missing. Replaces the query's user with the authorized one.
    pub async fn nights(
        &self,
        access: &GrantedAccess,
        query: NightsQuery,
    ) -> Result<(Vec<PackedSleepRow>, bool), StorageError> {
        let query = NightsQuery { user_id: access.user_id, ..query };
        let Some(page) = query.page() else { return Ok((Vec::new(), false)) };
        let (rows, is_cut) = query.select(self.reader.page(page).await?);
        self.recorder.record_data(access, DataKind::Sleep, rows.len(), query.requested_range());
        Ok((rows, is_cut))
    }
}
