//! Single lines of CSV.

use memchr::memchr;

/// Maximum number of fields per line; nights have some hundreds.
const FIELD_LIMIT: usize = 200_000;

/// What the quotes of a text leave behind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Quotes {
    /// Whether a quoted field is open.
    pub(super) is_open: bool,
    /// Whether a quoted field had text after its closing quote.
    pub(super) are_stray: bool,
}

impl Quotes {
    /// Continues with a line. A quote opens a field only as its first character; within a quoted field two of
    /// them stand for one.
    pub(super) fn after(mut self, line: &[u8]) -> Self {
        let mut passed = 0_usize;
        while let Some(offset) = memchr(b'"', line.get(passed..).unwrap_or_default()) {
            let at = passed.saturating_add(offset);
            passed = at.saturating_add(1);
            let next = line.get(passed);
            if !self.is_open {
                self.is_open = at.checked_sub(1).is_none_or(|before| line.get(before) == Some(&b','));
            } else if next == Some(&b'"') {
                passed = passed.saturating_add(1);
            } else {
                self.is_open = false;
                self.are_stray |= next.is_some_and(|next| *next != b',');
            }
        }
        self
    }
}

/// Splits a line and trims its fields; `None` if a quoted field is not closed or there are too many fields.
pub(crate) fn csv_fields(line: &str) -> Option<Vec<String>> {
    if Quotes::default().after(line.as_bytes()).is_open {
        return None;
    }
    if line.bytes().filter(|byte| *byte == b',').count() >= FIELD_LIMIT {
        return None;
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(|field| field.trim().to_owned()).collect())
}
