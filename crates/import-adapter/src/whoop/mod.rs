//! WHOOP: `sleeps.csv` of its export.
//!
//! The rules are in `docs/import/whoop.md`.

mod night;

use crate::format::Format;
use crate::input::{LineEnd, Row, Rows, damaged};
use crate::recognition::{Recognised, Seen};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::time::TimeZone;
use night::Night;

/// Columns that only this table combines: the cycles have no `Nap`.
pub(crate) const COLUMNS: [&str; 5] =
    ["Cycle start time", "Cycle timezone", "Sleep onset", "Wake onset", "Nap"];

/// Recognises the header of the table of sleeps.
pub(crate) fn recognise(seen: &Seen, _named: bool) -> Option<Recognised> {
    seen.text().filter(|text| text.has_columns(&COLUMNS))?;
    Some(Recognised::new(Format::Whoop, |bytes, context| {
        Ok(Whoop { rows: Rows::new(bytes)?, zone: context.zone, columns: Vec::new() })
    }))
}

/// Reads the table of sleeps.
struct Whoop {
    rows: Rows,
    /// Zone of rows without one.
    zone: TimeZone,
    /// Header; empty before it was read.
    columns: Vec<String>,
}

impl Whoop {
    fn read(&mut self, row: Row, items: &mut Items) -> Result<(), ImportRefusal> {
        let place = row.place();
        if self.columns.is_empty() {
            if !COLUMNS.iter().all(|name| row.fields.iter().any(|column| column == name)) {
                return Err(damaged(row.start, "the header line is expected"));
            }
            self.columns = row.fields;
        } else if row.fields.len() == self.columns.len() {
            let mut notes = Notes::default();
            let outcome = Night { columns: &self.columns, fields: &row.fields }.record(self.zone, &mut notes);
            items.finish_session(&place, notes, outcome);
        } else if row.end == LineEnd::EndOfFile {
            // A line truncated by the end of the file has too few fields.
            return Err(self.rows.ends_too_early());
        } else {
            items.reject(&place, "not as many fields as the header has");
        }
        Ok(())
    }
}

impl RecordReader for Whoop {
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
