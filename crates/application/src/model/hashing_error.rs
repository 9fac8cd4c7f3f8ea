//! Errors of hashing a password.

/// Why a password could not be hashed or checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordHashingError {
    /// All hashing slots are busy and the queue is full (security.md T84).
    #[error("too many passwords are being checked at the moment")]
    Busy,
    /// The stored hash is invalid, or the library failed.
    #[error("a password could not be hashed or checked")]
    Failed,
}
