//! The column `undone` of an import, as JSON.

use crate::row::Cells;
use application::import::{KeptRecord, Undone, UndoneCounts};
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
pub(super) fn to_json(undone: &Undone) -> Result<Option<String>, StorageError> {
    if *undone == Undone::default() {
        return Ok(None);
    }
    let Undone { counts: UndoneCounts { removed, restored, kept }, kept: records } = undone;
    let records = records.iter().map(KeptRecord::to_string).collect();
    let stored = StoredUndone { removed: *removed, restored: *restored, kept: *kept, records };
    serde_json::to_string(&stored).map(Some).map_err(|error| StorageError::Internal(Box::new(error)))
}

/// Parses the column of this import.
pub(super) fn of_json(cells: Cells<'_>, text: Option<&str>) -> Result<Undone, StorageError> {
    let Some(text) = text else { return Ok(Undone::default()) };
    let StoredUndone { removed, restored, kept, records } =
        cells.sound("undone", serde_json::from_str(text))?;
    let records = records.iter().map(|record| KeptRecord::parse(record)).collect();
    let kept_records = cells.present("undone", records)?;
    Ok(Undone { counts: UndoneCounts { removed, restored, kept }, kept: kept_records })
}
