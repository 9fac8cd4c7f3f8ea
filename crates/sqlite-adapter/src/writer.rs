//! The writing connection and its queue.

use crate::connection::{self, Connection, Location, Role, Task};
use crate::connection_meter;
use crate::error::{self, StorageResult as _};
use application::ports::storage::{StorageError, WriteState};
use diesel::connection::{AnsiTransactionManager, SimpleConnection as _, TransactionManager as _};
use diesel::sqlite::SqliteConnection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Interval at which a locked file is tried again. SQLite's own interval grows to 100 ms and would miss every
/// pause.
const RETRY_INTERVAL: Duration = Duration::from_millis(1);
/// Duration of a transaction, such as a batch of an import, that is followed by a pause.
const LONG_TRANSACTION: Duration = Duration::from_millis(20);
/// Length of the pause in which a waiting writer of another process finds the file unlocked.
const YIELD_PAUSE: Duration = Duration::from_millis(3);

/// The only writing connection.
#[derive(Clone)]
pub(crate) struct Writer {
    connection: Arc<Mutex<Connection>>,
    location: Location,
    state: Arc<WriteState>,
}

impl Writer {
    /// Creates the writer from its connection. The location's busy timeout also limits the wait in the queue.
    pub(crate) fn new(connection: Connection, location: Location) -> Self {
        connection_meter::WRITER.set_size(1, 1);
        Self { connection: Arc::new(Mutex::new(connection)), location, state: Arc::default() }
    }

    /// Waits in the queue and begins a transaction.
    pub(crate) async fn begin(&self) -> Result<Transaction, StorageError> {
        let turn = self.turn().await?;
        // Created before `BEGIN` is sent: if this future is dropped at an await, it rolls back.
        let mut transaction = Transaction {
            turn: Some(turn),
            alive: Arc::new(AtomicBool::new(true)),
            state: Arc::clone(&self.state),
            runtime: Handle::current(),
            began: Instant::now(),
        };
        let location = self.location.clone();
        transaction.run_task(Box::new(move |connection| begin_immediate(connection, &location))).await?;
        transaction.began = Instant::now();
        Ok(transaction)
    }

    /// Waits in the queue and runs a closure in a separate transaction.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let (task, value) = connection::task(work);
        self.write_task(task).await?;
        connection::value_of(value)
    }

    async fn write_task(&self, task: Task) -> Result<(), StorageError> {
        let turn = self.turn().await?;
        let location = self.location.clone();
        let writing = turn.run(Box::new(move |connection| {
            begin_immediate(connection, &location)?;
            match task(connection) {
                Ok(()) => commit(connection),
                Err(error) => roll_back(connection).and(Err(error)),
            }
        }));
        noted(&self.state, connection_meter::write(writing).await)
    }

    /// Waits in the queue and runs a closure outside of any transaction.
    pub(crate) async fn maintain<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection, &Location) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let turn = self.turn().await?;
        let location = self.location.clone();
        let (task, value) = connection::task(move |connection| {
            connection::make_idle(connection, &location, Role::Writer)?;
            work(connection, &location)
        });
        noted(&self.state, turn.run(task).await)?;
        connection::value_of(value)
    }

    /// Returns whether the disk accepts writes.
    pub(crate) fn state(&self) -> &WriteState {
        &self.state
    }

    async fn turn(&self) -> Result<WriterGuard, StorageError> {
        let turn = Arc::clone(&self.connection).lock_owned();
        let turn = tokio::time::timeout(self.location.busy_timeout, turn);
        let connection = connection_meter::WRITER.waited_for(async { turn.await.ok() }).await;
        let connection = connection.ok_or(StorageError::Retryable)?;
        Ok(WriterGuard { connection, _in_use: connection_meter::WRITER.in_use() })
    }
}

/// Exclusive use of the connection.
struct WriterGuard {
    connection: OwnedMutexGuard<Connection>,
    _in_use: store_shared::GaugeGuard,
}

impl WriterGuard {
    /// Runs a task that has the turn until it ends, even if the future is dropped before. Otherwise a
    /// transaction of the next in the queue could begin while this task still waits for the connection.
    async fn run(self, task: Task) -> Result<(), StorageError> {
        let connection = self.connection.clone();
        let work = move |inner: &mut SqliteConnection| {
            let _turn = self;
            task(inner)
        };
        connection.run(Box::new(work)).await
    }
}

/// Transaction on the writer; rolled back if dropped before its end.
pub(crate) struct Transaction {
    turn: Option<WriterGuard>,
    /// Whether closures of this transaction may still run; checked under the connection's lock. A cancelled
    /// closure may acquire the lock after the rollback, and would then write outside of any transaction.
    alive: Arc<AtomicBool>,
    state: Arc<WriteState>,
    runtime: Handle,
    /// Time at which the write lock was acquired.
    began: Instant,
}

impl Transaction {
    /// Runs a closure in the transaction.
    pub(crate) async fn run<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let (task, value) = connection::task(work);
        self.run_task(task).await?;
        connection::value_of(value)
    }

    async fn run_task(&mut self, task: Task) -> Result<(), StorageError> {
        let turn = self.turn.as_ref().ok_or(StorageError::Unavailable)?;
        let alive = Arc::clone(&self.alive);
        let work = turn.connection.run(Box::new(move |connection| {
            if alive.load(Ordering::SeqCst) { task(connection) } else { Err(StorageError::Unavailable) }
        }));
        noted(&self.state, connection_meter::write(work).await)
    }

    /// Commits. After an error, `drop` rolls back.
    pub(crate) async fn commit(mut self) -> Result<(), StorageError> {
        self.run_task(Box::new(commit)).await?;
        self.end().await;
        Ok(())
    }

    /// Rolls back.
    pub(crate) async fn roll_back(mut self) -> Result<(), StorageError> {
        self.run_task(Box::new(roll_back)).await?;
        self.end().await;
        Ok(())
    }

    /// Releases the writer. SQLite has no queue, so another process gets the write lock only if this process
    /// pauses briefly.
    async fn end(&mut self) {
        let turn = self.turn.take();
        if self.began.elapsed() >= LONG_TRANSACTION {
            tokio::time::sleep(YIELD_PAUSE).await;
        }
        drop(turn);
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.alive.store(false, Ordering::SeqCst);
        if let Some(turn) = self.turn.take() {
            // The queue continues after this task, so the next transaction finds a clean connection.
            self.runtime.spawn(async move {
                if turn.run(Box::new(roll_back)).await.is_err() {
                    tracing::warn!("an abandoned transaction could not be rolled back");
                }
            });
        }
    }
}

/// Records an outcome that reports a disk that refuses writes.
fn noted<T>(state: &WriteState, outcome: Result<T, StorageError>) -> Result<T, StorageError> {
    if let Err(StorageError::Disk(fault)) = &outcome {
        state.record_refusal(*fault);
    }
    outcome
}

/// Begins a write transaction once no other process has the write lock.
fn begin_immediate(connection: &mut SqliteConnection, location: &Location) -> Result<(), StorageError> {
    connection::make_idle(connection, location, Role::Writer)?;
    connection.batch_execute("PRAGMA busy_timeout = 0").storage()?;
    let started = Instant::now();
    let begin_result = loop {
        match AnsiTransactionManager::begin_transaction_sql(connection, "BEGIN IMMEDIATE").storage() {
            Err(StorageError::Retryable) if started.elapsed() < location.busy_timeout => {
                std::thread::sleep(RETRY_INTERVAL);
            }
            outcome => break outcome,
        }
    };
    let busy_timeout = format!("PRAGMA busy_timeout = {}", location.busy_timeout.as_millis());
    connection.batch_execute(&busy_timeout).storage()?;
    begin_result
}

fn commit(connection: &mut SqliteConnection) -> Result<(), StorageError> {
    AnsiTransactionManager::commit_transaction(connection).storage()
}

fn roll_back(connection: &mut SqliteConnection) -> Result<(), StorageError> {
    while connection::is_in_transaction(connection) {
        match AnsiTransactionManager::rollback_transaction(connection) {
            // SQLite rolls back by itself if the disk is full. The connection is replaced before its next
            // transaction.
            Err(error) if error::is_rolled_back_already(&error) => return Ok(()),
            outcome => outcome.storage()?,
        }
    }
    Ok(())
}
