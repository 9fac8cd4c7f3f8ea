//! What the beginning of a file shows.

use super::Sketch;
use crate::input::Cursor;
use application::ports::import_source::ImportRefusal;

/// How many lines of a text are looked at.
const LINES_LOOKED_AT: usize = 4;
/// How many of one that begins as XML does, whose root element may stand behind a long document type; and how many bytes.
const LINES_OF_MARKUP: usize = 2000;
const BYTES_OF_MARKUP: usize = 256 * 1024;

/// What the beginning of a file shows.
#[derive(Debug)]
pub(crate) enum Seen {
    /// Nothing but white space.
    Empty,
    /// A JSON list or object, in outline, with the damage that ended it early.
    Json(Sketch, Option<ImportRefusal>),
    /// Text that does not begin as JSON does.
    Text(Text),
    /// Not a text.
    Binary(&'static str),
}

/// The beginning of a text.
#[derive(Debug)]
pub(crate) struct Text {
    /// Its first lines without their ends, at most four (of XML more); the last may break off.
    lines: Vec<String>,
}

impl Text {
    /// Gives the first line; empty when it is too long to be a title or a header.
    pub(crate) fn first_line(&self) -> &str {
        self.lines.first().map_or("", String::as_str)
    }

    /// Gives the first lines.
    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Takes the first line apart as the header of a CSV with commas; nothing when a quote in it is not closed.
    pub(crate) fn header(&self) -> Option<Vec<String>> {
        crate::input::csv_fields(self.first_line())
    }

    /// Returns whether the first line is the header of a CSV that has all of these columns.
    pub(crate) fn has_columns(&self, names: &[&str]) -> bool {
        self.header()
            .is_some_and(|header| names.iter().all(|name| header.iter().any(|column| column == name)))
    }
}

impl Seen {
    /// Gives the outline, when the file is JSON.
    pub(crate) const fn json(&self) -> Option<&Sketch> {
        match self {
            Self::Json(sketch, _) => Some(sketch),
            _ => None,
        }
    }

    /// Gives the beginning of the text, when the file is one and not JSON.
    pub(crate) const fn text(&self) -> Option<&Text> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns whether there is no record that could show what the file is.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Json(sketch, _) => {
                sketch.is_empty_list() || sketch.member("sleep").is_some_and(Sketch::is_empty_list)
            }
            Self::Text(_) | Self::Binary(_) => false,
        }
    }

    pub(super) fn look(cursor: &mut Cursor) -> Result<Self, ImportRefusal> {
        match cursor.peek_token()? {
            None => Ok(Self::Empty),
            Some(b'{' | b'[') => {
                let (sketch, damage) = Sketch::draw(cursor);
                Ok(Self::Json(sketch, damage))
            }
            Some(_) => Ok(text(cursor)),
        }
    }
}

fn text(cursor: &mut Cursor) -> Seen {
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    let mut is_cut = false;
    while !is_cut && has_room(&lines) {
        match cursor.read_line(&mut line) {
            Ok(Some(_)) => {}
            // Of XML without any ends of lines the beginning tells enough.
            Err(_) if line.starts_with(b"<") => {
                cut(&mut line);
                is_cut = true;
            }
            // A line that is too long is no title or header line, and what else it is does not matter.
            Ok(None) | Err(_) => break,
        }
        if lines.is_empty() {
            if line.starts_with(b"PK\x03\x04") {
                return Seen::Binary("a zip archive inside another file: unpack that first");
            }
            if line.starts_with(b"\x1f\x8b") {
                return Seen::Binary("a gzip file inside another file: unpack that first");
            }
        }
        match String::from_utf8(std::mem::take(&mut line)) {
            Ok(text) if !text.contains('\0') => lines.push(text),
            _ => return Seen::Binary("not a text file in UTF-8"),
        }
    }
    Seen::Text(Text { lines })
}

/// Cuts a line short, and not within a character.
fn cut(line: &mut Vec<u8>) {
    line.truncate(BYTES_OF_MARKUP);
    while line.last().is_some_and(|byte| !byte.is_ascii()) {
        line.pop();
    }
}

fn has_room(lines: &[String]) -> bool {
    let is_markup = lines.first().is_some_and(|line| line.starts_with('<'));
    if is_markup {
        lines.len() < LINES_OF_MARKUP && lines.iter().map(String::len).sum::<usize>() < BYTES_OF_MARKUP
    } else {
        lines.len() < LINES_LOOKED_AT
    }
}
