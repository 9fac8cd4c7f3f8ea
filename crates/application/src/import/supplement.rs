//! Labels of supplements that a file carries.

use super::Run;
use super::report::Outcome;
use crate::ports::import_source::ImportedSupplement;
use crate::ports::storage::{StorageError, SupplementRepository, UnitOfWork};
use domain::id::SupplementId;
use domain::supplement::{LabelChange, Supplement};

/// Stores the labels of one batch.
pub(super) async fn store(
    run: &mut Run<'_>,
    unit: &mut dyn UnitOfWork,
    imported: Vec<ImportedSupplement>,
) -> Result<(), StorageError> {
    for supplement in imported {
        let in_file = supplement.id;
        let (id, outcome) = place(run, unit, supplement).await?;
        // A version that the store has under the file's own id keeps the logs that name it.
        if let Some(in_file) = in_file.filter(|in_file| *in_file != id)
            && unit.supplements().find(in_file).await?.is_none()
        {
            run.aliases.insert(in_file, id);
        }
        if run.met.supplements.first(id) {
            run.report.supplements.add(outcome);
        }
    }
    Ok(())
}

async fn place(
    run: &Run<'_>,
    unit: &mut dyn UnitOfWork,
    imported: ImportedSupplement,
) -> Result<(SupplementId, Outcome), StorageError> {
    let repository = unit.supplements();
    let by_id = match imported.id {
        Some(id) => repository.find(id).await?,
        None => None,
    };
    let known = match by_id {
        Some(known) => Some(known),
        None => repository.find_current(&imported.key).await?,
    };
    let new_id = imported.id.unwrap_or_else(|| SupplementId::from_uuid(run.entropy.uuid()));
    let entered_at = imported.entry_date.unwrap_or(run.now);
    let Some(known) = known else {
        repository.insert(&imported.key, &Supplement::enter(new_id, imported.label, entered_at)).await?;
        return Ok((new_id, Outcome::New));
    };
    let named = known.id;
    match change(repository, &known, &imported).await? {
        LabelChange::Unchanged => Ok((known.id, Outcome::Unchanged)),
        LabelChange::UpdateInPlace => {
            let id = known.id;
            repository.update(&known.corrected(imported.label)).await?;
            Ok((id, Outcome::Updated))
        }
        LabelChange::NewVersion => {
            // The current version may be a later one than the one that the file names, and say this already.
            let current = repository.find_current(&imported.key).await?.unwrap_or(known);
            if current.label == imported.label {
                return Ok((current.id, Outcome::Unchanged));
            }
            // An id that the file names and a logged version has already stays with that version.
            let id = if new_id == named { SupplementId::from_uuid(run.entropy.uuid()) } else { new_id };
            let version = Supplement::enter(id, imported.label, entered_at);
            repository.replace(current.id, &imported.key, &version).await?;
            Ok((id, Outcome::Updated))
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
