//! Intakes of supplements: Restwell's own CSV.
//!
//! The rules are in `docs/import/intake-csv.md`.

mod intake;

use crate::format::Format;
use crate::input::{LineEnd, Row, Rows, damaged};
use crate::recognition::{Recognised, Seen};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::time::TimeZone;
use intake::{CREATED_AT, Intake, SERVINGS, SUPPLEMENT_ID, UPC};

/// Required columns, besides at least one that identifies the supplement.
pub(crate) const NEEDED_COLUMNS: [&str; 2] = [CREATED_AT, SERVINGS];
pub(crate) const PRODUCT_COLUMNS: [&str; 2] = [UPC, SUPPLEMENT_ID];

/// Recognises the header: a time, servings, and a column that identifies the supplement.
pub(crate) fn recognise(seen: &Seen, _named: bool) -> Option<Recognised> {
    seen.text().and_then(crate::recognition::Text::header).filter(|columns| is_header(columns))?;
    Some(Recognised::new(Format::IntakeCsv, |bytes, context| {
        Ok(IntakeCsv { rows: Rows::new(bytes)?, zone: context.zone, columns: Vec::new() })
    }))
}

/// Returns whether a line is the header with semicolons, as spreadsheets of many countries write it.
pub(crate) fn is_header_with_semicolons(line: &str) -> bool {
    let columns: Vec<String> =
        line.split(';').map(|column| column.trim().trim_matches('"').to_owned()).collect();
    is_header(&columns)
}

/// Advice for such a table.
pub(crate) const SEMICOLONS: &str = "this is a table of intakes with semicolons between its columns; write it with commas \
    between the columns, and points in numbers";

fn is_header(columns: &[String]) -> bool {
    let has = |name: &str| columns.iter().any(|column| column == name);
    has(CREATED_AT) && has(SERVINGS) && (has(UPC) != has(SUPPLEMENT_ID))
}

/// Reads intakes.
struct IntakeCsv {
    rows: Rows,
    /// Zone of times without an offset.
    zone: TimeZone,
    /// Header; empty before it was read.
    columns: Vec<String>,
}

impl IntakeCsv {
    fn read(&mut self, row: Row, items: &mut Items) -> Result<(), ImportRefusal> {
        let place = row.place();
        if self.columns.is_empty() {
            if !is_header(&row.fields) {
                return Err(damaged(row.start, "the header line is expected"));
            }
            let unknown = row.fields.len().saturating_sub(3);
            if unknown > 0 {
                items.note_count(&place, "columns that are not known were passed over", unknown);
            }
            self.columns = row.fields;
        } else if row.fields.len() == self.columns.len() {
            let intake = Intake { columns: &self.columns, fields: &row.fields };
            let mut notes = Notes::default();
            let outcome = intake.log(&place, self.zone, &mut notes).map(ImportItem::Log);
            items.finish(&place, notes, outcome);
        } else if row.end == LineEnd::EndOfFile {
            // A line truncated by the end of the file has too few fields.
            return Err(self.rows.ends_too_early());
        } else {
            items.reject(&place, "not as many fields as the header has");
        }
        Ok(())
    }
}

impl RecordReader for IntakeCsv {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        match self.rows.next_row()? {
            Some(row) => self.read(row, items).map(|()| true),
            None => Ok(false),
        }
    }

    fn bytes_read(&self) -> u64 {
        self.rows.bytes_read()
    }
}

#[cfg(test)]
mod tests;
