//! Stored responses to requests with an `Idempotency-Key`.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::ClientId;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Identifies a request of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdempotentRequest {
    /// Id of the client.
    pub client_id: ClientId,
    /// SHA-256 of the client's key.
    pub key: [u8; 32],
    /// SHA-256 of method, path and body.
    pub content: [u8; 32],
}

/// A stored response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// Result of claiming a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The key was free; the caller has claimed it.
    Acquired,
    /// The same request was already processed.
    Completed(StoredResponse),
    /// The same request is in progress.
    Busy,
    /// The key was used for a different request.
    OtherContent,
}

/// Stores responses.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Claims a key. An uncompleted claim from before `abandoned_before`, and any from before
    /// `expired_before`, is free. Only one of several concurrent calls succeeds.
    async fn claim(
        &self,
        request: IdempotentRequest,
        now: DateTime<Utc>,
        abandoned_before: DateTime<Utc>,
        expired_before: DateTime<Utc>,
    ) -> Result<Claim, StorageError>;
    /// Renews an open claim to this time. Returns `false` if it was released, completed, or taken over
    /// by a different request. A takeover by the same request is not detected: the caller must notice that it
    /// could not renew for the lifetime of a claim. MUST NOT make a claim older.
    async fn renew(&self, request: IdempotentRequest, now: DateTime<Utc>) -> Result<bool, StorageError>;
    /// Stores the response to a claimed request.
    async fn keep(&self, request: IdempotentRequest, answer: &StoredResponse) -> Result<(), StorageError>;
    /// Releases a claim, because nothing was done.
    async fn release(&self, request: IdempotentRequest) -> Result<(), StorageError>;
    /// Deletes at most `limit` responses from before this time; returns their number.
    async fn delete_before(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
