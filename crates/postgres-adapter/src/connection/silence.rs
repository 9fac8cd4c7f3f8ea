//! Giving up on a server that does not answer.

use super::Outage;
use crate::error::{is_disk_full, is_of_standby};
use application::ports::storage::{DiskFault, WriteState};
use diesel::result::{DatabaseErrorKind, Error, QueryResult};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much longer than a statement may run its answer is waited for, so that a server that is there has the
/// first word.
const GRACE: Duration = Duration::from_secs(1);

/// What is said of a server that fell silent.
pub(super) const NO_ANSWER: &str = "the server does not answer";

/// Bounds the wait for an answer, and remembers when there was none.
///
/// The server ends what takes too long; but a server that vanished, or a firewall that forgot the connection,
/// says nothing at all, and without a limit of our own a statement waits until the kernel gives up.
#[derive(Debug)]
pub(crate) struct Silence {
    limit: Duration,
    outage: Arc<Outage>,
    noticed: Mutex<Option<Instant>>,
    /// Whether the server's disk takes writes.
    pub(crate) writes: WriteState,
}

impl Silence {
    /// Waits as long as a statement may run, and a little longer.
    pub(crate) fn new(statement_timeout: Duration, outage: Arc<Outage>) -> Self {
        Self {
            limit: statement_timeout.saturating_add(GRACE),
            outage,
            noticed: Mutex::default(),
            writes: WriteState::default(),
        }
    }

    /// Waits for an answer; fails as a lost connection does when none comes in time.
    pub(crate) async fn bound<F: Future>(&self, answer: F) -> QueryResult<F::Output> {
        self.bound_within(self.limit, answer).await
    }

    /// Does so with a limit of its own.
    pub(crate) async fn bound_within<F: Future>(&self, limit: Duration, answer: F) -> QueryResult<F::Output> {
        let answer = tokio::time::timeout(limit, answer).await;
        answer.map_err(|_| {
            self.notice();
            no_answer()
        })
    }

    /// Tells whether a connection that was last handed out at this moment may be silent: it, or another one that is
    /// not younger, did not answer.
    pub(crate) fn makes_doubtful(&self, handed_out: Instant) -> bool {
        let noticed = *self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        noticed.is_some_and(|noticed| handed_out < noticed)
    }

    /// Makes every connection doubtful that was handed out before now, when this failure says that the server
    /// behind them takes no writes any more: behind a name or a pooler, another one may be in its place.
    /// Notes when the server's disk is full.
    pub(crate) fn judge<T>(&self, answer: &QueryResult<T>) {
        if answer.as_ref().is_err_and(is_disk_full) {
            self.writes.refused(DiskFault::Full);
        }
        if answer.as_ref().is_err_and(is_of_standby) {
            self.outage.tell("the server takes no writes");
            self.doubt();
        }
    }

    fn notice(&self) {
        self.outage.tell("no answer in time");
        self.doubt();
    }

    fn doubt(&self) {
        *self.noticed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

fn no_answer() -> Error {
    Error::DatabaseError(DatabaseErrorKind::ClosedConnection, Box::new(NO_ANSWER.to_owned()))
}
