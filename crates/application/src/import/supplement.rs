//! Stores supplement labels of a file.

use super::attempt::Attempt;
use super::batch::{Numbered, RejectionCause};
use super::met_labels::{self, Meeting, lacks_key};
use super::repetition::Repetition;
use crate::model::import_report::ItemStatus;
use crate::ports::import_source::ImportedSupplement;
use crate::ports::storage::{
    RecordBefore, RecordReference, RecordVersion, StorageError, SupplementRepository, UnitOfWork,
};
use domain::id::SupplementId;
use domain::supplement::{CatalogueKey, LabelChange, Supplement};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The labels while a batch is stored.
#[derive(Default)]
struct Labels {
    /// Labels stored before the batch, by id.
    by_id: HashMap<SupplementId, (CatalogueKey, Supplement)>,
    /// Labels stored before the batch, by key.
    current: HashMap<CatalogueKey, Supplement>,
    /// Ids and keys of the batch's records so far; for these, the maps above may be outdated.
    seen_ids: HashSet<SupplementId>,
    met_keys: HashSet<CatalogueKey>,
    /// Ids for new labels, in descending order.
    ids: Vec<SupplementId>,
    /// New labels, inserted together.
    waiting: Vec<(CatalogueKey, Supplement)>,
}

/// Stores the labels of one batch: two lookups and one insert for new ones, and one update per change.
///
/// An own product of another person becomes one of the file's owner.
pub(super) async fn store(
    attempt: &mut Attempt<'_>,
    tx: &mut dyn UnitOfWork,
    imported: Vec<Numbered<&ImportedSupplement>>,
) -> Result<(), StorageError> {
    let imported = with_owner(attempt, imported);
    if imported.is_empty() {
        return Ok(());
    }
    let repository = tx.supplements();
    let mut labels = Labels::look_up(repository, &imported).await?;
    labels.ids = drawn_ids(attempt, &imported);
    for (position, supplement) in imported {
        let is_ambiguous = matches!(met_labels::compare(attempt, &supplement), Meeting::AnothersId);
        let supplement = if is_ambiguous { without_id(&supplement) } else { supplement };
        if let Meeting::Repeated(id) = met_labels::compare(attempt, &supplement) {
            if let Some(in_file) = supplement.id.filter(|in_file| *in_file != id) {
                labels.store_deferred(repository).await?;
                if repository.find(in_file).await?.is_none() {
                    attempt.alias(in_file, id);
                }
            }
            met_labels::meet(attempt, &supplement, id, false);
            attempt.settle_supplement((position, &supplement), (id, ItemStatus::Unchanged));
            continue;
        }
        if is_ambiguous {
            attempt.note(position, Repetition::Ambiguous.note(&supplement.place));
        }
        let stored = labels.without_foreign_id(&supplement);
        let Some((id, outcome)) = labels.place(attempt, repository, &stored).await? else {
            attempt.reject(position, &supplement.place, RejectionCause::LabelOfTwo);
            continue;
        };
        // A stored version with the file's id keeps the logs that refer to it.
        if let Some(in_file) = supplement.id.filter(|in_file| *in_file != id)
            && (stored.id.is_none() || repository.find(in_file).await?.is_none())
        {
            attempt.alias(in_file, id);
        }
        met_labels::meet(attempt, &supplement, id, true);
        attempt.settle_supplement((position, &stored), (id, outcome));
    }
    labels.store_deferred(repository).await
}

/// Gives own products to the user of the import, and rejects them without one.
fn with_owner<'a>(
    attempt: &mut Attempt<'_>,
    imported: Vec<Numbered<&'a ImportedSupplement>>,
) -> Vec<Numbered<Cow<'a, ImportedSupplement>>> {
    let user_id = attempt.run.user_id;
    let mut labels = Vec::with_capacity(imported.len());
    for (position, supplement) in imported {
        match (supplement.key.owner(), user_id) {
            (None, _) => labels.push((position, Cow::Borrowed(supplement))),
            (Some(_), Some(user_id)) => {
                let key = supplement.key.clone().owned_by(user_id);
                labels.push((position, Cow::Owned(ImportedSupplement { key, ..supplement.clone() })));
            }
            (Some(_), None) => attempt.reject(position, &supplement.place, RejectionCause::NoPerson),
        }
    }
    labels
}

fn without_id<'a>(imported: &ImportedSupplement) -> Cow<'a, ImportedSupplement> {
    Cow::Owned(ImportedSupplement { id: None, ..imported.clone() })
}

/// Generates an id for each record without one. As for sessions, they are used in ascending order.
fn drawn_ids(attempt: &Attempt<'_>, imported: &[Numbered<Cow<'_, ImportedSupplement>>]) -> Vec<SupplementId> {
    let unnamed = imported.iter().filter(|(_, supplement)| supplement.id.is_none());
    let mut ids: Vec<_> = unnamed.map(|_| SupplementId::from_uuid(attempt.run.entropy.uuid())).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    ids
}

impl Labels {
    /// Looks up the ids and the keys of the records.
    async fn look_up(
        repository: &mut dyn SupplementRepository,
        imported: &[Numbered<Cow<'_, ImportedSupplement>>],
    ) -> Result<Self, StorageError> {
        let ids: Vec<SupplementId> = imported.iter().filter_map(|(_, supplement)| supplement.id).collect();
        let by_id = if ids.is_empty() { Vec::new() } else { repository.find_many(&ids).await? };
        let keys: Vec<CatalogueKey> = imported.iter().map(|(_, supplement)| supplement.key.clone()).collect();
        let current = repository.find_current_many(&keys).await?;
        let by_id = by_id.into_iter().map(|(key, known)| (known.id, (key, known))).collect();
        Ok(Self { by_id, current: current.into_iter().collect(), ..Self::default() })
    }

    /// Removes the id of a record if it belongs to an own product of another person, or if exactly one of the
    /// two is an own product.
    fn without_foreign_id<'a>(&self, imported: &'a ImportedSupplement) -> Cow<'a, ImportedSupplement> {
        match imported.id.and_then(|id| self.by_id.get(&id)) {
            Some((key, _)) if key.owner() != imported.key.owner() => without_id(imported),
            _ => Cow::Borrowed(imported),
        }
    }

    /// Stores the changes of one label; new ones are inserted later. `None` if its id belongs to a label with
    /// another key.
    async fn place(
        &mut self,
        attempt: &mut Attempt<'_>,
        repository: &mut dyn SupplementRepository,
        imported: &ImportedSupplement,
    ) -> Result<Option<(SupplementId, ItemStatus)>, StorageError> {
        let known = self.find_known(repository, imported).await?;
        self.met_keys.extend([&imported.key].into_iter().chain(known.iter().map(|(key, _)| key)).cloned());
        self.seen_ids.extend(imported.id.into_iter().chain(known.iter().map(|(_, known)| known.id)));
        let placed = match known {
            Some(known) => correct(attempt, repository, imported, known).await?,
            None => Some((self.enter(attempt, imported), ItemStatus::Created)),
        };
        self.seen_ids.extend(placed.iter().map(|(id, _)| *id));
        Ok(placed)
    }

    /// Finds the stored label by id, else by key, with its key; labels that the batch has changed are read
    /// again.
    async fn find_known(
        &mut self,
        repository: &mut dyn SupplementRepository,
        imported: &ImportedSupplement,
    ) -> Result<Option<(CatalogueKey, Supplement)>, StorageError> {
        let by_id = imported.id.and_then(|id| self.by_id.get(&id)).cloned();
        let of_key = |known: Supplement| (imported.key.clone(), known);
        let known = by_id.or_else(|| self.current.get(&imported.key).cloned().map(of_key));
        let is_met = |id: SupplementId| self.seen_ids.contains(&id);
        if !self.met_keys.contains(&imported.key)
            && !imported.id.is_some_and(is_met)
            && !known.as_ref().is_some_and(|(key, known)| is_met(known.id) || self.met_keys.contains(key))
        {
            return Ok(known);
        }
        self.store_deferred(repository).await?;
        let by_id = match imported.id {
            Some(id) => repository.find(id).await?,
            None => None,
        };
        match by_id {
            Some(known) => Ok(Some(known)),
            None => Ok(repository.find_current(&imported.key).await?.map(of_key)),
        }
    }

    /// Adds a new label to be inserted.
    fn enter(&mut self, attempt: &mut Attempt<'_>, imported: &ImportedSupplement) -> SupplementId {
        let id = imported.id.or_else(|| self.ids.pop());
        let id = id.unwrap_or_else(|| SupplementId::from_uuid(attempt.run.entropy.uuid()));
        let entered_at = imported.entry_date.unwrap_or(attempt.run.now);
        let entered = Supplement::enter(id, imported.label.clone(), entered_at);
        self.waiting.push((imported.key.clone(), entered));
        note(attempt, id, None, imported);
        id
    }

    async fn store_deferred(
        &mut self,
        repository: &mut dyn SupplementRepository,
    ) -> Result<(), StorageError> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() { Ok(()) } else { repository.insert(&waiting).await }
    }
}

/// Changes a stored label. `None` if its id was found under another catalogue's key.
async fn correct(
    attempt: &mut Attempt<'_>,
    repository: &mut dyn SupplementRepository,
    imported: &ImportedSupplement,
    (key, known): (CatalogueKey, Supplement),
) -> Result<Option<(SupplementId, ItemStatus)>, StorageError> {
    if key != imported.key && !lacks_key(&key) && !lacks_key(&imported.key) {
        return Ok(None);
    }
    match change(repository, &known, imported).await? {
        LabelChange::Unchanged => Ok(Some((known.id, ItemStatus::Unchanged))),
        LabelChange::UpdateInPlace => {
            let id = known.id;
            note(attempt, id, Some((key, known.clone())), imported);
            repository.update(&known.corrected(imported.label.clone())).await?;
            Ok(Some((id, ItemStatus::Updated)))
        }
        LabelChange::NewVersion => {
            // A key that was ever used has a current version, possibly later than the file's.
            let Some(current) = repository.find_current(&key).await? else { return Ok(None) };
            if current.label == imported.label {
                return Ok(Some((current.id, ItemStatus::Unchanged)));
            }
            // An id that already belongs to a version with logs stays with that version.
            let id = imported.id.filter(|id| *id != known.id);
            let id = id.unwrap_or_else(|| SupplementId::from_uuid(attempt.run.entropy.uuid()));
            let entered_at = imported.entry_date.unwrap_or(attempt.run.now);
            let version = Supplement::enter(id, imported.label.clone(), entered_at);
            repository.replace(current.id, &key, &version).await?;
            note(attempt, id, Some((key, current)), imported);
            Ok(Some((id, ItemStatus::Updated)))
        }
    }
}

/// Records an added version of a label, or a changed one with its previous state.
fn note(
    attempt: &mut Attempt<'_>,
    id: SupplementId,
    before: Option<(CatalogueKey, Supplement)>,
    imported: &ImportedSupplement,
) {
    let before = before.map(|label| RecordBefore::Label(Box::new(label)));
    attempt.changed(RecordReference::Label(id), before, || RecordVersion::of_label(&imported.label));
}

/// Changes a label. A different Restwell id means another version, whether or not this one has logs.
async fn change(
    repository: &mut dyn SupplementRepository,
    known: &Supplement,
    imported: &ImportedSupplement,
) -> Result<LabelChange, StorageError> {
    let is_other_version = imported.id.is_some_and(|id| id != known.id);
    let differs = known.label != imported.label;
    let keeps_its_id = differs && (is_other_version || repository.has_logs(known.id).await?);
    Ok(LabelChange::between(&known.label, &imported.label, keeps_its_id))
}
