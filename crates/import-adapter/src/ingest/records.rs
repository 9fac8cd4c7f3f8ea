//! The items of a body as texts.

use crate::input::{Cursor, damaged};
use crate::json::{Document, Layout, check};
use application::ports::import_source::ImportRefusal;
use application::ports::ingest_source::IngestLayout;

/// Raw items of a body, known to be valid JSON.
pub(super) enum Records {
    Document(Document),
    Lines {
        cursor: Cursor,
        line: Vec<u8>,
    },
    /// The body is empty; an empty batch is valid.
    None,
}

impl Records {
    /// Starts reading; rejects a body that is neither an object nor a list. An empty body has no items.
    pub(super) fn new(layout: IngestLayout, mut cursor: Cursor) -> Result<Self, ImportRefusal> {
        if layout == IngestLayout::Lines {
            return Ok(Self::Lines { cursor, line: Vec::new() });
        }
        let layout = match cursor.peek_token()? {
            Some(b'{') => Layout::Single,
            Some(b'[') => Layout::List,
            Some(_) => return Err(damaged(cursor.place(), "neither a JSON object nor a list")),
            None => return Ok(Self::None),
        };
        Ok(Self::Document(Document::new(cursor, layout)))
    }

    /// Returns the next item; `None` at the end of the body.
    pub(super) fn next(&mut self) -> Result<Option<&str>, ImportRefusal> {
        match self {
            Self::None => Ok(None),
            Self::Document(document) => Ok(document.next_record()?.map(|record| record.text)),
            Self::Lines { cursor, line } => loop {
                let start = cursor.place();
                if cursor.read_line(line)?.is_none() {
                    return Ok(None);
                }
                if !line.iter().all(u8::is_ascii_whitespace) {
                    break check(line, start).map(Some);
                }
            },
        }
    }
}
