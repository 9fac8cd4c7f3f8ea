//! Pipelined connections shared by many readers.
//!
//! A statement that reads a row or a short page spends most of its time on the network, not in the server. A
//! pooled connection carries one statement at a time. Here statements are sent without waiting for earlier
//! responses, so a few backends serve all of them. Each HTTP worker has a connection driven by its own
//! runtime (see `worker`), as far as there are enough; the rest of the process shares one more. Statements
//! that begin a transaction, change the session or return many rows must not use these connections: they
//! would delay or affect other readers.

use super::{Connector, ResponseGuard, is_broken, was_aborted, worker};
use crate::options::PostgresOptions;
use crate::round_trip::{Operation, timed, traced};
use diesel::result::{DatabaseErrorKind, Error, QueryResult};
use diesel_async::AsyncPgConnection;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Slot of a connection and when it was opened; empty until first use and after a failure.
type Slot = Mutex<Option<(Arc<AsyncPgConnection>, Instant)>>;

/// Pipelined connections, one per worker and one for the rest of the process.
pub(crate) struct SharedConnections {
    connector: Connector,
    /// For threads with a runtime of their own.
    of_workers: Vec<Slot>,
    /// For all other threads.
    of_process: Slot,
    wait_timeout: Duration,
    response_guard: Arc<ResponseGuard>,
}

impl SharedConnections {
    /// Creates empty slots without connecting.
    pub(crate) fn new(
        connector: Connector,
        options: &PostgresOptions,
        response_guard: Arc<ResponseGuard>,
    ) -> Self {
        let size = options.shared_connections.max(1);
        let of_workers = std::iter::repeat_with(Slot::default).take(size).collect();
        let wait_timeout = options.wait_timeout;
        Self { connector, of_workers, of_process: Slot::default(), wait_timeout, response_guard }
    }

    /// Returns this thread's slot.
    fn slot(&self) -> &Slot {
        let place = worker::number().and_then(|number| number.checked_rem(self.of_workers.len()));
        place.and_then(|place| self.of_workers.get(place)).unwrap_or(&self.of_process)
    }

    /// Runs a read. Retries once: on a new connection if this one is broken, or on the same one after a
    /// serialization failure or a deadlock. That is safe for a read.
    pub(crate) async fn read<T, F>(&self, read: F) -> QueryResult<T>
    where
        T: Send,
        F: for<'c> Fn(&'c AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        traced(Operation::Read, self.read_once_more_if_broken(read)).await
    }

    async fn read_once_more_if_broken<T, F>(&self, read: F) -> QueryResult<T>
    where
        T: Send,
        F: for<'c> Fn(&'c AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>> + Send + Sync,
    {
        let slot = self.slot();
        let connection = self.connection(slot).await?;
        let result = self.answer(slot, &connection, read(&connection)).await?;
        let connection = match &result {
            Err(error) if is_broken(error) => {
                discard(slot, &connection).await;
                self.connection(slot).await?
            }
            Err(error) if was_aborted(error) => connection,
            _ => return result,
        };
        self.answer(slot, &connection, read(&connection)).await?
    }

    /// Waits for the response to a read; a timeout is not retried.
    async fn answer<T>(
        &self,
        slot: &Slot,
        connection: &Arc<AsyncPgConnection>,
        mut answer: BoxFuture<'_, QueryResult<T>>,
    ) -> QueryResult<QueryResult<T>> {
        let patient = async {
            if let Ok(result) = tokio::time::timeout(self.wait_timeout, &mut answer).await {
                return result;
            }
            // The server may be gone, so no further reads are sent over this connection. If it is only slow,
            // pending reads still complete.
            discard(slot, connection).await;
            answer.await
        };
        let answered = timed(Operation::Read, self.response_guard.run(patient)).await;
        if answered.is_err() {
            discard(slot, connection).await;
        }
        answered
    }

    /// Returns the slot's connection, or opens one if there is none or it is suspect: behind a pooler, its
    /// server may have become a standby, whose access checks would be stale. Concurrent callers wait for it.
    async fn connection(&self, slot: &Slot) -> QueryResult<Arc<AsyncPgConnection>> {
        let attempt = async {
            let mut place = slot.lock().await;
            if let Some((connection, opened)) = &*place
                && !self.response_guard.is_suspect(*opened)
            {
                return Ok(Arc::clone(connection));
            }
            *place = None;
            let opened = Instant::now();
            let connection = self.connector.connect().await.map_err(|_| unreachable_server())?;
            Ok(Arc::clone(&place.insert((Arc::new(connection), opened)).0))
        };
        tokio::time::timeout(self.wait_timeout, attempt).await.unwrap_or_else(|_| {
            self.connector.log_timeout();
            Err(unreachable_server())
        })
    }
}

/// Empties a slot unless it already contains another connection.
async fn discard(slot: &Slot, broken: &Arc<AsyncPgConnection>) {
    let mut place = slot.lock().await;
    if place.as_ref().is_some_and(|(connection, _)| Arc::ptr_eq(connection, broken)) {
        *place = None;
    }
}

fn unreachable_server() -> Error {
    let message = "the server cannot be reached".to_owned();
    Error::DatabaseError(DatabaseErrorKind::UnableToSendCommand, Box::new(message))
}
