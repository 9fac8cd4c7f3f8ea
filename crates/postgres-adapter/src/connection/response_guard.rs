//! Timeout for a server that does not respond.

use super::Outage;
use crate::error::{is_disk_full, is_of_standby};
use application::ports::storage::{DiskFault, WriteState};
use diesel::result::{DatabaseErrorKind, Error, QueryResult};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Additional time beyond the statement timeout, so that a working server reports its own timeout first.
const GRACE: Duration = Duration::from_secs(1);

/// Error message of a response timeout.
pub(super) const NO_RESPONSE: &str = "the server is not responding";

/// Limits the wait for a response, and records timeouts.
///
/// The server cancels slow statements. If the server is gone or a firewall dropped the connection, no error
/// arrives; without this limit a statement waits for the kernel's timeout.
#[derive(Debug)]
pub(crate) struct ResponseGuard {
    limit: Duration,
    outage: Arc<Outage>,
    noticed: Mutex<Option<Instant>>,
    /// Whether the server's disk accepts writes.
    pub(crate) writes: WriteState,
}

impl ResponseGuard {
    /// Sets the limit to the statement timeout and a grace period.
    pub(crate) fn new(statement_timeout: Duration, outage: Arc<Outage>) -> Self {
        Self {
            limit: statement_timeout.saturating_add(GRACE),
            outage,
            noticed: Mutex::default(),
            writes: WriteState::default(),
        }
    }

    /// Waits for a response; a timeout returns the error of a closed connection.
    pub(crate) async fn run<F: Future>(&self, answer: F) -> QueryResult<F::Output> {
        self.run_within(self.limit, answer).await
    }

    /// Waits for a response within a separate limit.
    pub(crate) async fn run_within<F: Future>(&self, limit: Duration, answer: F) -> QueryResult<F::Output> {
        let answer = tokio::time::timeout(limit, answer).await;
        answer.map_err(|_| {
            self.notice();
            no_response()
        })
    }

    /// Returns whether a connection last handed out at this time is suspect: since then it, or another one,
    /// did not respond.
    pub(crate) fn is_suspect(&self, handed_out: Instant) -> bool {
        let noticed = *self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        noticed.is_some_and(|noticed| handed_out < noticed)
    }

    /// Marks all connections handed out so far as suspect if the server no longer accepts writes: another
    /// server may have taken over its name or its place behind a pooler. Also records a full disk.
    pub(crate) fn observe<T>(&self, answer: &QueryResult<T>) {
        if answer.as_ref().is_err_and(is_disk_full) {
            self.writes.record_refusal(DiskFault::Full);
        }
        if answer.as_ref().is_err_and(is_of_standby) {
            self.outage.log_failure("the server accepts no writes");
            self.mark_suspect();
        }
    }

    fn notice(&self) {
        self.outage.log_failure("no response in time");
        self.mark_suspect();
    }

    fn mark_suspect(&self) {
        *self.noticed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

fn no_response() -> Error {
    Error::DatabaseError(DatabaseErrorKind::ClosedConnection, Box::new(NO_RESPONSE.to_owned()))
}
