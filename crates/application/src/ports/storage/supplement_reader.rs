//! Supplements and their intake, outside a transaction.

use super::{CatalogueVersion, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::paging::PageRequest;
use domain::supplement::{CatalogueKey, IntakeLog, Servings, Supplement, Upc};
#[cfg(feature = "test-support")]
use mockall::automock;
use std::sync::Arc;

/// Which supplements are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupplementPageQuery {
    /// Whose intake.
    pub user_id: UserId,
    /// Only logs at or after this moment; a supplement without one is not in the result.
    pub start: Option<DateTime<Utc>>,
    /// Only this supplement.
    pub supplement_id: Option<SupplementId>,
    /// Which page; records sort by their first log in the direction asked for, ties by id in that direction.
    pub page: PageRequest,
}

/// One log as a page needs it: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntakeLogRow {
    /// The log's id.
    pub id: IntakeLogId,
    /// When it was taken, in microseconds since 1970-01-01 UTC.
    pub created_at_micros: i64,
    /// How many servings.
    pub servings: f64,
}

impl IntakeLogRow {
    /// Checks that the servings are a number that can have been stored.
    pub fn check(&self) -> Result<(), StorageError> {
        let corrupt =
            || StorageError::Corrupt { table: "intake_log", column: "servings", row: self.id.to_string() };
        Servings::new(self.servings).map(|_| ()).map_err(|_| corrupt())
    }
}

/// A supplement with the logs in the range.
#[derive(Debug, Clone, PartialEq)]
pub struct SupplementRecord {
    /// The supplement; one label is on many people's pages.
    pub supplement: Arc<Supplement>,
    /// Its logs, at least one, sorted by time in the direction asked for, ties by id in that direction.
    pub logs: Vec<IntakeLogRow>,
}

/// A page of supplements.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SupplementPage {
    /// The records, in the order asked for, at most the page's size.
    pub records: Vec<SupplementRecord>,
    /// Whether a further page exists.
    pub has_more: bool,
}

/// Reads the catalogue and what people take.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SupplementReader: Send + Sync {
    /// Returns one page; a page past the end is empty. Finding the page MUST not read every log of the person:
    /// its cost grows with the number of different supplements, then with the logs of the page.
    async fn page(&self, query: SupplementPageQuery) -> Result<SupplementPage, StorageError>;
    /// Lists the supplements that this person has logs of, with their catalogue keys: versions that were
    /// replaced before current ones (MUST, so that an export can be read in its order), then by ascending id.
    async fn list_taken(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError>;
    /// Returns the logs after a position (time, id), oldest first, at most `limit`.
    async fn walk_logs(
        &self,
        user_id: UserId,
        after: Option<(DateTime<Utc>, IntakeLogId)>,
        limit: u32,
    ) -> Result<Vec<IntakeLog>, StorageError>;
    /// Lists every version, current or replaced, whose label carries this code in any spelling: by ascending key
    /// (source first), the current version of a key before replaced ones, then by ascending id.
    async fn list_by_upc(&self, upc: &Upc) -> Result<Vec<CatalogueVersion>, StorageError>;
}
