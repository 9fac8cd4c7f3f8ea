//! Results of ingested items.

use crate::model::import_report::ItemStatus;
use crate::ports::ingest_source::ItemRefusal;
use crate::ports::storage::RecordReference;
use uuid::Uuid;

/// Result of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemResult {
    /// The item was accepted.
    Accepted {
        /// Its outcome.
        status: ItemStatus,
        /// Id of the record.
        id: Uuid,
        /// Skipped or corrected parts, if any.
        detail: Option<String>,
    },
    /// The item was rejected.
    Rejected(ItemRefusal),
}

impl ItemResult {
    pub(super) const fn accepted(status: ItemStatus, id: Uuid) -> Self {
        Self::Accepted { status, id, detail: None }
    }

    /// Returns the result of a stored record.
    pub(super) fn of_record(record: RecordReference, status: ItemStatus) -> Self {
        let id = match record {
            RecordReference::Session(id) => id.as_uuid(),
            RecordReference::Log(id) => id.as_uuid(),
            RecordReference::Label(id) => id.as_uuid(),
        };
        Self::accepted(status, id)
    }

    /// Adds notes to the result of an accepted item.
    pub(super) fn with_notes(self, notes: &[String]) -> Self {
        match self {
            Self::Accepted { status, id, detail } if !notes.is_empty() => {
                let all: Vec<String> = detail.into_iter().chain(notes.iter().cloned()).collect();
                Self::Accepted { status, id, detail: Some(all.join("; ")) }
            }
            other => other,
        }
    }
}

/// Results of all items.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IngestReport {
    /// Results, in the order of the items.
    pub results: Vec<ItemResult>,
    /// Number of created records.
    pub created: u32,
    /// Number of changed records.
    pub updated: u32,
    /// Number of equal records.
    pub unchanged: u32,
    /// Number of rejected items.
    pub rejected: u32,
}

impl IngestReport {
    pub(super) fn extend(&mut self, results: Vec<ItemResult>) {
        for result in &results {
            let count = match result {
                ItemResult::Accepted { status: ItemStatus::Created, .. } => &mut self.created,
                ItemResult::Accepted { status: ItemStatus::Updated, .. } => &mut self.updated,
                ItemResult::Accepted { status: ItemStatus::Unchanged, .. } => &mut self.unchanged,
                ItemResult::Rejected(_) => &mut self.rejected,
            };
            *count = count.saturating_add(1);
        }
        self.results.extend(results);
    }
}
