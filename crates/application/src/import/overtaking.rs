//! What something that is no import changed is no import's to take back.

use crate::ports::storage::{ImportChange, RecordReference, StorageError, UnitOfWork};
use domain::id::UserId;
use domain::user::User;

/// Overtakes imports in the records that were there and changed. New ones are no import's yet: they cost nothing here.
pub(super) async fn changed(
    unit: &mut dyn UnitOfWork,
    user_id: Option<UserId>,
    changes: &[ImportChange],
) -> Result<(), StorageError> {
    let were_there = changes.iter().filter(|change| change.before.is_some());
    let records: Vec<RecordReference> = were_there.map(|change| change.record).collect();
    if records.is_empty() {
        return Ok(());
    }
    unit.imports().overtake(user_id, &records).await
}

/// Overtakes imports in a profile, when what changed of it is what an undone import takes back.
pub(crate) async fn profile_changed(
    unit: &mut dyn UnitOfWork,
    before: &User,
    after: &User,
) -> Result<(), StorageError> {
    let User { id, email: _, status: _, home_timezone, created_at, biology } = before;
    if (home_timezone, created_at, biology) == (&after.home_timezone, &after.created_at, &after.biology) {
        return Ok(());
    }
    unit.imports().overtake(Some(*id), &[RecordReference::Profile(*id)]).await
}
