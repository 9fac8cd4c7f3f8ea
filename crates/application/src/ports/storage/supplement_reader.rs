//! Supplements and their intake, read outside a transaction.

use super::{CatalogueVersion, StorageError};
pub use crate::read::supplement_page::{IntakeLogRow, SupplementPage, SupplementPageQuery, SupplementRecord};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, UserId};
use domain::supplement::{CatalogueKey, IntakeLog, Servings, Supplement, Upc};
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
    async fn list_taken(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError>;
    /// Returns at most `limit` logs after a position (time, id), oldest first.
    async fn walk_logs(
        &self,
        user_id: UserId,
        after: Option<(DateTime<Utc>, IntakeLogId)>,
        limit: u32,
    ) -> Result<Vec<IntakeLog>, StorageError>;
    /// Lists all versions whose label has this code in any spelling: by ascending key (source first), the
    /// current version of a key before replaced ones, then by ascending id.
    async fn list_by_upc(&self, upc: &Upc) -> Result<Vec<CatalogueVersion>, StorageError>;
}
