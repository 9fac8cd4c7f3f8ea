//! Rows of a CSV file.

use super::csv::{Quotes, Separator};
use super::{Bytes, Cursor, LineEnd, Position, RECORD_LIMIT, damaged, split_fields};
use application::ports::import_source::ImportRefusal;

/// One row of a CSV.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) start: Position,
    pub(crate) fields: Vec<String>,
    pub(crate) end: LineEnd,
    /// Number of its lines.
    pub(crate) lines: u64,
    /// Whether a quoted field has text after its closing quote.
    pub(crate) has_stray_quotes: bool,
}

impl Row {
    /// Returns its line for reports.
    pub(crate) fn place(&self) -> String {
        format!("line {}", self.start.line)
    }
}

/// Reads rows; quoted fields may span lines, and empty lines are skipped.
pub(crate) struct Rows {
    cursor: Cursor,
    line: Vec<u8>,
    separator: Separator,
    correct: fn(&mut Vec<u8>),
}

impl Rows {
    pub(crate) fn new(bytes: Bytes, separator: Separator) -> Result<Self, ImportRefusal> {
        Ok(Self { cursor: Cursor::new(bytes)?.of_table(), line: Vec::new(), separator, correct: |_| {} })
    }

    /// Corrects each line with this function before it is split.
    pub(crate) fn corrected_by(self, correct: fn(&mut Vec<u8>)) -> Self {
        Self { correct, ..self }
    }

    pub(crate) const fn bytes_read(&self) -> u64 {
        self.cursor.total()
    }

    /// Reads the next row; `None` at the end of the file.
    pub(crate) fn next_row(&mut self) -> Result<Option<Row>, ImportRefusal> {
        loop {
            let start = self.cursor.place();
            let Some((text, end, quotes)) = self.next_text(start)? else { return Ok(None) };
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let text = std::str::from_utf8(&text).map_err(|_| damaged(start, "not valid UTF-8"))?;
            let fields =
                split_fields(text, self.separator).ok_or_else(|| damaged(start, "not a row of a CSV"))?;
            let ended = self.cursor.place().line.saturating_sub(start.line);
            let lines = ended.saturating_add(u64::from(end == LineEnd::EndOfFile));
            return Ok(Some(Row { start, fields, end, lines, has_stray_quotes: quotes.are_stray }));
        }
    }

    fn next_text(&mut self, start: Position) -> Result<Option<(Vec<u8>, LineEnd, Quotes)>, ImportRefusal> {
        let (mut text, mut quotes) = (Vec::new(), Quotes::new(self.separator));
        loop {
            let Some(end) = self.cursor.read_line(&mut self.line)? else {
                return if quotes.is_open { Err(self.unclosed(start)) } else { Ok(None) };
            };
            (self.correct)(&mut self.line);
            if text.len().saturating_add(self.line.len()) > RECORD_LIMIT {
                return Err(damaged(
                    start,
                    format!("a row is longer than {} MiB", RECORD_LIMIT / (1024 * 1024)),
                ));
            }
            quotes = quotes.after(&self.line);
            text.append(&mut self.line);
            if !quotes.is_open {
                return Ok(Some((text, end, quotes)));
            }
            text.push(b'\n');
        }
    }

    /// Rejects a file that ends within a quoted field, whose row has this start.
    fn unclosed(&self, start: Position) -> ImportRefusal {
        if self.cursor.place().line == start.line {
            return self.cursor.ends_too_early();
        }
        damaged(start, "a quoted field is not closed")
    }

    /// Rejects a file whose last row is truncated.
    pub(crate) fn ends_too_early(&self) -> ImportRefusal {
        self.cursor.ends_too_early()
    }
}
