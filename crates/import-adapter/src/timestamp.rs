//! ISO 8601 timestamps with an offset.

use chrono::{DateTime, Utc};
use domain::time::UtcOffset;

/// An instant, and the offset with which it is written; `Z` says that none is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp {
    pub(crate) instant: DateTime<Utc>,
    pub(crate) offset: Option<UtcOffset>,
}

impl Timestamp {
    /// Parses the member of this name, or says what is wrong with it.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, String> {
        let wrong = || format!("{name} is not a timestamp with an offset, such as 2026-03-08T23:10:00-05:00");
        let read = DateTime::parse_from_rfc3339(text).map_err(|_| wrong())?;
        let offset = if text.ends_with(['Z', 'z']) {
            None
        } else {
            Some(UtcOffset::from_seconds(read.offset().local_minus_utc()).ok_or_else(wrong)?)
        };
        Ok(Self { instant: read.with_timezone(&Utc), offset })
    }
}
