//! Restores profile fields.

use super::scan::Scan;
use crate::model::undone::{KeptItem, KeptReason, KeptRecord};
use crate::ports::storage::{Import, StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::id::ImportId;
use domain::user::{ProfileChange, ProfileChanges, ProfileOrigin, ProfileSource, User};

/// Number of the user's latest imports that are searched for the one that changed a field.
const SEARCHED_IMPORTS: u32 = 200;

/// Restores the profile fields that are unchanged since the import, and keeps the others in its report.
/// Returns the number of restored fields.
pub(super) async fn revert(
    tx: &mut dyn UnitOfWork,
    import: &mut Import,
    scan: &mut Scan,
    now: DateTime<Utc>,
) -> Result<u64, StorageError> {
    let changes = std::mem::take(&mut import.report.profile);
    let Some(user_id) = import.user_id.filter(|_| changes.applied() > 0) else { return Ok(0) };
    let Some(known) = tx.users().find(user_id).await? else { return Ok(0) };
    let mut user = known.clone();
    let kept = changes.revert(&mut user);
    if user != known {
        tx.users().update(&user).await?;
        // The page shows that it was undone.
        let sources = ProfileSource::of_change(&known, &user, ProfileOrigin::Import(import.id), now);
        tx.users().record_sources(user_id, &sources).await?;
    }
    if !kept.is_empty() {
        let others = tx.imports().list(Some(user_id), None, SEARCHED_IMPORTS).await?;
        for change in kept.iter() {
            scan.keep(kept_field(change, &user, &others, import.id));
        }
    }
    let restored = changes.applied().saturating_sub(kept.applied());
    import.report.profile = kept;
    Ok(u64::try_from(restored).unwrap_or(u64::MAX))
}

/// Finds the import that set the current value of the field.
fn kept_field(change: &ProfileChange, user: &User, imports: &[Import], own: ImportId) -> KeptRecord {
    let field = change.field();
    let now = field.read(user);
    let left_it = |changes: &ProfileChanges| changes.iter().any(|other| other.is_applied && other.new == now);
    let by = imports.iter().find(|other| other.id != own && left_it(&other.report.profile));
    let why = by.map_or(KeptReason::Changed, |import| KeptReason::ChangedBy(import.id));
    KeptRecord { what: KeptItem::Profile(field), at: None, why }
}
