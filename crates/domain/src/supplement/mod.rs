//! Supplements: what a label says, and when a person took what it is on.

mod catalogue_key;
mod ingredient;
mod intake_log;
mod label;
mod label_change;
mod text;
mod upc;

pub use catalogue_key::{CatalogueKey, InvalidCatalogueKey};
pub use ingredient::{Amount, Ingredient};
pub use intake_log::{IntakeLog, IntakeLogRecord, InvalidIntakeLog, InvalidServings, Servings};
pub use label::{InvalidLabel, SupplementLabel, SupplementLabelFields};
pub use label_change::LabelChange;
pub use text::{InvalidText, TextProblem};
pub use upc::{InvalidUpc, Upc};

use crate::id::SupplementId;
use chrono::{DateTime, Utc};

/// One version of a supplement's label under its own id, as the catalogue keeps it.
///
/// The catalogue belongs to nobody; what a person took is an [`IntakeLog`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplement {
    /// Id of this version; a log points at it for ever.
    pub id: SupplementId,
    /// What the label says.
    pub label: SupplementLabel,
    /// The contract's `entry_date`: the label's own day at 00:00 UTC, else the time of the first import.
    pub entry_date: DateTime<Utc>,
}

impl Supplement {
    /// Enters a label into the catalogue as a version of its own; `imported_at` is the time of first import.
    pub fn enter(id: SupplementId, label: SupplementLabel, imported_at: DateTime<Utc>) -> Self {
        let entry_date = label.entry_instant().unwrap_or(imported_at);
        Self { id, label, entry_date }
    }

    /// Puts a corrected label in the place of the old one, under the same id
    /// ([`LabelChange::UpdateInPlace`]).
    ///
    /// A corrected label that names no day of its own keeps the date that is there.
    #[must_use]
    pub fn corrected(self, label: SupplementLabel) -> Self {
        let entry_date = label.entry_instant().unwrap_or(self.entry_date);
        Self { id: self.id, label, entry_date }
    }
}

#[cfg(test)]
mod tests;
