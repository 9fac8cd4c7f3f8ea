//! Effect of reading a known label again.

use super::SupplementLabel;

/// Effect of reading a label with a known key on the stored version.
///
/// Every version that a log refers to keeps its supplement id, so that the intake never changes afterwards
/// (formats, rules of import).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LabelChange {
    /// The label is unchanged; nothing is written.
    Unchanged,
    /// No log refers to the version: the new label replaces it under the same id.
    UpdateInPlace,
    /// A log refers to the version: it stays, and the new label becomes the current version of the key with a
    /// new id.
    NewVersion,
}

impl LabelChange {
    /// Compares the stored version with the one that was read; `has_logs` reports whether any log refers to
    /// the stored one.
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
