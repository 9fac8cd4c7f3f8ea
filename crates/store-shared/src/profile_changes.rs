//! The column `profile_changes` of an import.

use crate::json;
use application::ports::storage::StorageError;
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
pub(crate) fn write_profile_changes(changes: &ProfileChanges) -> Result<Option<String>, StorageError> {
    if changes.is_empty() {
        return Ok(None);
    }
    json::write(&changes.iter().map(StoredChange::from).collect::<Vec<_>>()).map(Some)
}

/// Parses the changes.
pub(crate) fn read_profile_changes(json: Option<&str>) -> Option<ProfileChanges> {
    let Some(json) = json else { return Some(ProfileChanges::default()) };
    let stored: Vec<StoredChange> = serde_json::from_str(json).ok()?;
    stored.into_iter().map(StoredChange::into_change).collect()
}
