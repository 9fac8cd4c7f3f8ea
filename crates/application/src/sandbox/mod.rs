//! Sandbox people: synthetic users with which app developers try out requests.
//!
//! They are marked in the store, and their email addresses are reserved, so that nobody can sign in as one,
//! send one email, or change one into a real person.

mod add_records;
mod create_people;
mod erase_people;
mod list_people;

pub use add_records::*;
pub use create_people::*;
pub use erase_people::*;
pub use list_people::*;

use crate::ports::storage::{StorageError, UnitOfWork};
use crate::synthetic::SyntheticPerson;
use chrono::{DateTime, NaiveDate, Utc};
use domain::id::UserId;
use domain::sleep::local_date;
use domain::time::TimeZone;

/// Batch size of inserts.
const BATCH: usize = 200;

/// Returns the last day that is over in a time zone.
fn yesterday(now: DateTime<Utc>, zone: TimeZone) -> NaiveDate {
    local_date(now.timestamp_millis(), zone).pred_opt().unwrap_or(NaiveDate::MIN)
}

/// Stores the records of these days with the repositories that imports use, so that the change feed lists
/// them; returns their number.
async fn store_records(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    generator: &SyntheticPerson,
    days: &[NaiveDate],
) -> Result<usize, StorageError> {
    let (sessions, logs) = (generator.sessions(days), generator.logs(days));
    for batch in sessions.chunks(BATCH) {
        unit.sleep().insert(user_id, batch).await?;
    }
    for batch in logs.chunks(BATCH) {
        unit.intake_logs().insert(user_id, batch).await?;
    }
    Ok(sessions.len() + logs.len())
}

#[cfg(test)]
mod tests;
