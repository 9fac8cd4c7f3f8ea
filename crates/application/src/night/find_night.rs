//! Finds one session of a user, with its origin.

use crate::ports::storage::{Import, ImportReader, SleepReader, StorageError};
use derive_more::Constructor;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::SleepSession;
use std::sync::Arc;

/// Finds a session.
#[derive(Constructor)]
pub struct FindNight {
    reader: Arc<dyn SleepReader>,
    imports: Arc<dyn ImportReader>,
}

impl FindNight {
    /// Returns this user's session; `None` if there is none with this id.
    pub async fn run(
        &self,
        user_id: UserId,
        id: SleepSessionId,
    ) -> Result<Option<SleepSession>, StorageError> {
        self.reader.find(user_id, id).await
    }

    /// Returns the import that last added or changed the session. The journal deletes imports after some
    /// time.
    pub async fn import(&self, user_id: UserId, id: SleepSessionId) -> Result<Option<Import>, StorageError> {
        let Some(import) = self.imports.find_import_of_session(user_id, id).await? else { return Ok(None) };
        let found = self.imports.find_import(import).await?;
        Ok(found.filter(|import| import.user_id == Some(user_id)))
    }
}
