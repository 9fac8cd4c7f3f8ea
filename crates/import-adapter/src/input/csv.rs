//! Single lines of CSV.

use memchr::memchr;

/// Maximum number of fields per line; nights have some hundreds.
const FIELD_LIMIT: usize = 200_000;

/// Returns whether a quoted field is open after a line; `is_open` says so for the text before it.
///
/// A quote opens a field only as its first character; within a quoted field two of them stand for one.
pub(super) fn is_field_open(line: &[u8], mut is_open: bool) -> bool {
    let mut passed = 0_usize;
    while let Some(offset) = memchr(b'"', line.get(passed..).unwrap_or_default()) {
        let at = passed.saturating_add(offset);
        passed = at.saturating_add(1);
        if !is_open {
            is_open = at.checked_sub(1).is_none_or(|before| line.get(before) == Some(&b','));
        } else if line.get(passed) == Some(&b'"') {
            passed = passed.saturating_add(1);
        } else {
            is_open = false;
        }
    }
    is_open
}

/// Splits a line and trims its fields; `None` if a quoted field is not closed or there are too many fields.
pub(crate) fn csv_fields(line: &str) -> Option<Vec<String>> {
    if is_field_open(line.as_bytes(), false) {
        return None;
    }
    if line.bytes().filter(|byte| *byte == b',').count() >= FIELD_LIMIT {
        return None;
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(|field| field.trim().to_owned()).collect())
}
