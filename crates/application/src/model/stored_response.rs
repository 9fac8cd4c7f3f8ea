//! Idempotent requests and their stored responses.

use domain::id::ClientId;

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
