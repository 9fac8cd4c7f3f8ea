//! The lag of a standby.
//!
//! Measured without either server's clock. At some time of this process, the primary returns the end of its
//! log; everything acknowledged before that time is at a lower position. Once the standby has replayed that
//! position, every later read includes what was committed before that time. So for `max_lag` after that time,
//! reads are at most `max_lag` old. If nothing is written to the primary, its position stays the same and its
//! standby stays fresh.
//!
//! Positions are comparable only within one log. Both servers must have the same system identifier and
//! timeline, so a standby that still follows the log of a failed primary is not mistaken for a standby of the
//! new one.

use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::StorageError;
use diesel::sql_query;
use diesel::sql_types::{Bool, Text};
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// Longest interval between measurements; at least four are made per `max_lag`.
const MAX_INTERVAL: Duration = Duration::from_millis(250);

/// Interval at which a standby's replay position is polled.
const STEP: Duration = Duration::from_millis(10);

/// End of the primary's log, its timeline as in the names of its files, and its system identifier.
const WAL_POSITION: &str = "SELECT pg_current_wal_insert_lsn()::text,
        left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), system_identifier::text
    FROM pg_control_system()";

/// Whether the standby has replayed a log up to a position. Its timeline is that of the last restart point,
/// so a standby that just switched to another primary is used after its next restart point.
const HAS_REPLAYED: &str = "SELECT coalesce(pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn
        AND lpad(upper(to_hex(c.timeline_id)), 8, '0') = $2 AND s.system_identifier::text = $3, false)
    FROM pg_control_checkpoint() c, pg_control_system() s";

type WalPosition = (String, String, String);

/// Time until which a standby may be read.
pub(super) struct Freshness {
    until: Arc<Mutex<Option<Instant>>>,
    watching: AbortHandle,
}

impl Freshness {
    /// Starts to measure a standby's lag; stops when this value is dropped.
    pub(super) fn watch(primary: Arc<PostgresStore>, standby: Arc<PostgresStore>, max_lag: Duration) -> Self {
        let until = Arc::new(Mutex::new(None));
        let watch = FreshnessMonitor { primary, standby, max_lag, until: Arc::clone(&until) };
        let watching = tokio::spawn(watch.run()).abort_handle();
        Self { until, watching }
    }

    /// Returns whether the standby is fresh now.
    pub(super) fn is_fresh(&self) -> bool {
        self.until().is_some_and(|until| Instant::now() < until)
    }

    /// Waits until the standby is no longer known to be fresh.
    pub(super) async fn until_lost(&self) {
        while let Some(until) = self.until().filter(|until| Instant::now() < *until) {
            tokio::time::sleep_until(until).await;
        }
    }

    fn until(&self) -> Option<Instant> {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Freshness {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

struct FreshnessMonitor {
    primary: Arc<PostgresStore>,
    standby: Arc<PostgresStore>,
    max_lag: Duration,
    until: Arc<Mutex<Option<Instant>>>,
}

impl FreshnessMonitor {
    async fn run(self) {
        let pause = MAX_INTERVAL.min(self.max_lag / 4);
        let mut was_fresh = None;
        loop {
            let began = Instant::now();
            let is_fresh = tokio::time::timeout(self.max_lag, self.measure(began))
                .await
                .is_ok_and(|measured| measured.is_ok());
            if was_fresh != Some(is_fresh) {
                log_freshness(is_fresh);
                was_fresh = Some(is_fresh);
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Measures once; `began` is the time of this measurement.
    async fn measure(&self, began: Instant) -> Result<(), StorageError> {
        let place = wal_position(&self.primary).await?;
        while !has_replayed(&self.standby, &place).await? {
            tokio::time::sleep(STEP).await;
        }
        let until = began.checked_add(self.max_lag);
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
        Ok(())
    }
}

async fn wal_position(primary: &PostgresStore) -> Result<WalPosition, StorageError> {
    primary
        .shared(|mut connection| {
            let query = returning::<(Text, Text, Text), _>(sql_query(WAL_POSITION));
            async move { query.get_result(&mut connection).await }.boxed()
        })
        .await
}

async fn has_replayed(standby: &PostgresStore, place: &WalPosition) -> Result<bool, StorageError> {
    standby
        .shared(move |mut connection| {
            let (end, timeline, system) = place.clone();
            let query = sql_query(HAS_REPLAYED).bind::<Text, _>(end);
            let query = query.bind::<Text, _>(timeline).bind::<Text, _>(system);
            async move { returning::<Bool, _>(query).get_result(&mut connection).await }.boxed()
        })
        .await
}

fn log_freshness(is_fresh: bool) {
    if is_fresh {
        tracing::info!("data is read from the standby");
    } else {
        tracing::warn!("the standby is stale or unreachable; data is read from the primary");
    }
}
