//! The values of a file, one at a time.

use super::night::{ValuePosition, score};
use super::table::{Columns, Position};
use crate::input::{Cursor, damaged};
use crate::json::{self, Document};
use application::ports::import_source::ImportRefusal;
use std::borrow::Cow;

/// Layout of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// A JSON list.
    List,
    /// One per line, among comments and empty lines.
    Lines,
    /// One per row of a table.
    Rows(Columns),
}

/// One raw value.
pub(super) struct Value<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) place: ValuePosition,
    /// Position in a table.
    pub(super) position: Option<Position>,
}

/// Reads values, holding one at a time.
pub(super) enum Values {
    List(Document),
    Lines(Cursor, Vec<u8>),
    Rows(Rows),
}

/// Rows of a table, after its header.
pub(super) struct Rows {
    cursor: Cursor,
    line: Vec<u8>,
    columns: Columns,
    is_after_header: bool,
}

impl Values {
    pub(super) fn new(cursor: Cursor, layout: Layout) -> Self {
        match layout {
            Layout::List => Self::List(Document::new(cursor, json::Layout::List)),
            Layout::Lines => Self::Lines(cursor, Vec::new()),
            Layout::Rows(columns) => {
                let cursor = cursor.of_table();
                Self::Rows(Rows { cursor, line: Vec::new(), columns, is_after_header: false })
            }
        }
    }

    pub(super) const fn bytes_read(&self) -> u64 {
        match self {
            Self::List(document) => document.bytes_read(),
            Self::Lines(cursor, _) => cursor.total(),
            Self::Rows(rows) => rows.cursor.total(),
        }
    }

    /// Returns the next value; a line that is not one makes the file invalid.
    pub(super) fn next_value(&mut self) -> Result<Option<Value<'_>>, ImportRefusal> {
        match self {
            Self::List(document) => Ok(document.next_record()?.map(|record| Value {
                text: record.text.into(),
                place: ValuePosition::Epoch(record.number),
                position: None,
            })),
            Self::Lines(cursor, line) => next_line(cursor, line),
            Self::Rows(rows) => rows.next_row(),
        }
    }
}

fn next_line<'a>(cursor: &mut Cursor, line: &'a mut Vec<u8>) -> Result<Option<Value<'a>>, ImportRefusal> {
    let start = loop {
        let start = cursor.place();
        if cursor.read_line(line)?.is_none() {
            return Ok(None);
        }
        // Unreadable values are rejected below.
        if std::str::from_utf8(line).map_or(true, |text| of_line(text).is_some()) {
            break start;
        }
    };
    let text = std::str::from_utf8(line).map_err(|_| damaged(start, "not valid UTF-8"))?;
    let value = of_line(text).unwrap_or_default();
    if score(value).is_none() {
        return Err(damaged(start, "neither a number nor a stage; a hypnogram has one per line"));
    }
    Ok(Some(Value { text: value.into(), place: ValuePosition::Line(start.line), position: None }))
}

impl Rows {
    fn next_row(&mut self) -> Result<Option<Value<'static>>, ImportRefusal> {
        loop {
            let start = self.cursor.place();
            if self.cursor.read_line(&mut self.line)?.is_none() {
                return Ok(None);
            }
            let text = std::str::from_utf8(&self.line).map_err(|_| damaged(start, "not valid UTF-8"))?;
            if text.trim().is_empty() || !std::mem::replace(&mut self.is_after_header, true) {
                continue;
            }
            let row = self.columns.row(text).ok_or_else(|| damaged(start, "not a row of a CSV"))?;
            let place = ValuePosition::Line(start.line);
            return Ok(Some(Value { text: row.stage.into(), place, position: Some(row.position) }));
        }
    }
}

/// Returns the trimmed content of a line; `None` for an empty line or a comment.
pub(super) fn of_line(line: &str) -> Option<&str> {
    let line = line.trim();
    (!line.is_empty() && !line.starts_with('#')).then_some(line)
}
