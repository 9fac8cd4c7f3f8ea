//! Metrics of the embedded store: waits for a connection, and durations of reads and writes.

use application::ports::storage::StorageError;
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use std::sync::LazyLock;
use std::time::Instant;
use tracing::Instrument as _;

/// Metrics of a set of connections with one user at a time.
pub(crate) struct ConnectionMeter {
    open: Gauge,
    max: Gauge,
    in_use: Gauge,
    waiting: Gauge,
    wait: Histogram,
    timeouts: Counter,
}

/// Reading connections.
pub(crate) static READERS: LazyLock<ConnectionMeter> = LazyLock::new(|| ConnectionMeter::new("readers"));
/// The writing connection.
pub(crate) static WRITER: LazyLock<ConnectionMeter> = LazyLock::new(|| ConnectionMeter::new("writer"));

impl ConnectionMeter {
    fn new(pool: &'static str) -> Self {
        Self {
            open: gauge!("restwell_pool_connections", "pool" => pool),
            max: gauge!("restwell_pool_connections_max", "pool" => pool),
            in_use: gauge!("restwell_pool_in_use", "pool" => pool),
            waiting: gauge!("restwell_pool_waiting", "pool" => pool),
            wait: histogram!("restwell_pool_wait_seconds", "pool" => pool),
            timeouts: counter!("restwell_pool_timeouts_total", "pool" => pool),
        }
    }

    /// Records the maximum number of connections; one is open.
    pub(crate) fn may_hold(&self, connections: usize) {
        self.open.set(1.0);
        self.max.set(f64::from(u32::try_from(connections).unwrap_or(u32::MAX)));
    }

    /// Records another open connection.
    pub(crate) fn opened(&self) {
        self.open.increment(1.0);
    }

    /// Measures the wait for a connection; `None` if the wait times out.
    pub(crate) async fn waited_for<T>(&self, place: impl Future<Output = Option<T>>) -> Option<T> {
        let begun = Instant::now();
        let waiting = Counted::new(&self.waiting);
        let found = place.await;
        drop(waiting);
        self.wait.record(begun.elapsed());
        if found.is_none() {
            self.timeouts.increment(1);
        }
        found
    }

    /// Counts a connection as in use until the returned value is dropped.
    pub(crate) fn in_use(&self) -> Counted {
        Counted::new(&self.in_use)
    }
}

/// Increment of a gauge until dropped.
pub(crate) struct Counted(Gauge);

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.increment(1.0);
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

/// Measures a read.
pub(crate) async fn read<T>(task: impl Future<Output = Result<T, StorageError>>) -> Result<T, StorageError> {
    static SECONDS: LazyLock<Histogram> = LazyLock::new(|| seconds("read"));
    let span = tracing::info_span!(target: "trace", "store", otel.kind = "client", db.system.name = "sqlite", operation = "read");
    timed(&SECONDS, task.instrument(span)).await
}

/// Measures a write.
pub(crate) async fn write<T>(task: impl Future<Output = Result<T, StorageError>>) -> Result<T, StorageError> {
    static SECONDS: LazyLock<Histogram> = LazyLock::new(|| seconds("write"));
    let span = tracing::info_span!(target: "trace", "store", otel.kind = "client", db.system.name = "sqlite", operation = "write");
    timed(&SECONDS, task.instrument(span)).await
}

fn seconds(operation: &'static str) -> Histogram {
    histogram!("restwell_store_round_trip_seconds", "store" => "sqlite", "operation" => operation)
}

async fn timed<T>(seconds: &Histogram, task: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let done = task.await;
    seconds.record(begun.elapsed());
    done
}
