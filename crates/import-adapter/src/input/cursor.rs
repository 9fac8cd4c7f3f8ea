//! A cursor over the bytes of a file.

use super::{DEPTH_LIMIT, Place, RECORD_LIMIT, damaged};
use application::ports::import_source::ImportRefusal;
use std::io::{ErrorKind, Read};

const CHUNK: usize = 64 * 1024;

/// The byte order mark, which is passed over at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads bytes one after the other and knows where it is; holds one chunk of the file.
pub(crate) struct Cursor {
    reader: Box<dyn Read + Send>,
    chunk: Box<[u8]>,
    next: usize,
    filled: usize,
    place: Place,
    total: u64,
}

impl Cursor {
    /// Begins to read, past a byte order mark.
    pub(crate) fn new(reader: Box<dyn Read + Send>) -> Result<Self, ImportRefusal> {
        let chunk = vec![0; CHUNK].into_boxed_slice();
        let mut cursor = Self { reader, chunk, next: 0, filled: 0, place: Place::START, total: 0 };
        while cursor.filled < BYTE_ORDER_MARK.len() && cursor.fill()? {}
        if cursor.held().starts_with(BYTE_ORDER_MARK) {
            cursor.next = BYTE_ORDER_MARK.len();
        }
        Ok(cursor)
    }

    /// Gives how many bytes were taken from the file.
    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    /// Gives the place of the next byte.
    pub(crate) const fn place(&self) -> Place {
        self.place
    }

    fn held(&self) -> &[u8] {
        self.chunk.get(self.next..self.filled).unwrap_or_default()
    }

    /// Reads more behind what is held; tells whether there was more.
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

    /// Shows the next byte; absent at the end.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, ImportRefusal> {
        if self.next == self.filled && !self.fill()? {
            return Ok(None);
        }
        Ok(self.chunk.get(self.next).copied())
    }

    /// Takes the next byte; absent at the end.
    pub(crate) fn take(&mut self) -> Result<Option<u8>, ImportRefusal> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.next = self.next.saturating_add(1);
            self.place.pass(byte);
        }
        Ok(byte)
    }

    /// Passes over JSON's white space and shows what follows.
    pub(crate) fn peek_token(&mut self) -> Result<Option<u8>, ImportRefusal> {
        while matches!(self.peek()?, Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.take()?;
        }
        self.peek()
    }

    /// Takes one character of JSON's punctuation.
    pub(crate) fn expect(&mut self, byte: u8) -> Result<(), ImportRefusal> {
        match self.peek_token()? {
            Some(found) if found == byte => self.take().map(|_| ()),
            Some(_) => Err(damaged(self.place, format!("not valid JSON: expected `{}`", char::from(byte)))),
            None => Err(self.ends_too_early()),
        }
    }

    /// Refuses a file that breaks off here.
    pub(crate) fn ends_too_early(&self) -> ImportRefusal {
        damaged(self.place, "the file breaks off")
    }

    /// Takes one JSON value as it is written, at most [`RECORD_LIMIT`] bytes; its inside is not checked.
    pub(crate) fn read_value(&mut self, out: &mut Vec<u8>) -> Result<(), ImportRefusal> {
        out.clear();
        let start = self.place;
        self.scan_value(&mut |byte| push(out, byte, start))
    }

    /// Passes over one JSON value of any length; its inside is not checked.
    pub(crate) fn skip_value(&mut self) -> Result<(), ImportRefusal> {
        self.scan_value(&mut |_| Ok(()))
    }

    fn scan_value(
        &mut self,
        sink: &mut dyn FnMut(u8) -> Result<(), ImportRefusal>,
    ) -> Result<(), ImportRefusal> {
        let start = self.place;
        match self.peek_token()? {
            None => Err(self.ends_too_early()),
            Some(b',' | b':' | b']' | b'}') => Err(damaged(self.place, "not valid JSON: expected a value")),
            Some(b'"') => self.scan_string(sink),
            Some(b'{' | b'[') => self.scan_nested(sink, start),
            Some(_) => {
                while !matches!(
                    self.peek()?,
                    None | Some(b',' | b':' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r')
                ) {
                    if let Some(byte) = self.take()? {
                        sink(byte)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn scan_nested(
        &mut self,
        sink: &mut dyn FnMut(u8) -> Result<(), ImportRefusal>,
        start: Place,
    ) -> Result<(), ImportRefusal> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                None => return Err(self.ends_too_early()),
                Some(b'"') => {
                    self.scan_string(sink)?;
                    continue;
                }
                Some(b'{' | b'[') => depth = depth.saturating_add(1),
                Some(b'}' | b']') => depth = depth.saturating_sub(1),
                Some(_) => {}
            }
            if depth > DEPTH_LIMIT {
                return Err(damaged(start, format!("nested more than {DEPTH_LIMIT} deep")));
            }
            if let Some(byte) = self.take()? {
                sink(byte)?;
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn scan_string(
        &mut self,
        sink: &mut dyn FnMut(u8) -> Result<(), ImportRefusal>,
    ) -> Result<(), ImportRefusal> {
        let (mut opened, mut escaped) = (false, false);
        loop {
            let Some(byte) = self.take()? else {
                return Err(self.ends_too_early());
            };
            sink(byte)?;
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' if opened => return Ok(()),
                b'"' => opened = true,
                _ => {}
            }
        }
    }

    /// Takes one line without its end, at most [`RECORD_LIMIT`] bytes; absent at the end of the file.
    pub(crate) fn read_line(&mut self, out: &mut Vec<u8>) -> Result<Option<LineEnd>, ImportRefusal> {
        out.clear();
        let start = self.place;
        if self.peek()?.is_none() {
            return Ok(None);
        }
        while self.peek()?.is_some() {
            // A stretch at a time: exports are mostly long lines.
            let held = self.chunk.get(self.next..self.filled).unwrap_or_default();
            let length = held.iter().position(|byte| *byte == b'\n').unwrap_or(held.len());
            let (stretch, rest) = held.split_at_checked(length).unwrap_or_default();
            let ends = !rest.is_empty();
            let room = RECORD_LIMIT.saturating_sub(out.len());
            out.extend_from_slice(stretch.get(..room).unwrap_or(stretch));
            if stretch.len() > room {
                return Err(too_long(start));
            }
            self.place.pass_within_line(stretch);
            self.next = self.next.saturating_add(length);
            if ends {
                self.take()?;
                if out.last() == Some(&b'\r') {
                    out.pop();
                }
                return Ok(Some(LineEnd::Newline));
            }
        }
        Ok(Some(LineEnd::EndOfFile))
    }
}

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// With a line feed.
    Newline,
    /// With the file.
    EndOfFile,
}

fn push(out: &mut Vec<u8>, byte: u8, start: Place) -> Result<(), ImportRefusal> {
    if out.len() >= RECORD_LIMIT {
        return Err(too_long(start));
    }
    out.push(byte);
    Ok(())
}

fn too_long(start: Place) -> ImportRefusal {
    damaged(start, format!("a record is longer than {} MiB", RECORD_LIMIT / (1024 * 1024)))
}
