//! Labels of supplements that a file carries.

use super::batch::{Numbered, Unstorable, rejection};
use super::recent::Mark;
use super::report::Outcome;
use super::run::Attempt;
use crate::ports::import_source::ImportedSupplement;
use crate::ports::storage::{RecordBefore, RecordReference, StorageError, SupplementRepository, UnitOfWork};
use domain::id::SupplementId;
use domain::supplement::{LabelChange, Supplement};

/// Stores the labels of one batch.
pub(super) async fn store(
    attempt: &mut Attempt<'_>,
    unit: &mut dyn UnitOfWork,
    imported: impl Iterator<Item = Numbered<&ImportedSupplement>> + Send,
) -> Result<(), StorageError> {
    for (position, supplement) in imported {
        let Some((id, outcome)) = place(attempt, unit.supplements(), supplement).await? else {
            attempt.reject(position, rejection(&supplement.place, Unstorable::LabelOfTwo));
            continue;
        };
        // A version that the store has under the file's own id keeps the logs that name it.
        if let Some(in_file) = supplement.id.filter(|in_file| *in_file != id)
            && unit.supplements().find(in_file).await?.is_none()
        {
            attempt.alias(in_file, id);
        }
        attempt.settle(position, RecordReference::Label(id), outcome);
        let key = Mark::of("supplement key", &supplement.key);
        attempt.count_supplement(id, outcome, supplement.id.is_some(), key);
    }
    Ok(())
}

/// Decides about one label and stores what changes; nothing when its id is the one of a label with another key.
async fn place(
    attempt: &mut Attempt<'_>,
    repository: &mut dyn SupplementRepository,
    imported: &ImportedSupplement,
) -> Result<Option<(SupplementId, Outcome)>, StorageError> {
    let by_id = match imported.id {
        Some(id) => repository.find(id).await?,
        None => None,
    };
    let known = match by_id {
        Some(known) => Some(known),
        None => repository.find_current(&imported.key).await?,
    };
    let Some(known) = known else {
        let id = imported.id.unwrap_or_else(|| SupplementId::from_uuid(attempt.run.entropy.uuid()));
        let entered =
            Supplement::enter(id, imported.label.clone(), imported.entry_date.unwrap_or(attempt.run.now));
        repository.insert(&imported.key, &entered).await?;
        attempt.changed(RecordReference::Label(id), None);
        return Ok(Some((id, Outcome::New)));
    };
    correct(attempt, repository, imported, known).await
}

async fn correct(
    attempt: &mut Attempt<'_>,
    repository: &mut dyn SupplementRepository,
    imported: &ImportedSupplement,
    known: Supplement,
) -> Result<Option<(SupplementId, Outcome)>, StorageError> {
    match change(repository, &known, imported).await? {
        LabelChange::Unchanged => Ok(Some((known.id, Outcome::Unchanged))),
        LabelChange::UpdateInPlace => {
            let id = known.id;
            // The key under which the store has it; an id that the file names may have another.
            let key = repository.key_of(id).await?.unwrap_or_else(|| imported.key.clone());
            let before = RecordBefore::Label(Box::new((key, known.clone())));
            attempt.changed(RecordReference::Label(id), Some(before));
            repository.update(&known.corrected(imported.label.clone())).await?;
            Ok(Some((id, Outcome::Updated)))
        }
        LabelChange::NewVersion => {
            // A key that was ever given has a current version, which may be a later one than the one that the file
            // names. Without one the version would take another key's place.
            let Some(current) = repository.find_current(&imported.key).await? else { return Ok(None) };
            if current.label == imported.label {
                return Ok(Some((current.id, Outcome::Unchanged)));
            }
            // An id that the file names and a logged version has already stays with that version.
            let id = imported.id.filter(|id| *id != known.id);
            let id = id.unwrap_or_else(|| SupplementId::from_uuid(attempt.run.entropy.uuid()));
            let entered_at = imported.entry_date.unwrap_or(attempt.run.now);
            let version = Supplement::enter(id, imported.label.clone(), entered_at);
            repository.replace(current.id, &imported.key, &version).await?;
            let before = RecordBefore::Label(Box::new((imported.key.clone(), current)));
            attempt.changed(RecordReference::Label(id), Some(before));
            Ok(Some((id, Outcome::Updated)))
        }
    }
}

/// A version under another id of Restwell's own is another version, whether or not this one was logged.
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
