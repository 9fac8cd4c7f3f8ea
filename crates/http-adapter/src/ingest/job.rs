//! The work on one body.

use super::answer;
use super::claim;
use super::spool::Spool;
use crate::HttpState;
use crate::meter;
use crate::problem::{Fault, Problem};
use application::import::ingest::{Begun, IngestCommand, IngestError, IngestReport};
use application::ports::storage::{IdempotentRequest, KeptAnswer};
use domain::rate_limit::RateStatus;
use std::sync::Arc;
use tracing::{Instrument as _, Span};

/// The work on one body.
pub(super) struct Job {
    pub(super) state: Arc<HttpState>,
    pub(super) command: IngestCommand,
    /// By what the request is known when it comes again.
    pub(super) once: Option<IdempotentRequest>,
    pub(super) body: Spool,
    pub(super) rate: RateStatus,
}

impl Job {
    /// Does the work on a thread that may block, because reading does. It goes on when nobody waits any more: the
    /// answer to a request that comes again is there then.
    pub(super) async fn run_elsewhere(self) -> Result<KeptAnswer, Problem> {
        let runtime = tokio::runtime::Handle::current();
        let span = Span::current();
        let work = move || runtime.block_on(self.run().instrument(span));
        tokio::task::spawn_blocking(work).await.map_err(Problem::internal)?
    }

    async fn run(self) -> Result<KeptAnswer, Problem> {
        let Some(request) = self.once else { return self.answer().await };
        let once = &self.state.ingest.once;
        match once.begin(request).await? {
            Begun::Now => {}
            Begun::Again(answer) => return Ok(answer),
            Begun::Busy => return Err(Problem::new(Fault::RequestInProgress)),
            Begun::OtherContent => return Err(Problem::new(Fault::IdempotencyKeyReused)),
        }
        let answer = tokio::select! {
            biased;
            () = claim::lost(once, request, &self.state.elapsed_time) => return Err(Problem::new(Fault::IngestBusy)),
            answer = self.answer() => answer,
        };
        let kept = match &answer {
            Ok(answer) => once.keep(request, answer).await,
            Err(_) => once.give_back(request).await,
        };
        if let Err(error) = kept {
            // What was done is done; a request that comes again within five minutes is told to wait, then done again.
            tracing::warn!(%error, "an answer is not kept for its idempotency key");
        }
        answer
    }

    async fn answer(&self) -> Result<KeptAnswer, Problem> {
        let report: IngestReport = self.state.ingest.records.run(self.command, &self.body).await?;
        meter::ingest_items(self.command.shape.kind, &report);
        let body = answer::render(&report, self.rate).map_err(Problem::internal)?;
        Ok(KeptAnswer { status: 200, body })
    }
}

impl From<IngestError> for Problem {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::UnknownUser => Self::new(Fault::UnknownUser),
            IngestError::TooManyItems => Self::new(Fault::TooManyItems),
            // The words name a place and what was expected there, never what stands there.
            IngestError::Malformed(refusal) => {
                Self::new(Fault::InvalidRequest).detail(format!("The body is {refusal}."))
            }
            IngestError::Storage(error) => error.into(),
        }
    }
}
