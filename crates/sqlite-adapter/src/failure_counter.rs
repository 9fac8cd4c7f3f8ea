//! Counters of failed attempts.

use crate::error::StorageResult as _;
use crate::row::{Cells, micros};
use crate::statement::delete_oldest;
use crate::store::SqliteStore;
use application::ports::storage::{FailureCount, FailureCounter, FailureKey, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel::sqlite::SqliteConnection;
use store_shared::column::Held as _;
use store_shared::{Raw, Store as _};

#[async_trait]
impl FailureCounter for SqliteStore {
    async fn record_failure(
        &self,
        keys: &[FailureKey],
        at: DateTime<Utc>,
        window: TimeDelta,
    ) -> Result<Vec<FailureCount>, StorageError> {
        let keys = keys.to_vec();
        self.write(move |connection| keys.iter().map(|key| record(connection, key, at, window)).collect())
            .await
    }

    async fn uncount(&self, keys: &[FailureKey], at: DateTime<Utc>) -> Result<(), StorageError> {
        // A window that began later does not contain the failure to subtract.
        const UNCOUNT: &str = "UPDATE failure_counter SET failures = failures - 1
            WHERE key = ? AND window_began_at <= ? AND failures > 0";

        let uncount = |FailureKey(key): &FailureKey| Raw::same(UNCOUNT).blob(key).bind(at.cell());
        self.change_all(keys.iter().map(uncount).collect()).await
    }

    async fn forget(&self, keys: &[FailureKey]) -> Result<(), StorageError> {
        let forget =
            |FailureKey(key): &FailureKey| Raw::same("DELETE FROM failure_counter WHERE key = ?").blob(key);
        self.change_all(keys.iter().map(forget).collect()).await
    }

    async fn delete_stale(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.write(delete_oldest(("failure_counter", "key", "window_began_at"), before, limit)).await
    }
}

/// Adds a failure, or starts a new window if the current one is over. If an earlier failure arrives later,
/// the window starts at that failure.
fn record(
    connection: &mut SqliteConnection,
    key: &FailureKey,
    at: DateTime<Utc>,
    window: TimeDelta,
) -> Result<FailureCount, StorageError> {
    // A window that began at or before this time is over.
    let over = micros(at.checked_sub_signed(window).unwrap_or(DateTime::<Utc>::MIN_UTC));
    let statement: Raw<(BigInt, BigInt)> = Raw::same(
        "INSERT INTO failure_counter (key, window_began_at, failures) VALUES (?, ?, 1) \
         ON CONFLICT (key) DO UPDATE SET \
         failures = CASE WHEN window_began_at <= ? THEN 1 ELSE failures + 1 END, \
         window_began_at = CASE WHEN window_began_at <= ? THEN excluded.window_began_at \
         ELSE min(window_began_at, excluded.window_began_at) END \
         RETURNING window_began_at, failures",
    )
    .blob(&key.0)
    .bind(micros(at))
    .bind(over)
    .bind(over);
    let (began_at, failures): (i64, i64) = statement.get_result(connection).storage()?;
    let cells = Cells::new("failure_counter", &key.0);
    let began_at = cells.instant("window_began_at", began_at)?;
    Ok(FailureCount {
        count: failures.try_into().unwrap_or(u32::MAX),
        window_ends_at: began_at.checked_add_signed(window).unwrap_or(DateTime::<Utc>::MAX_UTC),
    })
}
