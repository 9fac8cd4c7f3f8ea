//! A cursor over the bytes of a file.

use super::extent::{Extent, Part};
use super::{DEPTH_LIMIT, Position, RECORD_LIMIT, damaged};
use application::ports::import_source::ImportRefusal;
use memchr::{memchr, memchr2};
use std::io::{ErrorKind, Read};

const CHUNK: usize = 64 * 1024;

/// Byte order mark, skipped at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Receives the pieces of a value in order.
type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), ImportRefusal>;

/// Reads a file byte by byte with its position, holding one chunk.
pub(crate) struct Cursor {
    reader: Box<dyn Read + Send>,
    chunk: Box<[u8]>,
    next: usize,
    filled: usize,
    place: Position,
    total: u64,
    line_ends: LineEnds,
    /// Whether the lines are rows, which carriage returns end in any case.
    is_table: bool,
}

/// Line ends of a text, decided by its first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnds {
    Undecided,
    /// Line feeds, each with or without a carriage return before it.
    LineFeeds,
    /// Carriage returns, as some spreadsheets write them, among line feeds.
    CarriageReturns,
}

impl Cursor {
    /// Starts reading after an optional byte order mark.
    pub(crate) fn new(reader: Box<dyn Read + Send>) -> Result<Self, ImportRefusal> {
        let chunk = vec![0; CHUNK].into_boxed_slice();
        let mut cursor = Self {
            reader,
            chunk,
            next: 0,
            filled: 0,
            place: Position::START,
            total: 0,
            line_ends: LineEnds::Undecided,
            is_table: false,
        };
        while cursor.filled < BYTE_ORDER_MARK.len() && cursor.fill()? {}
        if cursor.unread().starts_with(BYTE_ORDER_MARK) {
            cursor.next = BYTE_ORDER_MARK.len();
        }
        Ok(cursor)
    }

    /// Ends lines at every carriage return, so that no row is hidden at the end of another.
    pub(crate) fn of_table(self) -> Self {
        Self { is_table: true, ..self }
    }

    /// Returns the number of bytes read from the file.
    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the position of the next byte.
    pub(crate) const fn place(&self) -> Position {
        self.place
    }

    fn unread(&self) -> &[u8] {
        self.chunk.get(self.next..self.filled).unwrap_or_default()
    }

    /// Reads another chunk; returns whether there was one.
    fn fill(&mut self) -> Result<bool, ImportRefusal> {
        if self.next == self.filled {
            (self.next, self.filled) = (0, 0);
        }
        let free = self.chunk.get_mut(self.filled..).unwrap_or_default();
        loop {
            match self.reader.read(free) {
                Ok(count) => {
                    self.filled = self.filled.saturating_add(count);
                    self.total = self.total.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ImportRefusal::Unreadable(error.kind().to_string())),
            }
        }
    }

    /// Returns the next byte without consuming it; `None` at the end.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, ImportRefusal> {
        if self.next == self.filled && !self.fill()? {
            return Ok(None);
        }
        Ok(self.chunk.get(self.next).copied())
    }

    /// Consumes the next byte; `None` at the end.
    pub(crate) fn take(&mut self) -> Result<Option<u8>, ImportRefusal> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.next = self.next.saturating_add(1);
            self.place.advance(byte);
        }
        Ok(byte)
    }

    /// Skips JSON white space and returns the byte after it without consuming it.
    pub(crate) fn peek_token(&mut self) -> Result<Option<u8>, ImportRefusal> {
        while matches!(self.peek()?, Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.take()?;
        }
        self.peek()
    }

    /// Consumes one character of JSON punctuation.
    pub(crate) fn expect(&mut self, byte: u8) -> Result<(), ImportRefusal> {
        match self.peek_token()? {
            Some(found) if found == byte => self.take().map(|_| ()),
            Some(_) => Err(damaged(self.place, format!("not valid JSON: expected `{}`", char::from(byte)))),
            None => Err(self.ends_too_early()),
        }
    }

    /// Rejects a file that ends here.
    pub(crate) fn ends_too_early(&self) -> ImportRefusal {
        damaged(self.place, "the file is truncated")
    }

    /// Reads one raw JSON value of at most [`RECORD_LIMIT`] bytes, without validating its inside.
    pub(crate) fn read_value(&mut self, out: &mut Vec<u8>) -> Result<(), ImportRefusal> {
        out.clear();
        let start = self.place;
        self.scan_value(&mut |stretch| push(out, stretch, start))
    }

    /// Skips one JSON value of any length, without validating its inside.
    pub(crate) fn skip_value(&mut self) -> Result<(), ImportRefusal> {
        self.scan_value(&mut |_| Ok(()))
    }

    fn scan_value(&mut self, sink: Sink<'_>) -> Result<(), ImportRefusal> {
        let start = self.place;
        match self.peek_token()? {
            None => Err(self.ends_too_early()),
            Some(b',' | b':' | b']' | b'}') => Err(damaged(self.place, "not valid JSON: expected a value")),
            Some(b'"' | b'{' | b'[') => self.scan_nested(sink, start),
            Some(_) => self.scan_scalar(sink),
        }
    }

    fn scan_nested(&mut self, sink: Sink<'_>, start: Position) -> Result<(), ImportRefusal> {
        let mut extent = Extent::default();
        loop {
            if self.peek()?.is_none() {
                return Err(self.ends_too_early());
            }
            // Piece by piece, as large as the current chunk.
            match extent.part(self.unread()) {
                Part::All => self.advance(usize::MAX, sink)?,
                Part::Rest(length) => return self.advance(length, sink),
                Part::TooDeep(length) => {
                    self.advance(length, sink)?;
                    return Err(damaged(start, format!("nested more than {DEPTH_LIMIT} levels deep")));
                }
            }
        }
    }

    /// Skips a number or a word up to a delimiter.
    fn scan_scalar(&mut self, sink: Sink<'_>) -> Result<(), ImportRefusal> {
        let ends = |byte: &u8| matches!(byte, b',' | b':' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
        while self.peek()?.is_some() {
            match self.unread().iter().position(ends) {
                Some(length) => return self.advance(length, sink),
                None => self.advance(usize::MAX, sink)?,
            }
        }
        Ok(())
    }

    /// Consumes up to this many bytes of the chunk.
    fn advance(&mut self, length: usize, sink: Sink<'_>) -> Result<(), ImportRefusal> {
        let held = self.chunk.get(self.next..self.filled).unwrap_or_default();
        let stretch = held.get(..length).unwrap_or(held);
        sink(stretch)?;
        self.place.advance_all(stretch);
        self.next = self.next.saturating_add(stretch.len());
        Ok(())
    }

    /// Reads one line without its end, at most [`RECORD_LIMIT`] bytes; `None` at the end of the file.
    ///
    /// Carriage returns end lines of a table, and of a text whose first line ends in one without a line feed.
    pub(crate) fn read_line(&mut self, out: &mut Vec<u8>) -> Result<Option<LineEnd>, ImportRefusal> {
        out.clear();
        let start = self.place;
        if self.peek()?.is_none() {
            return Ok(None);
        }
        while self.peek()?.is_some() {
            // Piece by piece: lines of exports are mostly long.
            let held = self.chunk.get(self.next..self.filled).unwrap_or_default();
            let end = match self.line_ends {
                LineEnds::LineFeeds if !self.is_table => memchr(b'\n', held),
                _ => memchr2(b'\n', b'\r', held),
            };
            let (stretch, rest) = held.split_at_checked(end.unwrap_or(held.len())).unwrap_or_default();
            let length = stretch.len();
            let ends = !rest.is_empty();
            let room = RECORD_LIMIT.saturating_sub(out.len());
            out.extend_from_slice(stretch.get(..room).unwrap_or(stretch));
            if length > room {
                return Err(too_long(start));
            }
            if !ends {
                self.place.advance_within_line(stretch);
            }
            self.next = self.next.saturating_add(length);
            if ends {
                self.take_line_end(out)?;
                return Ok(Some(LineEnd::Newline));
            }
        }
        Ok(Some(LineEnd::EndOfFile))
    }

    /// Consumes the end of a line. Columns restart after it, so those of the line need no counting.
    fn take_line_end(&mut self, line: &mut Vec<u8>) -> Result<(), ImportRefusal> {
        let is_return = self.take()? == Some(b'\r');
        let is_line_feed = !is_return || self.peek()? == Some(b'\n');
        if self.line_ends == LineEnds::Undecided {
            self.line_ends = if is_line_feed { LineEnds::LineFeeds } else { LineEnds::CarriageReturns };
        }
        if is_return && is_line_feed {
            self.take()?;
        } else if is_return {
            self.place.next_line();
        } else if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(())
    }
}

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// With a line feed.
    Newline,
    /// With the end of the file.
    EndOfFile,
}

fn push(out: &mut Vec<u8>, stretch: &[u8], start: Position) -> Result<(), ImportRefusal> {
    if stretch.len() > RECORD_LIMIT.saturating_sub(out.len()) {
        return Err(too_long(start));
    }
    out.extend_from_slice(stretch);
    Ok(())
}

fn too_long(start: Position) -> ImportRefusal {
    damaged(start, format!("a record is longer than {} MiB", RECORD_LIMIT / (1024 * 1024)))
}
