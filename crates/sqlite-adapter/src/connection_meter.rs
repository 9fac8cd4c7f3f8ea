//! Metrics of the embedded store: waits for a connection, and durations of reads and writes.

use application::ports::storage::StorageError;
use metrics::{Histogram, histogram};
use std::sync::LazyLock;
use store_shared::{ConnectionMeter, timed};
use tracing::Instrument as _;

/// Reading connections.
pub(crate) static READERS: LazyLock<ConnectionMeter> = LazyLock::new(|| ConnectionMeter::new("readers"));
/// The writing connection.
pub(crate) static WRITER: LazyLock<ConnectionMeter> = LazyLock::new(|| ConnectionMeter::new("writer"));

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
