//! Writing of JSON.

use application::ports::storage::StorageError;
use serde::Serialize;

pub(crate) fn write(value: &impl Serialize) -> Result<String, StorageError> {
    serde_json::to_string(value).map_err(|error| StorageError::Internal(Box::new(error)))
}
