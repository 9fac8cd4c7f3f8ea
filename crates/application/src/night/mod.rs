//! A person's nights: listing them by date, finding one with its origin, and deleting one.

mod list;

#[cfg(test)]
mod tests;

pub use list::{NightList, NightsQuery, recordings};

use crate::ports::storage::{Import, ImportReader, SleepReader, StorageError};
use crate::store::{RollBack, Store, transact};
use domain::audit::AuditKind;
use domain::id::{ClientId, SleepSessionId, UserId};
use domain::sleep::SleepSession;
use std::sync::Arc;

/// People's nights.
pub struct Nights {
    /// The store.
    pub store: Store,
    /// Reader of sessions.
    pub reader: Arc<dyn SleepReader>,
    /// Reader of imports.
    pub imports: Arc<dyn ImportReader>,
}

impl Nights {
    /// Returns this user's session; `None` if there is none with this id.
    pub async fn find(
        &self,
        user_id: UserId,
        id: SleepSessionId,
    ) -> Result<Option<SleepSession>, StorageError> {
        self.reader.find(user_id, id).await
    }

    /// Returns the import that last added or changed the session. The journal deletes imports after some
    /// time.
    pub async fn find_import(
        &self,
        user_id: UserId,
        id: SleepSessionId,
    ) -> Result<Option<Import>, StorageError> {
        let Some(import) = self.imports.find_import_of_session(user_id, id).await? else { return Ok(None) };
        let found = self.imports.find_import(import).await?;
        Ok(found.filter(|import| import.user_id == Some(user_id)))
    }

    /// Deletes a session; returns whether it belonged to this user. `client_id` is `None` if the user deletes
    /// it.
    pub async fn delete(
        &self,
        client_id: Option<ClientId>,
        user_id: UserId,
        id: SleepSessionId,
    ) -> Result<bool, StorageError> {
        let deleted = transact!(self.store, |tx| {
            // Locks the user before the record, as everywhere.
            tx.users().find(user_id).await?;
            if tx.sleep().delete(user_id, &[id]).await? == 0 {
                // The store has numbered a change.
                return Err(RollBack(Ok(false)));
            }
            let event = self.store.event_by(client_id, user_id, AuditKind::SleepDeleted);
            tx.record(event.subject(id.as_uuid())).await?;
            Ok(true)
        });
        deleted.await.or_else(|RollBack(result)| result)
    }
}
