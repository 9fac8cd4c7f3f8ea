//! Supplements: their labels and the intakes of people.

mod catalogue_key;
pub mod daily;
mod ingredient;
mod intake_log;
mod label;
mod search_words;
mod text;
mod upc;

pub use catalogue_key::{CatalogueKey, InvalidCatalogueKey};
pub use ingredient::{Amount, Ingredient};
pub use intake_log::{IntakeLog, IntakeLogRecord, InvalidIntakeLog, InvalidServings, Servings};
pub use label::{InvalidLabel, LabelChange, SupplementLabel, SupplementLabelFields};
pub use search_words::SearchWords;
pub use text::{InvalidText, TextProblem};
pub use upc::{InvalidUpc, Upc};

use crate::id::SupplementId;
use chrono::{DateTime, Utc};

/// A version of a supplement label in the catalogue, with its id.
///
/// The catalogue is shared by all people; an [`IntakeLog`] belongs to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplement {
    /// Id of this version; logs refer to it permanently.
    pub id: SupplementId,
    /// The label.
    pub label: SupplementLabel,
    /// The contract's `entry_date`: the label's own date at 00:00 UTC, otherwise the time of the first
    /// import.
    pub entry_date: DateTime<Utc>,
}

impl Supplement {
    /// Creates a version of a label; `imported_at` is the time of the first import.
    pub fn enter(id: SupplementId, label: SupplementLabel, imported_at: DateTime<Utc>) -> Self {
        let entry_date = label.entry_instant().unwrap_or(imported_at);
        Self { id, label, entry_date }
    }

    /// Replaces the label under the same id ([`LabelChange::UpdateInPlace`]).
    ///
    /// If the new label has no entry date, the present one is kept.
    #[must_use]
    pub fn corrected(self, label: SupplementLabel) -> Self {
        let entry_date = label.entry_instant().unwrap_or(self.entry_date);
        Self { id: self.id, label, entry_date }
    }
}

#[cfg(test)]
mod tests;
