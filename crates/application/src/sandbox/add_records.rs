//! Adds the records of new days to sandbox people.

use super::{store_records, yesterday};
use crate::ports::storage::{SandboxReader, StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::Clock;
use crate::synthetic::{SyntheticPerson, days_between};
use derive_more::Constructor;
use domain::id::UserId;
use std::sync::Arc;

/// Adds the records of new days to sandbox people.
///
/// The last day with records is stored in the same unit of work as the records, and the user is locked: two
/// servers that run this at the same time add each day once, and deleted records stay deleted.
#[derive(Constructor)]
pub struct AddSandboxRecords {
    units: Arc<dyn UnitOfWorkFactory>,
    reader: Arc<dyn SandboxReader>,
    clock: Arc<dyn Clock>,
}

impl AddSandboxRecords {
    /// Adds the records of all days up to yesterday to everyone, and returns the number of records. A person
    /// whose records conflict, because someone else stored a record with the same key, gets none for these
    /// days.
    pub async fn run(&self) -> Result<usize, StorageError> {
        let mut added = 0;
        for person in self.reader.list_sandbox_people(None).await? {
            let mut unit = self.units.begin().await?;
            match self.add(unit.as_mut(), person.user_id).await? {
                Some(records) => {
                    unit.commit().await?;
                    added += records;
                }
                None => unit.rollback().await?,
            }
        }
        Ok(added)
    }

    /// Returns the number of records; `None` if nothing is to be stored.
    async fn add(&self, unit: &mut dyn UnitOfWork, user_id: UserId) -> Result<Option<usize>, StorageError> {
        let Some(user) = unit.users().find(user_id).await? else { return Ok(None) };
        // Read after the user is locked.
        let Some(person) = unit.sandbox().find(user_id).await? else { return Ok(None) };
        let until = yesterday(self.clock.now(), user.home_timezone);
        let days = days_between(person.records_until, until);
        if days.is_empty() {
            return Ok(None);
        }
        unit.sandbox().set_records_until(user_id, until).await?;
        let generator = SyntheticPerson::new(user_id, person.story, user.home_timezone);
        match store_records(unit, user_id, &generator, &days).await {
            Err(StorageError::Conflict(key)) => {
                tracing::warn!(%user_id, ?key, "a sandbox person already has other records for these days; those are kept");
                Ok(Some(0))
            }
            outcome => outcome.map(Some),
        }
    }
}
