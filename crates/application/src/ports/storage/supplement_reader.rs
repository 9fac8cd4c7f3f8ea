//! Supplements and their intake, read outside a transaction.

use super::{CatalogueVersion, StorageError};
pub use crate::model::supplement_page::{
    IntakeLogRow, SupplementPage, SupplementPageQuery, SupplementRecord,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{CatalogueKey, IntakeLog, SearchWords, Servings, Supplement, Upc};
#[cfg(feature = "test-support")]
use mockall::automock;

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
