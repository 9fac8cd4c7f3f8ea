//! The column `undone` of an import, as JSON.

use crate::error::{corrupt, unexpected};
use application::import::{KeptRecord, Undone, UndoneCounts};
use application::ports::storage::StorageError;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Serialize, Deserialize)]
struct UndoneJson {
    removed: u64,
    restored: u64,
    kept: u64,
    records: Vec<String>,
}

/// Serializes the column; `None` if nothing was undone.
pub(super) fn to_json(undone: &Undone) -> Result<Option<String>, StorageError> {
    if *undone == Undone::default() {
        return Ok(None);
    }
    let Undone { counts: UndoneCounts { removed, restored, kept }, kept: records } = undone;
    let records = records.iter().map(KeptRecord::to_string).collect();
    let json = UndoneJson { removed: *removed, restored: *restored, kept: *kept, records };
    serde_json::to_string(&json).map(Some).map_err(|_| unexpected("what was undone could not be written"))
}

/// Parses the column of this import.
pub(super) fn of_json(id: Uuid, text: Option<&str>) -> Result<Undone, StorageError> {
    let Some(text) = text else { return Ok(Undone::default()) };
    let UndoneJson { removed, restored, kept, records } =
        serde_json::from_str(text).map_err(corrupt("import", "undone", id))?;
    let records: Option<Vec<_>> = records.iter().map(|record| KeptRecord::parse(record)).collect();
    let records = records.ok_or(()).map_err(corrupt("import", "undone", id))?;
    Ok(Undone { counts: UndoneCounts { removed, restored, kept }, kept: records })
}
