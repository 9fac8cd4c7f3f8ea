//! Reads a user's profile, and pages of the user's records.

use crate::access::GrantedAccess;
use crate::audit::ReadRecorder;
use crate::night::NightsQuery;
use crate::ports::storage::{
    PackedSleepRow, SleepPage, SleepPageQuery, StorageError, SupplementPage, SupplementPageQuery,
};
use crate::record::RecordReaders;
use domain::data_kind::DataKind;
use domain::read_tally::RequestedRange;
use domain::user::User;

/// Reads records for apps. A page is of the authorized user, whatever user its query names; the store's
/// connection is released on return.
pub struct ReadRecords {
    /// Readers of the store.
    pub readers: RecordReaders,
    /// Recorder of each read.
    pub recorder: ReadRecorder,
}

impl ReadRecords {
    /// Returns the authorized user; `None` if they were just deleted.
    pub async fn profile(&self, access: &GrantedAccess) -> Result<Option<User>, StorageError> {
        let found = self.readers.profiles.find_profile(access.user_id).await?;
        if found.is_some() {
            self.recorder.record_data(access, DataKind::Profile, 1, RequestedRange::default());
        }
        Ok(found)
    }

    /// Returns a page of sleep sessions.
    pub async fn sleep(
        &self,
        access: &GrantedAccess,
        query: SleepPageQuery,
    ) -> Result<SleepPage, StorageError> {
        let query = SleepPageQuery { user_id: access.user_id, ..query };
        let page = self.readers.sleep.page(query).await?;
        let range = RequestedRange { from: query.range.start(), to: query.range.end() };
        self.recorder.record_data(access, DataKind::Sleep, page.rows.len(), range);
        Ok(page)
    }

    /// Returns the sessions that end on the dates of a query, latest first, and whether earlier ones are
    /// missing.
    pub async fn nights(
        &self,
        access: &GrantedAccess,
        query: NightsQuery,
    ) -> Result<(Vec<PackedSleepRow>, bool), StorageError> {
        let query = NightsQuery { user_id: access.user_id, ..query };
        let Some(page) = query.page() else { return Ok((Vec::new(), false)) };
        let (rows, is_cut) = query.select(self.readers.sleep.page(page).await?);
        self.recorder.record_data(access, DataKind::Sleep, rows.len(), query.requested_range());
        Ok((rows, is_cut))
    }

    /// Returns a page of supplements with their logs.
    pub async fn supplements(
        &self,
        access: &GrantedAccess,
        query: SupplementPageQuery,
    ) -> Result<SupplementPage, StorageError> {
        let query = SupplementPageQuery { user_id: access.user_id, ..query };
        let page = self.readers.supplements.page(query).await?;
        let range = RequestedRange { from: query.start, to: None };
        self.recorder.record_data(access, DataKind::Supplements, page.records.len(), range);
        Ok(page)
    }
}
