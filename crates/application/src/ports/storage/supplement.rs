//! The supplement catalogue, which all users share except for their custom products, and intakes.

use super::StorageError;
pub use crate::model::supplement_page::{
    IntakeLogRow, SupplementPage, SupplementPageQuery, SupplementRecord,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{CatalogueKey, IntakeLog, SearchWords, Servings, Supplement, Upc};
#[cfg(feature = "test-support")]
use mockall::automock;

/// A version of a label, and its catalogue key.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogueVersion {
    /// Catalogue key of the label.
    pub key: CatalogueKey,
    /// The version.
    pub supplement: Supplement,
    /// Whether it is the current version of its key; replaced ones are kept for the logs that refer to them.
    pub is_current: bool,
}

/// Stores supplement labels. A key has one current version; older versions with logs are kept. A user's own
/// products ([`CatalogueKey::owner`]) MUST be deleted with the user.
#[async_trait]
pub trait SupplementRepository: Send {
    /// Returns a version, current or replaced, with its key; `None` if there is none.
    async fn find(&mut self, id: SupplementId) -> Result<Option<(CatalogueKey, Supplement)>, StorageError>;
    /// Returns the current version of this key; `None` if there is none.
    async fn find_current(&mut self, key: &CatalogueKey) -> Result<Option<Supplement>, StorageError>;
    /// Returns the versions with these ids, current or replaced, with their keys, unordered; unknown ids are
    /// skipped.
    async fn find_many(
        &mut self,
        ids: &[SupplementId],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError>;
    /// Returns the current versions of these keys, with their keys, unordered; unknown keys are skipped.
    async fn find_current_many(
        &mut self,
        keys: &[CatalogueKey],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError>;
    /// Returns whether any user's log refers to this version.
    async fn has_logs(&mut self, id: SupplementId) -> Result<bool, StorageError>;
    /// Stores first versions, all or none. MUST fail with `Conflict(Supplement)` and leave the unit of work
    /// unchanged if an id is taken, or a key has a current version or occurs twice.
    async fn insert(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError>;
    /// Overwrites a version's label and entry date in place; returns whether it exists.
    async fn update(&mut self, supplement: &Supplement) -> Result<bool, StorageError>;
    /// Makes a new version the current one of this key; `old` is kept for the logs that refer to it.
    async fn replace(
        &mut self,
        old: SupplementId,
        key: &CatalogueKey,
        new: &Supplement,
    ) -> Result<(), StorageError>;
    /// Returns the current version that is visible to this user and whose label has this code in any
    /// spelling; the user's own product before those of the catalogue, then one that states its entry date
    /// before one that does not, then the one with the latest entry date, ties by descending id.
    async fn find_by_upc(&mut self, upc: &Upc, user_id: UserId) -> Result<Option<Supplement>, StorageError>;
    /// Deletes a version without logs, and makes `predecessor`, if given, the current one of its key again.
    /// Returns `false` and does nothing if the version has logs or does not exist.
    async fn retract(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError>;
}

impl IntakeLogRow {
    /// Checks that the servings are a number that can have been stored.
    pub fn check(&self) -> Result<(), StorageError> {
        let corrupt =
            || StorageError::Corrupt { table: "intake_log", column: "servings", row: self.id.to_string() };
        Servings::new(self.servings).map(|_| ()).map_err(|_| corrupt())
    }
}

/// Reads the catalogue and users' intake.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SupplementReader: Send + Sync {
    /// Returns one page; a page past the end is empty. MUST NOT read every log of the user to find the page:
    /// the cost grows with the number of distinct supplements, then with the logs of the page.
    async fn page(&self, query: SupplementPageQuery) -> Result<SupplementPage, StorageError>;
    /// Lists the supplements in this user's logs, with catalogue keys: replaced versions before current ones
    /// (MUST, so that an export can be imported in its order), then by ascending id.
    async fn list_logged(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError>;
    /// Returns at most `limit` logs after a position (time, id), oldest first.
    async fn walk_logs(
        &self,
        user_id: UserId,
        after: Option<(DateTime<Utc>, IntakeLogId)>,
        limit: u32,
    ) -> Result<Vec<IntakeLog>, StorageError>;
    /// Returns this user's log; `None` if there is none.
    async fn find_log(&self, user_id: UserId, id: IntakeLogId) -> Result<Option<IntakeLog>, StorageError>;
    /// Returns the versions with these ids, current or replaced, with their keys, unordered; unknown ids are
    /// skipped. The caller checks whose product each is.
    async fn list_versions(
        &self,
        ids: &[SupplementId],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError>;
    /// Lists the current versions of a user's own products by ascending id.
    async fn list_own(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError>;
    /// Returns at most `limit` current versions of the catalogue that match all words; MUST NOT return
    /// products of people. Names that begin with the query come first; then by name. Of more than `limit`
    /// matches, which of those in the middle of a name are returned is up to the store.
    async fn search(
        &self,
        words: &SearchWords,
        limit: u32,
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError>;
    /// Lists all versions of the catalogue whose label has this code in any spelling: by ascending key
    /// (source first), the current version of a key before replaced ones, then by ascending id. MUST NOT
    /// return products of people.
    async fn list_by_upc(&self, upc: &Upc) -> Result<Vec<CatalogueVersion>, StorageError>;
}
