//! Single lines of CSV.

use memchr::memchr;

/// Maximum number of fields per line; nights have some hundreds.
const FIELD_LIMIT: usize = 200_000;

/// Character between columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    Comma,
    Semicolon,
    Tab,
}

impl Separator {
    /// Every separator, the most frequent first.
    pub(crate) const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }

    /// Returns its name in the plural.
    pub(crate) const fn described(self) -> &'static str {
        match self {
            Self::Comma => "commas",
            Self::Semicolon => "semicolons",
            Self::Tab => "tabs",
        }
    }
}

/// What the quotes of a text leave behind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quotes {
    separator: u8,
    /// Whether a quoted field is open.
    pub(super) is_open: bool,
    /// Whether a quoted field had text after its closing quote.
    pub(super) are_stray: bool,
}

impl Quotes {
    pub(super) const fn new(separator: Separator) -> Self {
        Self { separator: separator.byte(), is_open: false, are_stray: false }
    }

    /// Continues with a line. A quote opens a field only as its first character; within a quoted field two of
    /// them stand for one.
    pub(super) fn after(mut self, line: &[u8]) -> Self {
        let mut passed = 0_usize;
        while let Some(offset) = memchr(b'"', line.get(passed..).unwrap_or_default()) {
            let at = passed.saturating_add(offset);
            passed = at.saturating_add(1);
            let next = line.get(passed);
            if !self.is_open {
                self.is_open =
                    at.checked_sub(1).is_none_or(|before| line.get(before) == Some(&self.separator));
            } else if next == Some(&b'"') {
                passed = passed.saturating_add(1);
            } else {
                self.is_open = false;
                self.are_stray |= next.is_some_and(|next| *next != self.separator);
            }
        }
        self
    }
}

/// Splits a line and trims its fields; `None` if a quoted field is not closed or there are too many fields.
pub(crate) fn split_fields(line: &str, separator: Separator) -> Option<Vec<String>> {
    if Quotes::new(separator).after(line.as_bytes()).is_open {
        return None;
    }
    if line.bytes().filter(|byte| *byte == separator.byte()).count() >= FIELD_LIMIT {
        return None;
    }
    // Most lines have no quotes, and the library builds its state machine for each.
    if !line.contains('"') {
        return Some(line.split(char::from(separator.byte())).map(|field| field.trim().to_owned()).collect());
    }
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).delimiter(separator.byte()).from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(|field| field.trim().to_owned()).collect())
}

/// Splits a line with commas between columns.
pub(crate) fn csv_fields(line: &str) -> Option<Vec<String>> {
    split_fields(line, Separator::Comma)
}
