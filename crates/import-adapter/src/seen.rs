//! The inspected beginning of a file.

use crate::database::{Database, MAGIC, Schema};
use crate::input::{Bytes, Cursor, Separator, has_columns, split_fields};
use crate::sketch::Sketch;
use application::ports::import_source::ImportRefusal;
use std::io::{self, Read as _};
use std::path::Path;

/// Maximum number of inspected lines of a text.
const LINES_LIMIT: usize = 4;
/// The same for XML, whose root element may follow a long document type; and the maximum number of bytes.
const MAX_XML_LINES: usize = 2000;
const MAX_XML_BYTES: usize = 256 * 1024;

/// The beginning of a file.
#[derive(Debug)]
pub(crate) enum FilePreview {
    /// Only white space.
    Empty,
    /// Outline of a JSON list or object.
    Json(Sketch, JsonFile),
    /// Text that is not JSON.
    Text(Text),
    /// Tables of an SQLite database.
    Database(Schema),
    /// Not a text.
    Binary(&'static str),
}

/// Name and damage of a JSON file.
#[derive(Debug)]
pub(crate) struct JsonFile {
    /// Name of the file without its folder, in lower case.
    name: String,
    /// Damage that ended the outline early.
    pub(crate) damage: Option<ImportRefusal>,
}

/// Beginning of a text.
#[derive(Debug)]
pub(crate) struct Text {
    /// Name of the file without its folder, for tables with equal headers.
    name: String,
    /// First lines without their ends, at most four (more for XML); the last may be truncated.
    lines: Vec<String>,
    /// Whether the line after them is not text in UTF-8.
    ends_in_other_bytes: bool,
}

/// Description of a file that is not a text.
pub(crate) const NOT_A_TEXT: &str = "not a text file in UTF-8";

impl Text {
    /// Returns whether the inspected part has a line that is not text in UTF-8.
    pub(crate) const fn ends_in_other_bytes(&self) -> bool {
        self.ends_in_other_bytes
    }

    /// Returns the name of the file in lower case; an uploaded file may have lost it.
    pub(crate) fn file_name(&self) -> &str {
        &self.name
    }

    /// Returns the first line; empty if it is too long to be a title or a header.
    pub(crate) fn first_line(&self) -> &str {
        self.lines.first().map_or("", String::as_str)
    }

    /// Returns the first lines.
    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Parses the first line as a CSV header with commas; `None` if a quote in it is not closed.
    pub(crate) fn header(&self) -> Option<Vec<String>> {
        self.header_with(Separator::Comma)
    }

    /// Parses the first line as a CSV header; `None` if a quote in it is not closed.
    pub(crate) fn header_with(&self, separator: Separator) -> Option<Vec<String>> {
        split_fields(self.first_line(), separator)
    }

    /// Returns whether the first line is a CSV header with all of these columns.
    pub(crate) fn has_columns(&self, names: &[&str]) -> bool {
        self.header().is_some_and(|header| has_columns(&header, names))
    }
}

impl FilePreview {
    /// Adds the name of the file, which may begin with folders.
    pub(crate) fn with_name(mut self, name: &str) -> Self {
        let name = || name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        match &mut self {
            Self::Text(text) => text.name = name(),
            Self::Json(_, file) => file.name = name(),
            Self::Empty | Self::Database(_) | Self::Binary(_) => {}
        }
        self
    }

    /// Returns the outline of a JSON file.
    pub(crate) const fn json(&self) -> Option<&Sketch> {
        match self {
            Self::Json(sketch, _) => Some(sketch),
            _ => None,
        }
    }

    /// Returns the name of a JSON file in lower case; an uploaded file may have lost it.
    pub(crate) fn json_name(&self) -> &str {
        match self {
            Self::Json(_, file) => &file.name,
            _ => "",
        }
    }

    /// Returns the beginning of a text file that is not JSON.
    pub(crate) const fn text(&self) -> Option<&Text> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the tables of a database.
    pub(crate) const fn database(&self) -> Option<&Schema> {
        match self {
            Self::Database(schema) => Some(schema),
            _ => None,
        }
    }

    /// Returns whether there is no record to identify the file by.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Json(sketch, _) => {
                sketch.is_empty_list() || sketch.member("sleep").is_some_and(Sketch::is_empty_list)
            }
            Self::Text(_) | Self::Database(_) | Self::Binary(_) => false,
        }
    }

    /// Inspects the beginning of a file, or the tables of a database, which is copied to `scratch`.
    pub(crate) fn inspect(mut bytes: Bytes, scratch: Option<&Path>) -> Result<Self, ImportRefusal> {
        let mut beginning = Vec::new();
        let limit = u64::try_from(MAGIC.len()).unwrap_or_default();
        let read = bytes.by_ref().take(limit).read_to_end(&mut beginning);
        read.map_err(|error| ImportRefusal::Unreadable(error.kind().to_string()))?;
        let is_database = beginning == MAGIC;
        let bytes: Bytes = Box::new(io::Cursor::new(beginning).chain(bytes));
        if is_database {
            return Database::open(bytes, scratch)?.schema().map(Self::Database);
        }
        let cursor = &mut Cursor::new(bytes)?;
        match cursor.peek_token()? {
            None => Ok(Self::Empty),
            Some(b'{' | b'[') => {
                let (sketch, damage) = Sketch::outline(cursor);
                Ok(Self::Json(sketch, JsonFile { name: String::new(), damage }))
            }
            Some(_) => Ok(text(cursor)),
        }
    }
}

fn text(cursor: &mut Cursor) -> FilePreview {
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    let (mut is_cut, mut ends_in_other_bytes) = (false, false);
    while !is_cut && has_room(&lines) {
        match cursor.read_line(&mut line) {
            Ok(Some(_)) => {}
            // XML without line ends has its root element in these bytes.
            Err(_) if line.starts_with(b"<") => {
                truncate_line(&mut line);
                is_cut = true;
            }
            // A longer line is neither a title nor a header.
            Ok(None) | Err(_) => break,
        }
        if lines.is_empty() {
            if line.starts_with(b"PK\x03\x04") {
                return FilePreview::Binary("a zip archive inside another file: unpack that first");
            }
            if line.starts_with(b"\x1f\x8b") {
                return FilePreview::Binary("a gzip file inside another file: unpack that first");
            }
        }
        match String::from_utf8(std::mem::take(&mut line)) {
            Ok(text) if !text.contains('\0') => lines.push(text),
            _ if lines.is_empty() => return FilePreview::Binary(NOT_A_TEXT),
            // The lines before may identify a damaged file.
            _ => {
                is_cut = true;
                ends_in_other_bytes = true;
            }
        }
    }
    FilePreview::Text(Text { name: String::new(), lines, ends_in_other_bytes })
}

/// Truncates a line at a character boundary.
fn truncate_line(line: &mut Vec<u8>) {
    line.truncate(MAX_XML_BYTES);
    while line.last().is_some_and(|byte| !byte.is_ascii()) {
        line.pop();
    }
}

fn has_room(lines: &[String]) -> bool {
    let is_markup = lines.first().is_some_and(|line| line.starts_with('<'));
    if is_markup {
        lines.len() < MAX_XML_LINES && lines.iter().map(String::len).sum::<usize>() < MAX_XML_BYTES
    } else {
        lines.len() < LINES_LIMIT
    }
}
