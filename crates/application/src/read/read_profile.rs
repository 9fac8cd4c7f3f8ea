//! Reads a user's profile.

use crate::access::GrantedAccess;
use crate::audit::ReadRecorder;
use crate::ports::storage::{ProfileReader, StorageError};
use derive_more::Constructor;
use domain::data_kind::DataKind;
use domain::read_tally::RequestedRange;
use domain::user::User;
use std::sync::Arc;

/// Reads profiles.
#[derive(Constructor)]
pub struct ReadProfile {
    reader: Arc<dyn ProfileReader>,
    recorder: ReadRecorder,
}

impl ReadProfile {
    /// Returns the authorized user; `None` if they were just deleted.
    pub async fn run(&self, access: &GrantedAccess) -> Result<Option<User>, StorageError> {
        let found = self.reader.find_profile(access.user_id).await?;
        if found.is_some() {
            self.recorder.record_data(access, DataKind::Profile, 1, RequestedRange::default());
        }
        Ok(found)
    }
}
