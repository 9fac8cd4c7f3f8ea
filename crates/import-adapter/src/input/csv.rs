//! Single lines of CSV.

/// Maximum number of fields per line; nights have some hundreds.
const FIELD_LIMIT: usize = 200_000;

/// Splits a line and trims its fields; `None` if a quoted field is not closed or there are too many fields.
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
