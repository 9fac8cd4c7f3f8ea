//! A record's state before an import, as JSON.
//!
//! Each kind has a format separate from its table's row, so that a renamed column leaves old JSON readable.

use crate::error::{corrupt, unexpected};
use application::ports::storage::{RecordBefore, RecordReference, StorageError};
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use label::LabelJson;
use log::LogJson;
use serde::Serialize;
use serde::de::DeserializeOwned;
use session::SessionJson;
use uuid::Uuid;

mod id;
mod label;
mod log;
mod session;

const TABLE: &str = "import_change";
const SESSION: &str = "session";
const LOG: &str = "log";
const LABEL: &str = "label";

/// Returns the name of the kind, and the id.
pub(crate) const fn record_parts(record: RecordReference) -> (&'static str, Uuid) {
    match record {
        RecordReference::Session(id) => (SESSION, id.as_uuid()),
        RecordReference::Log(id) => (LOG, id.as_uuid()),
        RecordReference::Label(id) => (LABEL, id.as_uuid()),
    }
}

/// Parses a reference from its kind and id.
pub(crate) fn record_reference(kind: &str, id: Uuid) -> Result<RecordReference, StorageError> {
    match kind {
        SESSION => Ok(RecordReference::Session(SleepSessionId::from_uuid(id))),
        LOG => Ok(RecordReference::Log(IntakeLogId::from_uuid(id))),
        LABEL => Ok(RecordReference::Label(SupplementId::from_uuid(id))),
        _ => Err(corrupt(TABLE, "kind", id)(())),
    }
}

/// Serializes a record's previous state.
pub(crate) fn write_before(before: &RecordBefore) -> Result<String, StorageError> {
    match before {
        RecordBefore::Session(session) => write(&SessionJson::from(&**session)),
        RecordBefore::Log(log) => write(&LogJson::from(&**log)),
        RecordBefore::Label(keyed) => write(&LabelJson::of(&keyed.0, &keyed.1)?),
    }
}

/// Parses a record's previous state.
pub(crate) fn read_before(record: RecordReference, json: &str) -> Result<RecordBefore, StorageError> {
    let id = record_parts(record).1;
    Ok(match record {
        RecordReference::Session(_) => {
            RecordBefore::Session(Box::new(read::<SessionJson>(json, id)?.into_session(id)?))
        }
        RecordReference::Log(_) => RecordBefore::Log(Box::new(read::<LogJson>(json, id)?.into_log(id)?)),
        RecordReference::Label(_) => {
            RecordBefore::Label(Box::new(read::<LabelJson>(json, id)?.into_label(id)?))
        }
    })
}

fn write(json: &impl Serialize) -> Result<String, StorageError> {
    serde_json::to_string(json).map_err(|_| unexpected("what a record was could not be written"))
}

fn read<T: DeserializeOwned>(json: &str, id: Uuid) -> Result<T, StorageError> {
    serde_json::from_str(json).map_err(corrupt(TABLE, "before", id))
}

/// Converts microseconds to an instant.
fn instant(micros: i64, row: Uuid) -> Result<DateTime<Utc>, StorageError> {
    DateTime::from_timestamp_micros(micros).ok_or(()).map_err(corrupt(TABLE, "before", row))
}
