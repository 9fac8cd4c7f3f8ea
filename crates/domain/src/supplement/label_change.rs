//! What becomes of a label that is read again.

use super::SupplementLabel;

/// Decides what a label that is read again under a known key does to the version that is kept.
///
/// The rule (formats, rules of import): each label version that a log points at keeps its own supplement
/// id, so that what a person took never changes afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LabelChange {
    /// The label says what it said before: nothing is written.
    Unchanged,
    /// Nobody logged this version: the corrected label takes its place, under the same id.
    UpdateInPlace,
    /// Somebody logged this version: it stays, and the corrected label becomes a new version with its own
    /// id, which replaces it under the key.
    NewVersion,
}

impl LabelChange {
    /// Compares the version that is kept with the one that was read; `has_logs` says whether any person's
    /// log points at the one that is kept.
    pub fn between(kept: &SupplementLabel, read: &SupplementLabel, has_logs: bool) -> Self {
        if kept == read {
            Self::Unchanged
        } else if has_logs {
            Self::NewVersion
        } else {
            Self::UpdateInPlace
        }
    }
}

#[cfg(test)]
mod tests;
