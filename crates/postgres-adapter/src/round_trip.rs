//! Metrics and traces of round trips.

use metrics::{Histogram, histogram};
use std::sync::LazyLock;
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
    match operation.seconds() {
        Some(seconds) => store_shared::timed(seconds, answer).await,
        None => answer.await,
    }
}
