//! Pipelined connections shared by many readers.
//!
//! A statement that reads a row or a short page spends its time on the network, not in the server. A pooled connection
//! carries one at a time; here they are sent without waiting for earlier answers, so that a few backends answer
//! everything. Each worker of the HTTP server has a connection that its own runtime drives (see `worker`), as far as
//! there are enough; the rest of the process shares one more. Statements that begin a transaction, change the session
//! or return many rows must not use these connections: the next reader would wait behind them, or be inside them.

use super::{Connector, Silence, gave_way, is_broken, worker};
use crate::options::PostgresOptions;
use crate::pool_meter::{Operation, timed, traced};
use diesel::result::{DatabaseErrorKind, Error, QueryResult};
use diesel_async::AsyncPgConnection;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// One place for a connection, empty until it is needed and after it broke.
type Slot = Mutex<Option<Arc<AsyncPgConnection>>>;

/// Pipelined connections, one for each worker and one for the rest of the process.
pub(crate) struct SharedConnections {
    connector: Connector,
    /// For threads that run a runtime of their own.
    of_workers: Vec<Slot>,
    /// For all others.
    of_process: Slot,
    wait_timeout: Duration,
    silence: Arc<Silence>,
}

impl SharedConnections {
    /// Prepares places for connections; makes none yet.
    pub(crate) fn new(connector: Connector, options: &PostgresOptions, silence: Arc<Silence>) -> Self {
        let size = options.shared_connections.max(1);
        let of_workers = std::iter::repeat_with(Slot::default).take(size).collect();
        let wait_timeout = options.wait_timeout;
        Self { connector, of_workers, of_process: Slot::default(), wait_timeout, silence }
    }

    /// Returns the place of the connection that this thread uses.
    fn slot(&self) -> &Slot {
        let place = worker::number().and_then(|number| number.checked_rem(self.of_workers.len()));
        place.and_then(|place| self.of_workers.get(place)).unwrap_or(&self.of_process)
    }

    /// Runs a read. When the connection turns out to be broken, a new one takes its place and the read is run
    /// once more, which is harmless because it only reads; on the same connection when it had to give way.
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
            Err(error) if gave_way(error) => connection,
            _ => return result,
        };
        self.answer(slot, &connection, read(&connection)).await?
    }

    /// Waits for the answer to a read; fails when none comes, which asking once more would not change.
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
            // A server that was silent for so long may be gone: nobody else shall wait behind this read. Should the
            // server be slow only, those who wait already still get their answers.
            discard(slot, connection).await;
            answer.await
        };
        let answered = timed(Operation::Read, self.silence.bound(patient)).await;
        if answered.is_err() {
            discard(slot, connection).await;
        }
        answered
    }

    /// Takes the slot's connection, or makes one; those who come meanwhile wait for that one.
    async fn connection(&self, slot: &Slot) -> QueryResult<Arc<AsyncPgConnection>> {
        let attempt = async {
            let mut place = slot.lock().await;
            if let Some(connection) = &*place {
                return Ok(Arc::clone(connection));
            }
            let connection = self.connector.connect().await.map_err(|_| unreachable_server())?;
            Ok(Arc::clone(place.insert(Arc::new(connection))))
        };
        tokio::time::timeout(self.wait_timeout, attempt).await.unwrap_or_else(|_| {
            self.connector.gave_up();
            Err(unreachable_server())
        })
    }
}

/// Empties a slot, unless somebody has put another connection there already.
async fn discard(slot: &Slot, broken: &Arc<AsyncPgConnection>) {
    let mut place = slot.lock().await;
    if place.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, broken)) {
        *place = None;
    }
}

fn unreachable_server() -> Error {
    let message = "the server cannot be reached".to_owned();
    Error::DatabaseError(DatabaseErrorKind::UnableToSendCommand, Box::new(message))
}
