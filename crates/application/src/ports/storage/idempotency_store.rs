//! Answers that are given again when a request comes again (`Idempotency-Key`).

use super::StorageError;
pub use crate::import::ingest::kept_answer::{IdempotentRequest, KeptAnswer};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// What there is under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Nothing was; it is the caller's now.
    Taken,
    /// The same request was answered.
    Answered(KeptAnswer),
    /// The same request is being worked on.
    Busy,
    /// The key stands for another request.
    OtherContent,
}

/// Keeps answers.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Claims a key. One that was claimed before `abandoned_before` and never answered counts as free, and so does
    /// one from before `expired_before`. Of several at once one takes it.
    async fn claim(
        &self,
        request: IdempotentRequest,
        now: DateTime<Utc>,
        abandoned_before: DateTime<Utc>,
        expired_before: DateTime<Utc>,
    ) -> Result<Claim, StorageError>;
    /// Makes a claim that was not answered yet as young as this moment; false when there is none any more: it was given
    /// back, answered, or taken over by a request of other content. The same request that came again and took it over is
    /// not told apart: whoever prolongs has to notice when it could not do so for as long as a claim is kept. A claim MUST NOT grow older by it.
    async fn prolong(&self, request: IdempotentRequest, now: DateTime<Utc>) -> Result<bool, StorageError>;
    /// Keeps the answer to a claimed request.
    async fn keep(&self, request: IdempotentRequest, answer: &KeptAnswer) -> Result<(), StorageError>;
    /// Gives a claim back, because nothing was done.
    async fn release(&self, request: IdempotentRequest) -> Result<(), StorageError>;
    /// Deletes at most `limit` answers from before this moment; returns how many.
    async fn delete_before(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
