//! What became of each item.

use crate::import::report::Outcome;
use crate::ports::ingest_source::ItemRefusal;
use crate::ports::storage::RecordReference;
use uuid::Uuid;

/// What became of an item that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemStatus {
    /// Stored for the first time.
    Created,
    /// Known, and different now.
    Updated,
    /// Known, and the same.
    Unchanged,
}

impl From<Outcome> for ItemStatus {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::New => Self::Created,
            Outcome::Updated => Self::Updated,
            Outcome::Unchanged => Self::Unchanged,
        }
    }
}

/// What became of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemResult {
    /// It is taken.
    Taken {
        /// What it did.
        status: ItemStatus,
        /// The id under which it is known.
        id: Uuid,
        /// What was passed over or set right, if anything.
        detail: Option<String>,
    },
    /// It is not taken.
    Rejected(ItemRefusal),
}

impl ItemResult {
    pub(super) const fn taken(status: ItemStatus, id: Uuid) -> Self {
        Self::Taken { status, id, detail: None }
    }

    /// Gives the id of a record that was stored.
    pub(super) fn of_record(record: RecordReference, outcome: Outcome) -> Self {
        let id = match record {
            RecordReference::Session(id) => id.as_uuid(),
            RecordReference::Log(id) => id.as_uuid(),
            RecordReference::Label(id) => id.as_uuid(),
        };
        Self::taken(outcome.into(), id)
    }

    /// Adds what was noted of an item that is taken.
    pub(super) fn with_notes(self, notes: &[String]) -> Self {
        match self {
            Self::Taken { status, id, detail } if !notes.is_empty() => {
                let all: Vec<String> = detail.into_iter().chain(notes.iter().cloned()).collect();
                Self::Taken { status, id, detail: Some(all.join("; ")) }
            }
            other => other,
        }
    }
}

/// What became of all items.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IngestReport {
    /// Each of them, in their order.
    pub results: Vec<ItemResult>,
    /// How many were stored for the first time.
    pub created: u32,
    /// How many were known and are different now.
    pub updated: u32,
    /// How many were known and are the same.
    pub unchanged: u32,
    /// How many are not taken.
    pub rejected: u32,
}

impl IngestReport {
    pub(super) fn extend(&mut self, results: Vec<ItemResult>) {
        for result in &results {
            let count = match result {
                ItemResult::Taken { status: ItemStatus::Created, .. } => &mut self.created,
                ItemResult::Taken { status: ItemStatus::Updated, .. } => &mut self.updated,
                ItemResult::Taken { status: ItemStatus::Unchanged, .. } => &mut self.unchanged,
                ItemResult::Rejected(_) => &mut self.rejected,
            };
            *count = count.saturating_add(1);
        }
        self.results.extend(results);
    }
}
