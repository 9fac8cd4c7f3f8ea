//! Reads a page of a user's sleep sessions.

use crate::access::GrantedAccess;
use crate::audit::{AnsweredRead, ReadRecorder};
use crate::ports::storage::{SleepPage, SleepPageQuery, SleepReader, StorageError};
use domain::data_kind::DataKind;
use domain::read_tally::{AskedRange, ReadKind};
use std::sync::Arc;

/// Reads sleep sessions.
pub struct ReadSleep {
    reader: Arc<dyn SleepReader>,
    recorder: ReadRecorder,
}

impl ReadSleep {
    /// Creates the use case; `recorder` logs each read.
    pub fn new(reader: Arc<dyn SleepReader>, recorder: ReadRecorder) -> Self {
        Self { reader, recorder }
    }

    /// Returns the page. Replaces the query's user with the authorized one. The store's connection is
    /// released on return.
    pub async fn run(
        &self,
        access: &GrantedAccess,
        query: SleepPageQuery,
    ) -> Result<SleepPage, StorageError> {
        let query = SleepPageQuery { user_id: access.user_id, ..query };
        let page = self.reader.page(query).await?;
        self.recorder.record(AnsweredRead {
            user_id: access.user_id,
            reader: access.reader,
            kind: ReadKind::Data(DataKind::Sleep),
            items: page.rows.len(),
            range: AskedRange { from: query.range.start(), to: query.range.end() },
        });
        Ok(page)
    }
}
