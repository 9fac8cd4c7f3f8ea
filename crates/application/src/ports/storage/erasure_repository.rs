//! Erasures, in a unit of work.

use super::StorageError;
pub use crate::erasure::receipt::Erasure;
use async_trait::async_trait;
use domain::id::UserId;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Erases people.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait ErasureRepository: Send {
    /// Deletes a person with everything stored under their id, their audit events and sums of reads among it,
    /// and keeps the erasure and a hash of the id, so that [`was_erased`](Self::was_erased) knows it. Returns
    /// whether the person existed; nothing is kept if not. A store that writes its own files MUST, as part of
    /// the commit, remove from them what the deleted rows leave behind, or do so later if a reader stands in
    /// the way ([`StoreUpkeep::finish_erasures`](super::StoreUpkeep::finish_erasures)).
    async fn erase(&mut self, user_id: UserId, erasure: Erasure) -> Result<bool, StorageError>;
    /// Returns whether somebody with this id was erased: such an id is never given out again.
    async fn was_erased(&mut self, user_id: UserId) -> Result<bool, StorageError>;
    /// Lists erasures, the latest first, at most `limit`.
    async fn list(&mut self, limit: u32) -> Result<Vec<Erasure>, StorageError>;
}
