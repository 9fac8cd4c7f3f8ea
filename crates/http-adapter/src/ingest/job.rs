//! Processing of one body.

use super::answer;
use super::claim;
use super::spool::Spool;
use crate::ApiState;
use crate::meter;
use crate::problem::{Fault, Problem};
use application::import::ingest::{Claim, IngestCommand, IngestError, IngestReport};
use application::import::ingest::{IdempotentRequest, StoredResponse};
use domain::rate_limit::RateStatus;
use std::sync::Arc;
use tracing::{Instrument as _, Span};

/// Processing of one body.
pub(super) struct Job {
    pub(super) state: Arc<ApiState>,
    pub(super) command: IngestCommand,
    /// Idempotency key and digest of the request, if it has a key.
    pub(super) once: Option<IdempotentRequest>,
    pub(super) body: Spool,
    pub(super) rate: RateStatus,
}

impl Job {
    /// Processes the body on a blocking thread, because reading blocks. It continues after the caller
    /// disconnects, so that a retry finds the result.
    pub(super) async fn run_blocking(self) -> Result<StoredResponse, Problem> {
        let runtime = tokio::runtime::Handle::current();
        let span = Span::current();
        let work = move || runtime.block_on(self.run().instrument(span));
        tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?
    }

    async fn run(self) -> Result<StoredResponse, Problem> {
        let Some(request) = self.once else { return self.answer().await };
        let once = &self.state.ingest.once;
        match once.begin(request).await? {
            Claim::Acquired => {}
            Claim::Completed(answer) => return Ok(answer),
            Claim::Busy => return Err(Problem::new(Fault::RequestInProgress)),
            Claim::OtherContent => return Err(Problem::new(Fault::IdempotencyKeyReused)),
        }
        let answer = tokio::select! {
            biased;
            () = claim::until_lost(once, request, &self.state.http.elapsed_time) => return Err(Problem::new(Fault::IngestBusy)),
            answer = self.answer() => answer,
        };
        let kept = match &answer {
            Ok(answer) => once.keep(request, answer).await,
            Err(_) => once.release(request).await,
        };
        if let Err(error) = kept {
            // The work is done. A retry within five minutes gets "in progress"; a later one is processed
            // again.
            tracing::warn!(%error, "a response was not stored for its idempotency key");
        }
        answer
    }

    async fn answer(&self) -> Result<StoredResponse, Problem> {
        let report: IngestReport = self.state.ingest.records.run(self.command, &self.body).await?;
        meter::ingest_items(self.command.shape.kind, &report);
        let body = answer::render(&report, self.rate).map_err(Problem::internal)?;
        Ok(StoredResponse { status: 200, body })
    }
}

impl From<IngestError> for Problem {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::UnknownUser => Self::new(Fault::UnknownUser),
            IngestError::TooManyItems => Self::new(Fault::TooManyItems),
            // The text contains a position and the expected value, never the actual one.
            IngestError::Malformed(refusal) => {
                Self::new(Fault::InvalidRequest).detail(format!("The body is {refusal}."))
            }
            IngestError::Storage(error) => error.into(),
        }
    }
}
