//! Sandbox people: synthetic users with which app developers try out requests.
//!
//! They are marked in the store, and their email addresses are reserved, so that nobody can sign in as one,
//! send one email, or change one into a real person.

mod creation;

#[cfg(test)]
mod tests;

pub use creation::CreateSandboxError;

use crate::erasure::{Eraser, ErasureError, Erasures};
use crate::ports::storage::{Erasure, SandboxReader, StorageError, UnitOfWork};
use crate::store::{Store, transact};
use crate::synthetic::{SyntheticPerson, days_between};
use chrono::{DateTime, NaiveDate, Utc};
use domain::id::UserId;
use domain::sandbox::SandboxPerson;
use domain::sleep::local_date;
use domain::time::TimeZone;
use std::sync::Arc;

/// Batch size of inserts.
const BATCH: usize = 200;

/// Sandbox people of developers and of the operator.
pub struct SandboxPeople {
    /// The store.
    pub store: Store,
    /// Reader of sandbox people.
    pub reader: Arc<dyn SandboxReader>,
}

impl SandboxPeople {
    /// Lists the sandbox people of a developer, or for the operator (`None`) all that exist, by ascending id.
    pub async fn list(&self, owner: Option<UserId>) -> Result<Vec<SandboxPerson>, StorageError> {
        self.reader.list_sandbox_people(owner).await
    }

    /// Adds the records of all days up to yesterday to everyone, and returns the number of records. A person
    /// whose records conflict, because someone else stored a record with the same key, gets none for these
    /// days.
    ///
    /// The last day with records is stored in the same transaction as the records, and the user is locked:
    /// two servers that run this at the same time add each day once, and deleted records stay deleted.
    pub async fn add_days(&self) -> Result<usize, StorageError> {
        let mut added = 0;
        for person in self.list(None).await? {
            added += transact!(self.store, |tx| { self.add_days_of(tx, person.user_id).await }).await?;
        }
        Ok(added)
    }

    /// Returns the number of records.
    async fn add_days_of(&self, tx: &mut dyn UnitOfWork, user_id: UserId) -> Result<usize, StorageError> {
        let Some(user) = tx.users().find(user_id).await? else { return Ok(0) };
        // Read after the user is locked.
        let Some(person) = tx.sandbox().find(user_id).await? else { return Ok(0) };
        let until = yesterday(self.store.now(), user.home_timezone);
        let days = days_between(person.records_until, until);
        if days.is_empty() {
            return Ok(0);
        }
        tx.sandbox().set_records_until(user_id, until).await?;
        let generator = SyntheticPerson::new(user_id, person.story, user.home_timezone);
        match store_records(tx, user_id, &generator, &days).await {
            Err(StorageError::Conflict(key)) => {
                tracing::warn!(%user_id, ?key, "a sandbox person already has other records for these days; those are kept");
                Ok(0)
            }
            outcome => outcome,
        }
    }

    /// Erases all sandbox people of a developer, or for the operator (`None`) all that exist, and returns
    /// their receipts. Each is erased in a transaction; after an error the others are left.
    pub async fn erase_all(&self, owner: Option<UserId>) -> Result<Vec<Erasure>, StorageError> {
        let erasures = Erasures { store: self.store.clone() };
        let mut receipts = Vec::new();
        for SandboxPerson { user_id, .. } in self.list(owner).await? {
            match erasures.erase(Eraser::SandboxOwner { user_id, owner }).await {
                Ok(erasure) => receipts.push(erasure),
                Err(ErasureError::Storage(error)) => return Err(error),
                // The person was erased concurrently.
                Err(ErasureError::NotFound | ErasureError::NotFresh | ErasureError::SessionEnded) => {}
            }
        }
        Ok(receipts)
    }
}

/// Returns the last day that is over in a time zone.
fn yesterday(now: DateTime<Utc>, zone: TimeZone) -> NaiveDate {
    local_date(now.timestamp_millis(), zone).pred_opt().unwrap_or(NaiveDate::MIN)
}

/// Stores the records of these days with the repositories that imports use, so that the change feed lists
/// them; returns their number.
async fn store_records(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    generator: &SyntheticPerson,
    days: &[NaiveDate],
) -> Result<usize, StorageError> {
    let (sessions, logs) = (generator.sessions(days), generator.logs(days));
    for batch in sessions.chunks(BATCH) {
        tx.sleep().insert(user_id, batch).await?;
    }
    for batch in logs.chunks(BATCH) {
        tx.intake_logs().insert(user_id, batch).await?;
    }
    Ok(sessions.len() + logs.len())
}
