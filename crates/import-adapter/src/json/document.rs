//! A JSON document of any length as a sequence of records.

use super::check;
use crate::input::{Cursor, DEPTH_LIMIT, Position, damaged};
use application::ports::import_source::ImportRefusal;

/// Location of the records in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The document is a list of records.
    List,
    /// The document is an object with a list of records in this member.
    Wrapped(&'static str),
    /// The document is an object; its first member is an object with a list of records in the second.
    Nested(&'static str, &'static str),
    /// The document is one record.
    Single,
    /// The file is one or more records in sequence, for example one per line.
    Row,
}

/// One record, known to be valid JSON.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    /// Number in the file, from 1.
    pub(crate) number: u64,
    /// Text.
    pub(crate) text: &'a str,
}

impl Record<'_> {
    /// Returns its position in reports: `record 3`.
    pub(crate) fn place(&self) -> String {
        format!("record {}", self.number)
    }
}

/// Next step of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Document,
    Member { first: bool },
    Element { first: bool },
    Another,
    End,
    Nothing,
}

/// Reads a document one record at a time, holding a single record.
pub(crate) struct Document {
    cursor: Cursor,
    layout: Layout,
    next: Next,
    /// Whether the next members belong to the inner object of [`Layout::Nested`].
    inside: bool,
    number: u64,
    raw: Vec<u8>,
}

impl Document {
    pub(crate) const fn new(cursor: Cursor, layout: Layout) -> Self {
        Self { cursor, layout, next: Next::Document, inside: false, number: 0, raw: Vec::new() }
    }

    pub(crate) const fn bytes_read(&self) -> u64 {
        self.cursor.total()
    }

    /// Returns the next record; `None` at the end of the file.
    pub(crate) fn next_record(&mut self) -> Result<Option<Record<'_>>, ImportRefusal> {
        let start = loop {
            let found = match self.next {
                Next::Document => self.begin()?,
                Next::Member { first } => self.member(first)?,
                Next::Element { first } => self.element(first)?,
                Next::Another => self.another()?,
                Next::End => self.end()?,
                Next::Nothing => return Ok(None),
            };
            if let Some(start) = found {
                break start;
            }
        };
        self.number = self.number.saturating_add(1);
        Ok(Some(Record { number: self.number, text: check(&self.raw, start)? }))
    }

    fn begin(&mut self) -> Result<Option<Position>, ImportRefusal> {
        match self.layout {
            Layout::Single => {
                self.next = Next::End;
                return self.value().map(Some);
            }
            Layout::Row => {
                self.next = Next::Another;
                return self.value().map(Some);
            }
            Layout::List => {
                self.cursor.expect(b'[')?;
                self.next = Next::Element { first: true };
            }
            Layout::Wrapped(_) | Layout::Nested(..) => {
                self.cursor.expect(b'{')?;
                self.next = Next::Member { first: true };
            }
        }
        Ok(None)
    }

    fn element(&mut self, first: bool) -> Result<Option<Position>, ImportRefusal> {
        if self.cursor.peek_token()? == Some(b']') {
            self.cursor.expect(b']')?;
            let wrapped = matches!(self.layout, Layout::Wrapped(_) | Layout::Nested(..));
            self.next = if wrapped { Next::Member { first: false } } else { Next::End };
            return Ok(None);
        }
        if !first {
            self.cursor.expect(b',')?;
        }
        self.next = Next::Element { first: false };
        self.value().map(Some)
    }

    fn member(&mut self, first: bool) -> Result<Option<Position>, ImportRefusal> {
        if self.cursor.peek_token()? == Some(b'}') {
            self.cursor.expect(b'}')?;
            self.next = if self.inside { Next::Member { first: false } } else { Next::End };
            self.inside = false;
            return Ok(None);
        }
        if !first {
            self.cursor.expect(b',')?;
        }
        self.next = Next::Member { first: false };
        let name = self.name()?;
        self.cursor.expect(b':')?;
        let wanted = match self.layout {
            Layout::Wrapped(member) => member == name,
            Layout::Nested(_, member) => self.inside && member == name,
            Layout::List | Layout::Single | Layout::Row => false,
        };
        let enters = matches!(self.layout, Layout::Nested(member, _) if !self.inside && member == name);
        match self.cursor.peek_token()? {
            Some(b'{') if enters => {
                self.cursor.expect(b'{')?;
                self.inside = true;
                self.next = Next::Member { first: true };
                Ok(None)
            }
            Some(b'[') if wanted => {
                self.cursor.expect(b'[')?;
                self.next = Next::Element { first: true };
                Ok(None)
            }
            Some(b'{') if wanted => self.value().map(Some),
            _ => self.skip_nested(DEPTH_LIMIT).map(|()| None),
        }
    }

    fn name(&mut self) -> Result<String, ImportRefusal> {
        let start = self.value()?;
        serde_json::from_str(check(&self.raw, start)?)
            .map_err(|_| damaged(start, "not valid JSON: expected the name of a member"))
    }

    /// Skips and validates a value of any length outside the records, holding one scalar at a time.
    fn skip_nested(&mut self, depth: usize) -> Result<(), ImportRefusal> {
        let (opening, closing) = match self.cursor.peek_token()? {
            Some(b'[') => (b'[', b']'),
            Some(b'{') => (b'{', b'}'),
            _ => {
                let start = self.value()?;
                return check(&self.raw, start).map(|_| ());
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

    fn another(&mut self) -> Result<Option<Position>, ImportRefusal> {
        match self.cursor.peek_token()? {
            Some(b'{') => self.value().map(Some),
            _ => self.end(),
        }
    }

    fn end(&mut self) -> Result<Option<Position>, ImportRefusal> {
        if self.cursor.peek_token()?.is_some() {
            return Err(damaged(self.cursor.place(), "not valid JSON: unexpected data after the end"));
        }
        self.next = Next::Nothing;
        Ok(None)
    }

    /// Reads one value into `raw` and returns the position of its first byte.
    fn value(&mut self) -> Result<Position, ImportRefusal> {
        self.cursor.peek_token()?;
        let start = self.cursor.place();
        self.cursor.read_value(&mut self.raw)?;
        Ok(start)
    }
}
