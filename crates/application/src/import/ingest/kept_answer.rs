//! A request that may come again, and the answer that is kept for it.

use domain::id::ClientId;

/// Names one request of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdempotentRequest {
    /// The client.
    pub client_id: ClientId,
    /// The SHA-256 of the key that the client chose.
    pub key: [u8; 32],
    /// The SHA-256 of method, path and body.
    pub content: [u8; 32],
}

/// An answer that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}
