//! Clock of an embedded store, which is the machine's clock.

use crate::store::SqliteStore;
use application::ports::storage::{StorageError, StoreClock};
use async_trait::async_trait;
use chrono::{DateTime, SubsecRound as _, Utc};

/// Returns the machine's time in microseconds: every process that has the file open is on this machine.
#[expect(clippy::disallowed_methods, reason = "the clock of an embedded store is the machine's")]
pub(crate) fn now() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(6)
}

#[async_trait]
impl StoreClock for SqliteStore {
    async fn store_now(&self) -> Result<DateTime<Utc>, StorageError> {
        Ok(now())
    }
}
