//! The column `document` of a client.

use crate::json;
use application::ports::storage::StorageError;
use chrono::DateTime;
use domain::client::{MetadataDocument, MetadataUrl};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct StoredDocument {
    url: String,
    /// Microseconds since 1970. Statements that delete unused clients read it.
    fresh_until: i64,
}

/// Serializes the column; `None` without a document.
pub fn write_document(document: Option<&MetadataDocument>) -> Result<Option<String>, StorageError> {
    let Some(MetadataDocument { url, fresh_until }) = document else { return Ok(None) };
    let (url, fresh_until) = (url.as_str().to_owned(), fresh_until.timestamp_micros());
    json::write(&StoredDocument { url, fresh_until }).map(Some)
}

/// Parses the column; the outer `None` if it is invalid.
pub fn read_document(json: Option<&str>) -> Option<Option<MetadataDocument>> {
    let Some(json) = json else { return Some(None) };
    let StoredDocument { url, fresh_until } = serde_json::from_str(json).ok()?;
    let (url, fresh_until) = (MetadataUrl::parse(&url).ok()?, DateTime::from_timestamp_micros(fresh_until)?);
    Some(Some(MetadataDocument { url, fresh_until }))
}
