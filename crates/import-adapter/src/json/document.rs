//! A JSON document of any length as a sequence of records.

use super::Values;
use crate::input::{Cursor, Position};
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
    values: Values,
    layout: Layout,
    next: Next,
    /// Whether the next members belong to the inner object of [`Layout::Nested`].
    inside: bool,
    number: u64,
}

impl Document {
    pub(crate) const fn new(cursor: Cursor, layout: Layout) -> Self {
        Self { values: Values::new(cursor), layout, next: Next::Document, inside: false, number: 0 }
    }

    pub(crate) const fn bytes_read(&self) -> u64 {
        self.values.bytes_read()
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
        Ok(Some(Record { number: self.number, text: self.values.text(start)? }))
    }

    fn begin(&mut self) -> Result<Option<Position>, ImportRefusal> {
        match self.layout {
            Layout::Single => {
                self.next = Next::End;
                return self.values.read().map(Some);
            }
            Layout::Row => {
                self.next = Next::Another;
                return self.values.read().map(Some);
            }
            Layout::List => {
                self.values.expect(b'[')?;
                self.next = Next::Element { first: true };
            }
            Layout::Wrapped(_) | Layout::Nested(..) => {
                self.values.expect(b'{')?;
                self.next = Next::Member { first: true };
            }
        }
        Ok(None)
    }

    fn element(&mut self, first: bool) -> Result<Option<Position>, ImportRefusal> {
        if self.values.next_element(first)? {
            self.next = Next::Element { first: false };
            return self.values.read().map(Some);
        }
        let wrapped = matches!(self.layout, Layout::Wrapped(_) | Layout::Nested(..));
        self.next = if wrapped { Next::Member { first: false } } else { Next::End };
        Ok(None)
    }

    fn member(&mut self, first: bool) -> Result<Option<Position>, ImportRefusal> {
        let Some(name) = self.values.next_member(first)? else {
            self.next = if self.inside { Next::Member { first: false } } else { Next::End };
            self.inside = false;
            return Ok(None);
        };
        self.next = Next::Member { first: false };
        let wanted = match self.layout {
            Layout::Wrapped(member) => member == name,
            Layout::Nested(_, member) => self.inside && member == name,
            Layout::List | Layout::Single | Layout::Row => false,
        };
        let enters = matches!(self.layout, Layout::Nested(member, _) if !self.inside && member == name);
        match self.values.peek()? {
            Some(b'{') if enters => {
                self.values.expect(b'{')?;
                self.inside = true;
                self.next = Next::Member { first: true };
                Ok(None)
            }
            Some(b'[') if wanted => {
                self.values.expect(b'[')?;
                self.next = Next::Element { first: true };
                Ok(None)
            }
            Some(b'{') if wanted => self.values.read().map(Some),
            _ => self.values.skip().map(|()| None),
        }
    }

    fn another(&mut self) -> Result<Option<Position>, ImportRefusal> {
        match self.values.peek()? {
            Some(b'{') => self.values.read().map(Some),
            _ => self.end(),
        }
    }

    fn end(&mut self) -> Result<Option<Position>, ImportRefusal> {
        self.values.end()?;
        self.next = Next::Nothing;
        Ok(None)
    }
}
