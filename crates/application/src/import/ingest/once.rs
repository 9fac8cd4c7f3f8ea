//! A request that comes again with the same `Idempotency-Key` is answered as it was.

use crate::ports::storage::{Claim, IdempotencyStore, IdempotentRequest, KeptAnswer, StorageError};
use crate::ports::system::Clock;
use chrono::TimeDelta;
use std::sync::Arc;
use std::time::Duration;

/// For how long an answer is kept.
pub const ANSWER_KEPT: TimeDelta = TimeDelta::hours(24);
/// After how long a claim that was neither answered nor prolonged is free: its process ended, or stands still.
pub const CLAIM_KEPT: Duration = Duration::from_mins(5);
/// How often whoever works on a request prolongs its claim.
pub const CLAIM_PROLONGED: Duration = Duration::from_mins(1);

/// What to do with a request that names a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// To work on it; the caller ends it with [`AnswerOnce::keep`] or [`AnswerOnce::give_back`].
    Now,
    /// To answer as before.
    Again(KeptAnswer),
    /// To refuse it: the same request is being worked on.
    Busy,
    /// To refuse it: the key stands for another request.
    OtherContent,
}

/// Keeps answers by the key that a client chose.
pub struct AnswerOnce {
    store: Arc<dyn IdempotencyStore>,
    clock: Arc<dyn Clock>,
}

impl AnswerOnce {
    /// Creates the use case.
    pub fn new(store: Arc<dyn IdempotencyStore>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Claims the key of a request, or says what it stands for.
    pub async fn begin(&self, request: IdempotentRequest) -> Result<Begun, StorageError> {
        let now = self.clock.now();
        Ok(match self.store.claim(request, now, now - CLAIM_KEPT, now - ANSWER_KEPT).await? {
            Claim::Taken => Begun::Now,
            Claim::Answered(answer) => Begun::Again(answer),
            Claim::Busy => Begun::Busy,
            Claim::OtherContent => Begun::OtherContent,
        })
    }

    /// Says that the request is still worked on; false when the claim is no longer the caller's, who must stop then: the
    /// same request may have been done by somebody else since, and its records changed after that.
    pub async fn prolong(&self, request: IdempotentRequest) -> Result<bool, StorageError> {
        self.store.prolong(request, self.clock.now()).await
    }

    /// Keeps the answer.
    pub async fn keep(&self, request: IdempotentRequest, answer: &KeptAnswer) -> Result<(), StorageError> {
        self.store.keep(request, answer).await
    }

    /// Gives the key back, because nothing was done.
    pub async fn give_back(&self, request: IdempotentRequest) -> Result<(), StorageError> {
        self.store.release(request).await
    }
}
