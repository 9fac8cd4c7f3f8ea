//! The column `undone` of an import.

use crate::json;
use application::import::{KeptRecord, UndoCounts, Undone};
use application::ports::storage::StorageError;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct StoredUndone {
    removed: u64,
    restored: u64,
    kept: u64,
    records: Vec<String>,
}

/// Serializes the column; `None` if nothing was undone.
pub(crate) fn write_undone(undone: &Undone) -> Result<Option<String>, StorageError> {
    if *undone == Undone::default() {
        return Ok(None);
    }
    let Undone { counts: UndoCounts { removed, restored, kept }, kept: records } = undone;
    let records = records.iter().map(KeptRecord::to_string).collect();
    json::write(&StoredUndone { removed: *removed, restored: *restored, kept: *kept, records }).map(Some)
}

/// Parses the column.
pub(crate) fn read_undone(json: Option<&str>) -> Option<Undone> {
    let Some(json) = json else { return Some(Undone::default()) };
    let StoredUndone { removed, restored, kept, records } = serde_json::from_str(json).ok()?;
    let records: Option<Vec<_>> = records.iter().map(|record| KeptRecord::parse(record)).collect();
    Some(Undone { counts: UndoCounts { removed, restored, kept }, kept: records? })
}
