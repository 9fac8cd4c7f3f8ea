//! A record's state before an import, as the JSON of its row. A renamed field must keep its old name for
//! serde, or the notes of the last weeks become unreadable.

use crate::intake_log::IntakeLogRecordRow;
use crate::row::Cells;
use crate::sleep::SleepRow;
use crate::supplement::SupplementRow;
use application::ports::storage::{RecordBefore, StorageError};
use domain::id::UserId;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredRecord {
    Session(SleepRow),
    Log(IntakeLogRecordRow),
    Label(SupplementRow),
}

/// Serializes a record's previous state; a label belongs to no person.
pub(super) fn to_json(user_id: UserId, before: &RecordBefore) -> Result<String, StorageError> {
    let stored = match before {
        RecordBefore::Session(session) => StoredRecord::Session(SleepRow::of(user_id, session)),
        RecordBefore::Log(log) => StoredRecord::Log(IntakeLogRecordRow::of(user_id, log)),
        RecordBefore::Label(label) => {
            let (key, supplement) = label.as_ref();
            StoredRecord::Label(SupplementRow::current(key, supplement)?)
        }
    };
    serde_json::to_string(&stored).map_err(|error| StorageError::Internal(Box::new(error)))
}

/// Parses a record's previous state.
pub(super) fn of_json(cells: Cells<'_>, text: &str) -> Result<RecordBefore, StorageError> {
    Ok(match cells.sound("before", serde_json::from_str(text))? {
        StoredRecord::Session(row) => RecordBefore::Session(Box::new(row.into_session()?)),
        StoredRecord::Log(row) => RecordBefore::Log(Box::new(row.into_log()?)),
        StoredRecord::Label(row) => RecordBefore::Label(Box::new(row.into_parts()?)),
    })
}
