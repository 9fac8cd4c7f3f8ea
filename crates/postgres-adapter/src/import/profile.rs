//! The column `profile_changes` of an import, as JSON.

use crate::error::{corrupt, unexpected};
use application::ports::storage::StorageError;
use domain::user::{ProfileChange, ProfileChanges, ProfileField, ProfileValue};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Serialize, Deserialize)]
struct ChangeJson {
    field: String,
    old: Option<String>,
    new: Option<String>,
    applied: bool,
}

impl From<&ProfileChange> for ChangeJson {
    fn from(change: &ProfileChange) -> Self {
        let ProfileChange { old, new, is_applied } = change;
        let field = change.field().as_str().to_owned();
        Self { field, old: old.text(), new: new.text(), applied: *is_applied }
    }
}

impl ChangeJson {
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
    let stored: Vec<_> = changes.iter().map(ChangeJson::from).collect();
    serde_json::to_string(&stored).map(Some).map_err(|_| unexpected("profile changes could not be written"))
}

/// Parses the column of this import.
pub(super) fn of_json(id: Uuid, text: Option<&str>) -> Result<ProfileChanges, StorageError> {
    let Some(text) = text else { return Ok(ProfileChanges::default()) };
    let stored: Vec<ChangeJson> =
        serde_json::from_str(text).map_err(corrupt("import", "profile_changes", id))?;
    let changes: Option<ProfileChanges> = stored.into_iter().map(ChangeJson::into_change).collect();
    changes.ok_or(()).map_err(corrupt("import", "profile_changes", id))
}
