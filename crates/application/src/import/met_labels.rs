//! The labels that a file has had so far.
//!
//! An id belongs to the first label that has it; a record with this id and without a catalogue's key is the
//! same label. Several records with one key are versions if each has its own id and another text than the
//! version before it; otherwise the later ones repeat the first.

use super::attempt::Attempt;
use super::memory::RecordHash;
use super::run::Origin;
use crate::ports::import_source::ImportedSupplement;
use crate::ports::storage::RecordVersion;
use domain::id::SupplementId;
use domain::supplement::CatalogueKey;

/// What a file has under an id.
#[derive(Debug, Clone, Copy)]
pub(super) struct MetId {
    stored: SupplementId,
    /// Hash of the key, a catalogue's if any record with the id has one.
    key: RecordHash,
    /// Whether the key is no catalogue's.
    lacks_key: bool,
    /// Whether the label is a person's own product.
    is_own: bool,
}

/// What a file has under a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct MetKey {
    /// The latest version.
    stored: SupplementId,
    /// Its text; `None` if a record has no id, so that all later ones repeat it.
    text: Option<RecordVersion>,
}

/// How a record relates to the earlier ones of its file.
pub(super) enum Meeting {
    New,
    /// It repeats an earlier one, which has this stored label.
    Repeated(SupplementId),
    /// Its id belongs to a label with another key.
    AnothersId,
}

/// Compares a record with the earlier ones of its file.
pub(super) fn compare(attempt: &Attempt<'_>, label: &ImportedSupplement) -> Meeting {
    match label.id.and_then(|id| attempt.recall(|memory| &memory.label_ids, &of_id(label, id))) {
        Some(met) if met.is_label(label) => return Meeting::Repeated(met.stored),
        Some(_) => return Meeting::AnothersId,
        None => {}
    }
    match attempt.recall(|memory| &memory.label_keys, &of_key(label)) {
        Some(met) if met.is_repeated_by(label) => Meeting::Repeated(met.stored),
        _ => Meeting::New,
    }
}

/// Records that the file has a label, which is stored under this id, and whether it is a new version.
pub(super) fn meet(
    attempt: &mut Attempt<'_>,
    label: &ImportedSupplement,
    stored: SupplementId,
    is_new: bool,
) {
    if attempt.run.origin == Origin::Request {
        return;
    }
    if let Some(id) = label.id {
        let earlier = attempt.recall(|memory| &memory.label_ids, &of_id(label, id));
        let kept = earlier.filter(|met| !met.lacks_key || lacks_key(&label.key));
        let met = kept.unwrap_or_else(|| MetId::new(label, stored));
        attempt.result.memory.label_ids.insert(of_id(label, id), met);
    }
    let by_key = match attempt.recall(|memory| &memory.label_keys, &of_key(label)) {
        Some(earlier) if label.id.is_none() => MetKey { text: None, ..earlier },
        Some(earlier) if !is_new => earlier,
        _ => MetKey { stored, text: label.id.map(|_| RecordVersion::of_label(&label.label)) },
    };
    attempt.result.memory.label_keys.insert(of_key(label), by_key);
}

impl MetId {
    fn new(label: &ImportedSupplement, stored: SupplementId) -> Self {
        let is_own = label.key.owner().is_some();
        Self { stored, key: of_key(label), lacks_key: lacks_key(&label.key), is_own }
    }

    /// Returns whether a record with this id is the same label.
    fn is_label(&self, label: &ImportedSupplement) -> bool {
        let may_lack_key = !self.is_own && label.key.owner().is_none();
        self.key == of_key(label) || may_lack_key && (self.lacks_key || lacks_key(&label.key))
    }
}

impl MetKey {
    /// Returns whether a record with this key and another id, or none, is the same version.
    fn is_repeated_by(&self, label: &ImportedSupplement) -> bool {
        let is_equal = |text| text == RecordVersion::of_label(&label.label);
        label.id.is_none() || self.text.is_none_or(is_equal)
    }
}

/// Returns whether a key is no catalogue's: such a label is found by its id alone.
pub(super) fn lacks_key(key: &CatalogueKey) -> bool {
    key.source() == CatalogueKey::RESTWELL
}

fn of_id(label: &ImportedSupplement, id: SupplementId) -> RecordHash {
    RecordHash::new("label id", &(label.file, id))
}

fn of_key(label: &ImportedSupplement) -> RecordHash {
    RecordHash::new("label key", &(label.file, &label.key))
}
