//! The labels that a file has had so far.
//!
//! An id belongs to the first label that has it. Several labels with one key are versions if each has its own
//! id; otherwise the later ones repeat the first.

use super::attempt::Attempt;
use super::recent::RecordHash;
use crate::ports::import_source::ImportedSupplement;
use domain::id::SupplementId;

/// Returns whether the file has the id of a label for another key.
pub(super) fn has_anothers_id(attempt: &Attempt<'_>, label: &ImportedSupplement) -> bool {
    let is_met = label.id.is_some_and(|id| attempt.met_label(of_id(label, id)).is_some());
    is_met && attempt.met_label(of_version(label, label.id)).is_none()
}

/// Returns the stored label of an earlier record of the file that this one repeats.
pub(super) fn repeated(attempt: &Attempt<'_>, label: &ImportedSupplement) -> Option<SupplementId> {
    let without_id = || attempt.met_label(of_version(label, None));
    let other = match label.id {
        Some(_) => attempt.met_label(of_version(label, label.id)),
        None => attempt.met_label(of_key(label)),
    };
    other.or_else(without_id)
}

/// Records that the file has a label, which is stored under this id.
pub(super) fn meet(attempt: &mut Attempt<'_>, label: &ImportedSupplement, stored: SupplementId) {
    if let Some(id) = label.id {
        attempt.meet_label(of_id(label, id), stored);
        attempt.meet_label(of_key(label), stored);
    }
    attempt.meet_label(of_version(label, label.id), stored);
}

fn of_id(label: &ImportedSupplement, id: SupplementId) -> RecordHash {
    RecordHash::new("label id", &(label.file, id))
}

fn of_key(label: &ImportedSupplement) -> RecordHash {
    RecordHash::new("label key", &(label.file, &label.key))
}

fn of_version(label: &ImportedSupplement, id: Option<SupplementId>) -> RecordHash {
    RecordHash::new("label version", &(label.file, &label.key, id))
}
