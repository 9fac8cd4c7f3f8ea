//! What is measured of a Postgres: waits for a connection of the pool, and round trips.

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use std::sync::LazyLock;
use std::time::Instant;
use tracing::instrument::Instrumented;
use tracing::{Instrument as _, Span};

/// A kind of round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A single row, on a connection that many share.
    Read,
    /// A statement that returns rows.
    Query,
    /// A statement that changes rows.
    Execute,
    /// The beginning or the end of a transaction.
    Transaction,
    /// A new connection, and the set-up of its session.
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

/// Measures one round trip, and shows it in the trace.
pub(crate) fn round_trip<T>(
    operation: Operation,
    answer: impl Future<Output = T>,
) -> impl Future<Output = T> {
    timed(operation, traced(operation, answer))
}

/// Has a span of its own for what is waited for, in the trace of whoever waits.
pub(crate) fn traced<F: Future>(operation: Operation, answer: F) -> Instrumented<F> {
    answer.instrument(operation.span())
}

/// Measures the time of one round trip, for whomever it is.
pub(crate) async fn timed<T>(operation: Operation, answer: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let answered = answer.await;
    if let Some(seconds) = operation.seconds() {
        seconds.record(begun.elapsed());
    }
    answered
}

/// What is measured of one pool.
pub(crate) struct PoolMeter {
    open: Gauge,
    max: Gauge,
    in_use: Gauge,
    waiting: Gauge,
    wait: Histogram,
    timeouts: Counter,
}

impl PoolMeter {
    /// Measures the pool of this name, one of a few that this crate chooses.
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

    /// Notes how many connections are open, and may be.
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

    /// Notes that a wait was given up.
    pub(crate) fn gave_up(&self) {
        self.timeouts.increment(1);
    }

    /// Notes that a connection is in use until what is returned is dropped.
    pub(crate) fn in_use(&self) -> Counted {
        Counted::new(&self.in_use)
    }
}

/// Counts one up, and down when dropped.
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
