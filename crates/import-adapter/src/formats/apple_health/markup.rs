//! Elements of an export in sequence; the document must be well-formed and complete.

use super::bounded::{Bounded, PIECE_LIMIT, StopReason};
use crate::input::Bytes;
use crate::input::DEPTH_LIMIT;
use application::ports::import_source::ImportRefusal;
use quick_xml::Error;
use quick_xml::Reader;
use quick_xml::errors::IllFormedError;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};

/// Name of the root element.
pub(super) const ROOT: &str = "HealthData";
/// Maximum length of an element name in bytes; the parser holds the names of all open elements.
const NAME_LIMIT: usize = 256;

/// Result of one step through the document.
pub(super) enum Node<'a> {
    /// Irrelevant.
    Nothing,
    /// Start of an element, which may be empty.
    Tag(Tag<'a>),
    /// End of a non-empty element at this depth.
    Close(usize),
    /// End of a complete document.
    End,
}

/// Start of an element.
pub(super) struct Tag<'a> {
    pub(super) start: BytesStart<'a>,
    /// Depth: 0 for the root.
    pub(super) depth: usize,
    /// Whether it is empty, so that no [`Node::Close`] follows.
    pub(super) is_empty: bool,
    pub(super) line: u64,
}

impl Tag<'_> {
    pub(super) fn name(&self) -> &str {
        self.start.name().into_inner()
    }

    pub(super) fn damaged(&self, reason: &str) -> ImportRefusal {
        damaged(self.line, reason)
    }
}

/// Steps through the document.
pub(super) struct Markup {
    reader: Reader<Bounded>,
    piece: Vec<u8>,
    state: State,
}

/// Progress.
#[derive(Debug, Default)]
struct State {
    /// Line of the current piece.
    line: u64,
    /// Number of open elements.
    depth: usize,
    has_root: bool,
}

impl Markup {
    pub(super) fn new(bytes: Bytes) -> Self {
        let reader = Reader::from_reader(Bounded::new(bytes));
        Self { reader, piece: Vec::new(), state: State::default() }
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.reader.get_ref().total()
    }

    /// Advances by one piece.
    pub(super) fn next(&mut self) -> Result<Node<'_>, ImportRefusal> {
        self.piece.clear();
        self.reader.get_mut().begin_piece();
        let state = &mut self.state;
        state.line = self.reader.get_ref().line();
        match self.reader.read_event_into(&mut self.piece) {
            Ok(event) => state.meet(event),
            Err(error) => Err(state.refusal(&error, self.reader.get_ref())),
        }
    }
}

impl State {
    fn meet<'a>(&mut self, event: Event<'a>) -> Result<Node<'a>, ImportRefusal> {
        match event {
            Event::Start(start) => {
                let tag = self.tag(start, false)?;
                self.depth = self.depth.saturating_add(1);
                return Ok(Node::Tag(tag));
            }
            Event::Empty(start) => return Ok(Node::Tag(self.tag(start, true)?)),
            Event::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                return Ok(Node::Close(self.depth));
            }
            Event::Text(text) => self.check_text(&text)?,
            Event::CData(text) => self.check_text(&text)?,
            Event::GeneralRef(reference) => self.check_reference(&reference)?,
            Event::Decl(declaration) => self.check_declaration(&declaration)?,
            Event::DocType(content) => self.check_document_type(&content)?,
            Event::Comment(_) | Event::PI(_) => {}
            Event::Eof if self.has_root && self.depth == 0 => return Ok(Node::End),
            Event::Eof => return Err(self.damaged("the file is truncated: its root element is not closed")),
        }
        Ok(Node::Nothing)
    }

    fn tag<'a>(&mut self, start: BytesStart<'a>, is_empty: bool) -> Result<Tag<'a>, ImportRefusal> {
        if start.name().into_inner().len() > NAME_LIMIT {
            return Err(self.damaged(&format!("a name is longer than {NAME_LIMIT} bytes")));
        }
        if self.depth >= DEPTH_LIMIT {
            return Err(self.damaged(&format!("nested more than {DEPTH_LIMIT} levels deep")));
        }
        let tag = Tag { start, depth: self.depth, is_empty, line: self.line };
        if self.depth == 0 {
            if self.has_root {
                return Err(self.damaged("an element follows the root element"));
            }
            if tag.name() != ROOT {
                return Err(self.damaged(&format!("the root element is not {ROOT}")));
            }
            self.has_root = true;
        }
        Ok(tag)
    }

    /// Rejects text between records: exports have none, so it is the rest of a damaged one.
    fn check_text(&self, text: &str) -> Result<(), ImportRefusal> {
        let is_blank = || text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        if self.depth > 1 || is_blank() { Ok(()) } else { Err(self.text_between()) }
    }

    fn text_between(&self) -> ImportRefusal {
        self.damaged("not valid: text where only elements are allowed")
    }

    fn check_reference(&self, reference: &BytesRef) -> Result<(), ImportRefusal> {
        if !reference.is_char_ref() && resolve_xml_entity(reference).is_none() {
            return Err(self.damaged("an entity is used, and entities are not expanded"));
        }
        if self.depth > 1 { Ok(()) } else { Err(self.text_between()) }
    }

    fn check_declaration(&self, declaration: &BytesDecl) -> Result<(), ImportRefusal> {
        let is_readable = |name: &str| ["utf-8", "us-ascii"].iter().any(|one| name.eq_ignore_ascii_case(one));
        match declaration.encoding() {
            None => Ok(()),
            Some(Ok(name)) if is_readable(&name) => Ok(()),
            Some(_) => Err(self.damaged("the file declares an encoding other than UTF-8")),
        }
    }

    /// Skips the document type; one that declares an entity is rejected.
    fn check_document_type(&self, content: &str) -> Result<(), ImportRefusal> {
        if memchr::memmem::find(content.as_bytes(), b"<!ENTITY").is_some() {
            return Err(self.damaged("the document type declares entities, and entities are not expanded"));
        }
        Ok(())
    }

    fn refusal(&self, error: &Error, bytes: &Bounded) -> ImportRefusal {
        match (bytes.stop(), error) {
            (Some(StopReason::Unreadable(kind)), _) => ImportRefusal::Unreadable(kind.to_string()),
            (Some(StopReason::TooLong), _) => {
                self.damaged(&format!("a tag or a text is longer than {} MiB", PIECE_LIMIT / (1024 * 1024)))
            }
            (None, Error::Encoding(_)) => self.damaged("not UTF-8"),
            (None, Error::Syntax(_) | Error::IllFormed(IllFormedError::UnclosedReference))
                if bytes.is_at_end() =>
            {
                self.damaged("the file is truncated")
            }
            (
                None,
                Error::IllFormed(
                    IllFormedError::MismatchedEndTag { .. } | IllFormedError::UnmatchedEndTag(_),
                ),
            ) => self.damaged("not valid XML: a closing tag does not match the open element"),
            (None, _) => self.damaged("not valid XML"),
        }
    }

    fn damaged(&self, reason: &str) -> ImportRefusal {
        damaged(self.line, reason)
    }
}

fn damaged(line: u64, reason: &str) -> ImportRefusal {
    ImportRefusal::Damaged { place: format!("line {line}"), reason: reason.to_owned() }
}
