//! Session keys from record ids.

use crate::json::Loose;
use chrono::{DateTime, Utc};
use domain::sleep::SessionKey;

/// Parses the id of a record; without one, the key is derived from the start. `name` is the member's name.
pub(crate) fn key(name: &str, id: &Loose, start: DateTime<Utc>) -> Result<SessionKey, String> {
    if id.is_absent() {
        return Ok(SessionKey::derived_from(start));
    }
    let id = id.identifier().ok_or_else(|| format!("{name} is neither a whole number nor a text"))?;
    SessionKey::given(&id).map_err(|error| format!("{name}: {error}"))
}
