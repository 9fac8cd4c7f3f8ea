//! The values of a document of any length, one at a time.

use super::check;
use crate::input::{Cursor, DEPTH_LIMIT, Position, damaged};
use application::ports::import_source::ImportRefusal;

/// Reads members, elements and values in sequence, holding a single value.
pub(crate) struct Values {
    cursor: Cursor,
    raw: Vec<u8>,
}

impl Values {
    pub(crate) const fn new(cursor: Cursor) -> Self {
        Self { cursor, raw: Vec::new() }
    }

    pub(crate) const fn bytes_read(&self) -> u64 {
        self.cursor.total()
    }

    /// Skips white space and returns the first byte of what follows.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, ImportRefusal> {
        self.cursor.peek_token()
    }

    /// Consumes one character of JSON punctuation.
    pub(crate) fn expect(&mut self, byte: u8) -> Result<(), ImportRefusal> {
        self.cursor.expect(byte)
    }

    /// Reads the name of the next member up to its value; `None` after the end of the object.
    pub(crate) fn next_member(&mut self, first: bool) -> Result<Option<String>, ImportRefusal> {
        if self.ends(b'}', first)? {
            return Ok(None);
        }
        let name = self.name()?;
        self.cursor.expect(b':')?;
        Ok(Some(name))
    }

    /// Proceeds to the next element; returns whether there is one before the end of the list.
    pub(crate) fn next_element(&mut self, first: bool) -> Result<bool, ImportRefusal> {
        self.ends(b']', first).map(|ends| !ends)
    }

    /// Reads a value and returns the position of its first byte.
    pub(crate) fn read(&mut self) -> Result<Position, ImportRefusal> {
        self.cursor.peek_token()?;
        let start = self.cursor.place();
        self.cursor.read_value(&mut self.raw)?;
        Ok(start)
    }

    /// Returns the value that was read at this position.
    pub(crate) fn text(&self, start: Position) -> Result<&str, ImportRefusal> {
        check(&self.raw, start)
    }

    /// Skips and validates a value of any length, holding one scalar at a time.
    pub(crate) fn skip(&mut self) -> Result<(), ImportRefusal> {
        self.skip_nested(DEPTH_LIMIT)
    }

    /// Checks that nothing follows.
    pub(crate) fn end(&mut self) -> Result<(), ImportRefusal> {
        if self.cursor.peek_token()?.is_some() {
            return Err(damaged(self.cursor.place(), "not valid JSON: unexpected data after the end"));
        }
        Ok(())
    }

    /// Consumes the end of a list or an object and returns whether it follows; else consumes the comma before
    /// the next element.
    fn ends(&mut self, closing: u8, first: bool) -> Result<bool, ImportRefusal> {
        if self.cursor.peek_token()? == Some(closing) {
            return self.cursor.expect(closing).map(|()| true);
        }
        if !first {
            self.cursor.expect(b',')?;
        }
        Ok(false)
    }

    fn name(&mut self) -> Result<String, ImportRefusal> {
        let start = self.read()?;
        serde_json::from_str(self.text(start)?)
            .map_err(|_| damaged(start, "not valid JSON: expected the name of a member"))
    }

    fn skip_nested(&mut self, depth: usize) -> Result<(), ImportRefusal> {
        let (opening, closing) = match self.cursor.peek_token()? {
            Some(b'[') => (b'[', b']'),
            Some(b'{') => (b'{', b'}'),
            _ => {
                let start = self.read()?;
                return self.text(start).map(|_| ());
            }
        };
        let Some(depth) = depth.checked_sub(1) else {
            return Err(damaged(self.cursor.place(), format!("nested more than {DEPTH_LIMIT} levels deep")));
        };
        self.cursor.expect(opening)?;
        if self.cursor.peek_token()? == Some(closing) {
            return self.cursor.expect(closing);
        }
        loop {
            if opening == b'{' {
                self.name()?;
                self.cursor.expect(b':')?;
            }
            self.skip_nested(depth)?;
            if self.cursor.peek_token()? == Some(closing) {
                return self.cursor.expect(closing);
            }
            self.cursor.expect(b',')?;
        }
    }
}
