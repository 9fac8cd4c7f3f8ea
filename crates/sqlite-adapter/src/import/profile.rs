//! The column `profile_changes` of an import, as JSON.

use crate::error::StorageResult as _;
use crate::row::{Cells, micros};
use crate::statement::Statement;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::user::{ProfileChange, ProfileChanges, ProfileField, ProfileValue};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct StoredChange {
    field: String,
    old: Option<String>,
    new: Option<String>,
    applied: bool,
}

impl From<&ProfileChange> for StoredChange {
    fn from(change: &ProfileChange) -> Self {
        let ProfileChange { old, new, is_applied } = change;
        let field = change.field().as_str().to_owned();
        Self { field, old: old.text(), new: new.text(), applied: *is_applied }
    }
}

impl StoredChange {
    fn into_change(self) -> Option<ProfileChange> {
        let field = ProfileField::parse(&self.field)?;
        let value = |text: Option<String>| ProfileValue::parse(field, text.as_deref());
        Some(ProfileChange { old: value(self.old)?, new: value(self.new)?, is_applied: self.applied })
    }
}

/// Serializes the changes; `None` if there are none.
pub(super) fn to_json(changes: &ProfileChanges) -> Result<Option<String>, StorageError> {
    if changes.is_empty() {
        return Ok(None);
    }
    let stored: Vec<_> = changes.iter().map(StoredChange::from).collect();
    serde_json::to_string(&stored).map(Some).map_err(|error| StorageError::Internal(Box::new(error)))
}

/// Parses the column of this import.
pub(super) fn of_json(cells: Cells<'_>, text: Option<&str>) -> Result<ProfileChanges, StorageError> {
    let Some(text) = text else { return Ok(ProfileChanges::default()) };
    let stored: Vec<StoredChange> = cells.sound("profile_changes", serde_json::from_str(text))?;
    cells.present("profile_changes", stored.into_iter().map(StoredChange::into_change).collect())
}

/// Deletes the profile changes of imports whose notes are deleted.
pub(super) fn forget_before(
    connection: &mut SqliteConnection,
    before: DateTime<Utc>,
) -> Result<(), StorageError> {
    let statement: Statement<()> = Statement::new(
        "UPDATE import SET profile_changes = NULL WHERE profile_changes IS NOT NULL AND started_at < ? AND \
         ((ended_at < ? AND NOT (state = 'undone' AND taken_back_at IS NULL)) \
         OR (state = 'running' AND coalesce(updated_at, started_at) < ?))",
    )
    .integer(micros(before))
    .integer(micros(before))
    .integer(micros(before));
    statement.execute(connection).storage().map(drop)
}
