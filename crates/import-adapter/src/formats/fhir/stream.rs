//! Resources in sequence: a single one, or one per line as in a bulk export.

use crate::input::{Cursor, damaged};
use crate::json::{Record, check};
use application::ports::import_source::ImportRefusal;

/// Reads resources, holding one at a time.
pub(crate) struct Stream {
    cursor: Cursor,
    number: u64,
    raw: Vec<u8>,
}

impl Stream {
    pub(super) const fn new(cursor: Cursor) -> Self {
        Self { cursor, number: 0, raw: Vec::new() }
    }

    pub(super) const fn bytes_read(&self) -> u64 {
        self.cursor.total()
    }

    /// Returns the next resource, which starts on its own line; `None` at the end of the file.
    pub(super) fn next_record(&mut self) -> Result<Option<Record<'_>>, ImportRefusal> {
        let line_before = self.cursor.place().line;
        if self.cursor.peek_token()?.is_none() {
            return Ok(None);
        }
        let start = self.cursor.place();
        if self.number > 0 && start.line == line_before {
            return Err(damaged(start, "not valid JSON: unexpected data after the end"));
        }
        self.cursor.read_value(&mut self.raw)?;
        self.number = self.number.saturating_add(1);
        Ok(Some(Record { number: self.number, text: check(&self.raw, start)? }))
    }
}
