//! Reads of one row by its key that are sent together.
//!
//! What such a read costs is its way to the server and back, in system calls and in the bookkeeping of a statement; the
//! row itself is the smaller part. While a statement is under way, those who come are gathered, and one statement
//! asks for all of them when it is answered. Nobody waits for company: who comes while none is under way is sent as soon
//! as what its thread has to do by then is done, which is to read the requests that have come with it. Nothing is remembered: each is answered by a statement that was sent after they came.

use crate::connection::number_of_worker;
use crate::error::repeated;
use application::ports::storage::StorageError;
use futures_util::future::BoxFuture;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a statement keeps others waiting: a server that is far away or slow is asked again meanwhile.
const PATIENCE: Duration = Duration::from_millis(2);

/// How many a statement asks for at most, so that its answer stays short.
const MOST: usize = 128;

/// The rows that a statement found, by their keys; those of which nothing is said are not there.
pub(crate) type Found<K, V> = Vec<(K, Result<V, StorageError>)>;

/// What one who waits is told.
type Answer<V> = Result<Option<V>, StorageError>;

/// Asks for several keys, each of them once.
type Statement<K, V> = dyn Fn(Vec<K>) -> BoxFuture<'static, Result<Found<K, V>, StorageError>> + Send + Sync;

/// Gathers the reads of one kind, those of each thread for themselves where it runs a runtime of its own.
pub(crate) struct Gathering<K, V> {
    of_workers: Vec<Arc<Lane<K, V>>>,
    of_process: Arc<Lane<K, V>>,
}

impl<K: Copy + Eq + Send + 'static, V: Clone + Send + 'static> Gathering<K, V> {
    /// Gathers for so many workers, as there are shared connections; what is given runs the statement.
    pub(crate) fn new<F>(workers: usize, statement: F) -> Self
    where
        F: Fn(Vec<K>) -> BoxFuture<'static, Result<Found<K, V>, StorageError>> + Send + Sync + 'static,
    {
        let statement: Arc<Statement<K, V>> = Arc::new(statement);
        Self::with_patience(workers, PATIENCE, &statement)
    }

    fn with_patience(workers: usize, patience: Duration, statement: &Arc<Statement<K, V>>) -> Self {
        let lane = || {
            let statement = Arc::clone(statement);
            Arc::new(Lane { statement, patience, state: Mutex::default() })
        };
        Self { of_workers: std::iter::repeat_with(lane).take(workers).collect(), of_process: lane() }
    }

    /// Finds the row of a key. A failure is that of the statement, which all get who were sent with it.
    pub(crate) async fn find(&self, key: K) -> Answer<V> {
        // Nothing is said when the runtime of the thread that asked for all of them ends.
        self.lane().join(key).await.unwrap_or(Err(StorageError::Unavailable))
    }

    fn lane(&self) -> &Arc<Lane<K, V>> {
        let place = number_of_worker().and_then(|number| number.checked_rem(self.of_workers.len()));
        place.and_then(|place| self.of_workers.get(place)).unwrap_or(&self.of_process)
    }
}

/// Those who wait for the same connection.
struct Lane<K, V> {
    statement: Arc<Statement<K, V>>,
    patience: Duration,
    state: Mutex<State<K, V>>,
}

struct State<K, V> {
    /// In the order in which they came.
    waiting: Vec<Waiting<K, V>>,
    /// Whether a statement is under way that they wait for.
    is_taken: bool,
}

impl<K, V> Default for State<K, V> {
    fn default() -> Self {
        Self { waiting: Vec::new(), is_taken: false }
    }
}

struct Waiting<K, V> {
    key: K,
    reader: oneshot::Sender<Answer<V>>,
}

impl<K, V> Lane<K, V> {
    fn state(&self) -> MutexGuard<'_, State<K, V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Send + 'static, V: Clone + Send + 'static> Lane<K, V> {
    fn join(self: &Arc<Self>, key: K) -> oneshot::Receiver<Answer<V>> {
        let (reader, answer) = oneshot::channel();
        let mut state = self.state();
        state.waiting.push(Waiting { key, reader });
        let is_taken = std::mem::replace(&mut state.is_taken, true);
        drop(state);
        if !is_taken {
            Turn { lane: Arc::clone(self), is_over: false }.begin();
        }
        answer
    }
}

/// The right to send for a lane, which one has at a time. It is a task of its own: a reader who goes away takes nobody
/// else's answer along.
struct Turn<K, V> {
    lane: Arc<Lane<K, V>>,
    is_over: bool,
}

impl<K: Copy + Eq + Send + 'static, V: Clone + Send + 'static> Turn<K, V> {
    fn begin(self) {
        tokio::spawn(self.run());
    }

    /// Sends for whoever waits until nobody does.
    async fn run(mut self) {
        loop {
            // Requests that are there already are read first: they come along.
            tokio::task::yield_now().await;
            let Some(gathered) = self.next() else { return };
            let found = (self.lane.statement)(keys(&gathered));
            let mut answering = pin!(answer(found, gathered));
            if tokio::time::timeout(self.lane.patience, &mut answering).await.is_err() {
                self.begin();
                return answering.await;
            }
        }
    }

    /// Takes those who wait, or ends the turn when there are none.
    fn next(&mut self) -> Option<Vec<Waiting<K, V>>> {
        let mut state = self.lane.state();
        state.waiting.retain(|waiting| !waiting.reader.is_closed());
        let count = state.waiting.len().min(MOST);
        self.is_over = count == 0;
        state.is_taken = count > 0;
        (count > 0).then(|| state.waiting.drain(..count).collect())
    }
}

/// A turn that ends early, with its runtime or by a panic, sets its lane free and tells those who wait.
impl<K, V> Drop for Turn<K, V> {
    fn drop(&mut self) {
        if !self.is_over {
            let mut state = self.lane.state();
            state.is_taken = false;
            state.waiting.clear();
        }
    }
}

/// Lists each key once.
fn keys<K: Copy + Eq, V>(gathered: &[Waiting<K, V>]) -> Vec<K> {
    let mut keys = Vec::with_capacity(gathered.len());
    for Waiting { key, .. } in gathered {
        if !keys.contains(key) {
            keys.push(*key);
        }
    }
    keys
}

async fn answer<K: Copy + Eq, V: Clone>(
    found: impl Future<Output = Result<Found<K, V>, StorageError>>,
    gathered: Vec<Waiting<K, V>>,
) {
    let found = found.await;
    for Waiting { key, reader } in gathered {
        // One who went away meanwhile needs no answer.
        let _ = reader.send(of_key(&found, &key));
    }
}

fn of_key<K: Eq, V: Clone>(found: &Result<Found<K, V>, StorageError>, key: &K) -> Answer<V> {
    let found = found.as_ref().map_err(repeated)?;
    let Some((_, row)) = found.iter().find(|(found, _)| found == key) else { return Ok(None) };
    row.as_ref().map(|row| Some(row.clone())).map_err(repeated)
}

#[cfg(test)]
mod tests;
