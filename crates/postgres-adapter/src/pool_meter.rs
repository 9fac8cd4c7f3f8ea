//! Metrics of Postgres: waits for pooled connections, and round trips.

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use std::sync::LazyLock;
use std::time::Instant;
use tracing::instrument::Instrumented;
use tracing::{Instrument as _, Span};

/// A kind of round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A single row, on a shared connection.
    Read,
    /// A statement that returns rows.
    Query,
    /// A statement that changes rows.
    Execute,
    /// `BEGIN`, `COMMIT` or `ROLLBACK`.
    Transaction,
    /// A new connection and its session setup.
    Connect,
}

impl Operation {
    const ALL: [Self; 5] = [Self::Read, Self::Query, Self::Execute, Self::Transaction, Self::Connect];

    const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Query => "query",
            Self::Execute => "execute",
            Self::Transaction => "transaction",
            Self::Connect => "connect",
        }
    }

    fn seconds(self) -> Option<&'static Histogram> {
        static SECONDS: LazyLock<[Histogram; Operation::ALL.len()]> = LazyLock::new(|| {
            Operation::ALL.map(|operation| {
                let operation = operation.name();
                histogram!("restwell_store_round_trip_seconds", "store" => "postgres", "operation" => operation)
            })
        });
        SECONDS.get(self as usize)
    }

    fn span(self) -> Span {
        tracing::info_span!(
            target: "trace",
            "store",
            otel.kind = "client",
            db.system.name = "postgresql",
            operation = self.name(),
        )
    }
}

/// Measures one round trip and adds it to the trace.
pub(crate) fn round_trip<T>(
    operation: Operation,
    answer: impl Future<Output = T>,
) -> impl Future<Output = T> {
    timed(operation, traced(operation, answer))
}

/// Adds a separate span to the caller's trace.
pub(crate) fn traced<F: Future>(operation: Operation, answer: F) -> Instrumented<F> {
    answer.instrument(operation.span())
}

/// Measures the time of one round trip.
pub(crate) async fn timed<T>(operation: Operation, answer: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let answered = answer.await;
    if let Some(seconds) = operation.seconds() {
        seconds.record(begun.elapsed());
    }
    answered
}

/// Metrics of one pool.
pub(crate) struct PoolMeter {
    open: Gauge,
    max: Gauge,
    in_use: Gauge,
    waiting: Gauge,
    wait: Histogram,
    timeouts: Counter,
}

impl PoolMeter {
    /// Returns the metrics of the pool with this name, one of a few constants.
    pub(crate) fn new(pool: &'static str) -> Self {
        Self {
            open: gauge!("restwell_pool_connections", "pool" => pool),
            max: gauge!("restwell_pool_connections_max", "pool" => pool),
            in_use: gauge!("restwell_pool_in_use", "pool" => pool),
            waiting: gauge!("restwell_pool_waiting", "pool" => pool),
            wait: histogram!("restwell_pool_wait_seconds", "pool" => pool),
            timeouts: counter!("restwell_pool_timeouts_total", "pool" => pool),
        }
    }

    /// Records the number of open connections and the maximum.
    pub(crate) fn holds(&self, open: usize, max: usize) {
        let number = |connections: usize| f64::from(u32::try_from(connections).unwrap_or(u32::MAX));
        self.open.set(number(open));
        self.max.set(number(max));
    }

    /// Measures the wait for a connection.
    pub(crate) async fn waited_for<T>(&self, connection: impl Future<Output = T>) -> T {
        let begun = Instant::now();
        let waiting = Counted::new(&self.waiting);
        let outcome = connection.await;
        drop(waiting);
        self.wait.record(begun.elapsed());
        outcome
    }

    /// Records an aborted wait.
    pub(crate) fn gave_up(&self) {
        self.timeouts.increment(1);
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
