//! One line of a CSV.

/// The most fields of a line: what holds a night has some hundreds.
const FIELD_LIMIT: usize = 200_000;

/// Takes a line apart, without the blanks around its fields; nothing when a quoted field is not closed in it,
/// or when there are far too many.
pub(crate) fn csv_fields(line: &str) -> Option<Vec<String>> {
    if line.bytes().filter(|byte| *byte == b'"').count() % 2 == 1 {
        return None;
    }
    if line.bytes().filter(|byte| *byte == b',').count() >= FIELD_LIMIT {
        return None;
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(|field| field.trim().to_owned()).collect())
}
