//! Erasures.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{ErasureId, UserId};
#[cfg(feature = "test-support")]
use mockall::automock;

/// Record of an erasure, without the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erasure {
    /// Id of the receipt.
    pub id: ErasureId,
    /// Time of the erasure.
    pub at: DateTime<Utc>,
}

/// Erases users.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ErasureRepository: Send {
    /// Deletes a user with everything stored under their id, including audit events and read tallies. Keeps
    /// the erasure and a hash of the id for [`was_erased`](Self::was_erased). Returns whether the user
    /// existed; keeps nothing if not.
    ///
    /// A store with its own files MUST remove the remains of the deleted rows from them as part of the
    /// commit, or later if a reader prevents it
    /// ([`StoreUpkeep::finish_erasures`](super::StoreUpkeep::finish_erasures)).
    async fn erase(&mut self, user_id: UserId, erasure: Erasure) -> Result<bool, StorageError>;
    /// Returns whether a user with this id was erased: such an id is never reused.
    async fn was_erased(&mut self, user_id: UserId) -> Result<bool, StorageError>;
    /// Lists erasures, latest first, at most `limit`.
    async fn list(&mut self, limit: u32) -> Result<Vec<Erasure>, StorageError>;
}
