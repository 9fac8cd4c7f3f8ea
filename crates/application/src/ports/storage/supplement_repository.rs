//! The catalogue of supplements, in a unit of work. It is shared by all people.

use super::StorageError;
use async_trait::async_trait;
use domain::id::SupplementId;
use domain::supplement::{CatalogueKey, Supplement, Upc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A version of a label, with its place in the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogueVersion {
    /// The key of the label.
    pub key: CatalogueKey,
    /// The version.
    pub supplement: Supplement,
    /// Whether it is the current version of its key; a replaced one is there for the logs that point at it.
    pub is_current: bool,
}

/// Keeps the labels of supplements. A key names one current version; older versions that logs point at stay.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SupplementRepository: Send {
    /// Returns a version by its id, current or replaced, or nothing.
    async fn find(&mut self, id: SupplementId) -> Result<Option<Supplement>, StorageError>;
    /// Returns the current version under this key, or nothing.
    async fn find_current(&mut self, key: &CatalogueKey) -> Result<Option<Supplement>, StorageError>;
    /// Returns the versions with these ids, current or replaced, in no order; an id that nothing has is passed over.
    async fn find_many(&mut self, ids: &[SupplementId]) -> Result<Vec<Supplement>, StorageError>;
    /// Returns the current versions under these keys, each with its key, in no order; a key without one is passed over.
    async fn find_current_many(
        &mut self,
        keys: &[CatalogueKey],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError>;
    /// Returns whether anybody's log points at this version.
    async fn has_logs(&mut self, id: SupplementId) -> Result<bool, StorageError>;
    /// Stores a first version; MUST fail with `Conflict(Supplement)` when the id is taken, or the key has a
    /// current version.
    async fn insert(&mut self, key: &CatalogueKey, supplement: &Supplement) -> Result<(), StorageError>;
    /// Stores first versions, all or none; MUST fail with `Conflict(Supplement)`, and leave the unit of work as it was,
    /// when an id of them is taken or a key has a current version, also by another of them.
    async fn insert_many(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError>;
    /// Overwrites a version's label and entry date in place; returns whether it exists.
    async fn update(&mut self, supplement: &Supplement) -> Result<bool, StorageError>;
    /// Makes a new version the current one of this key; `old` stays, for the logs that point at it.
    async fn replace(
        &mut self,
        old: SupplementId,
        key: &CatalogueKey,
        new: &Supplement,
    ) -> Result<(), StorageError>;
    /// Returns the key of a version, or nothing.
    async fn key_of(&mut self, id: SupplementId) -> Result<Option<CatalogueKey>, StorageError>;
    /// Returns the current version whose label carries this code in any spelling; of several the one with the
    /// latest entry date, ties by descending id.
    async fn find_by_upc(&mut self, upc: &Upc) -> Result<Option<Supplement>, StorageError>;
    /// Deletes a version that nobody logged, and makes the predecessor, if one is named, the current one of its key
    /// again; false, and nothing is done, when it was logged or is not there.
    async fn retract(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError>;
}
