//! Counters of failed attempts.

use crate::error::unexpected;
use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{FailureCount, FailureCounter, FailureKey, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::sql_query;
use diesel::sql_types::{Array, Binary, Integer, Timestamptz};
use std::collections::BTreeMap;

/// Adds failures, or starts a new window if the current one is over.
///
/// Keys are sorted, so that concurrent calls lock rows in the same order. If an earlier failure arrives
/// later, the window starts at that failure.
const RECORD: &str = "INSERT INTO failure_counter AS c (key, window_began_at, failures)
    SELECT k.key, $3, k.failures FROM unnest($1, $2) AS k (key, failures)
    ON CONFLICT (key) DO UPDATE SET
        failures = CASE WHEN c.window_began_at <= $4 THEN excluded.failures
            ELSE least(c.failures::bigint + excluded.failures, 2147483647)::integer END,
        window_began_at = CASE WHEN c.window_began_at <= $4 THEN $3 ELSE least(c.window_began_at, $3) END
    RETURNING key, window_began_at, failures";

/// Locks in the order of [`RECORD`], then deletes.
const FORGET: &str = "DELETE FROM failure_counter WHERE key IN (
    SELECT key FROM failure_counter WHERE key = ANY ($1) ORDER BY key FOR UPDATE)";

/// Locks in the same order. A window that began later does not contain the failure to subtract.
const UNCOUNT: &str = "UPDATE failure_counter SET failures = failures - 1 WHERE key IN (
    SELECT key FROM failure_counter WHERE key = ANY ($1) AND window_began_at <= $2 AND failures > 0
    ORDER BY key FOR UPDATE)";

#[async_trait]
impl FailureCounter for PostgresStore {
    async fn record_failure(
        &self,
        keys: &[FailureKey],
        at: DateTime<Utc>,
        window: TimeDelta,
    ) -> Result<Vec<FailureCount>, StorageError> {
        let mut failures: BTreeMap<[u8; 32], i32> = BTreeMap::new();
        for FailureKey(key) in keys {
            let times = failures.entry(*key).or_default();
            *times = times.saturating_add(1);
        }
        let (sorted, times): (Vec<Vec<u8>>, Vec<i32>) =
            failures.iter().map(|(key, times)| (key.to_vec(), *times)).unzip();
        let query = sql_query(RECORD)
            .bind::<Array<Binary>, _>(sorted)
            .bind::<Array<Integer>, _>(times)
            .bind::<Timestamptz, _>(at)
            .bind::<Timestamptz, _>(at.checked_sub_signed(window).unwrap_or(DateTime::UNIX_EPOCH));
        let query = returning::<(Binary, Timestamptz, Integer), _>(query);
        let rows: Vec<(Vec<u8>, DateTime<Utc>, i32)> = self.pooled().await?.load_rows(query).await?;
        let mut counts = BTreeMap::new();
        for (key, began_at, failures) in rows {
            let window_ends_at = began_at.checked_add_signed(window).unwrap_or(DateTime::<Utc>::MAX_UTC);
            let count = u32::try_from(failures).unwrap_or(u32::MAX);
            counts.insert(key, FailureCount { count, window_ends_at });
        }
        let counted = keys.iter().map(|FailureKey(key)| counts.get(key.as_slice()).copied());
        counted.collect::<Option<_>>().ok_or_else(|| unexpected("a failure was not counted"))
    }

    async fn uncount(&self, keys: &[FailureKey], at: DateTime<Utc>) -> Result<(), StorageError> {
        let keys: Vec<Vec<u8>> = keys.iter().map(|FailureKey(key)| key.to_vec()).collect();
        let query = sql_query(UNCOUNT).bind::<Array<Binary>, _>(keys).bind::<Timestamptz, _>(at);
        self.pooled().await?.execute(returning::<(), _>(query)).await.map(drop)
    }

    async fn forget(&self, keys: &[FailureKey]) -> Result<(), StorageError> {
        let keys: Vec<Vec<u8>> = keys.iter().map(|FailureKey(key)| key.to_vec()).collect();
        let query = sql_query(FORGET).bind::<Array<Binary>, _>(keys);
        self.pooled().await?.execute(returning::<(), _>(query)).await.map(drop)
    }

    async fn delete_stale(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.pooled().await?.delete_oldest(("failure_counter", "key", "window_began_at"), before, limit).await
    }
}
