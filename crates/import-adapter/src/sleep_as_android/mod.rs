//! Sleep as Android: `sleep-export.csv`, alone or in its zip.
//!
//! Each record has its own header row, because the columns after the known ones are times of that night; then
//! comes its data, and sometimes a row of noise levels. The rules are in `docs/import/sleep-as-android.md`.

mod clock;
mod event;
mod record;

use crate::format::Format;
use crate::input::{LineEnd, Row, Rows, damaged, field};
use crate::recognition::{Recognised, Seen};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::time::TimeZone;
use record::Record;

/// Columns that are used.
pub(crate) const COLUMNS: [&str; 6] = ["Id", "Tz", "From", "To", "Sched", "Hours"];

/// Recognises the header of the first record.
pub(crate) fn recognise(seen: &Seen, _named: bool) -> Option<Recognised> {
    seen.text().filter(|text| text.has_columns(&COLUMNS))?;
    Some(Recognised::new(Format::SleepAsAndroid, |bytes, context| {
        Ok(SleepAsAndroid { rows: Rows::new(bytes)?, zone: context.zone, columns: Vec::new() })
    }))
}

/// Reads records.
struct SleepAsAndroid {
    rows: Rows,
    /// Zone for records without a known zone.
    zone: TimeZone,
    /// Header of the current record; empty before the first.
    columns: Vec<String>,
}

impl SleepAsAndroid {
    fn read(&mut self, row: Row, items: &mut Items) -> Result<(), ImportRefusal> {
        let place = row.place();
        let first = row.fields.first().map_or("", String::as_str);
        if first == "Id" && COLUMNS.iter().all(|name| row.fields.iter().any(|column| column == name)) {
            self.columns = row.fields;
        } else if self.columns.is_empty() {
            return Err(damaged(row.start, "the header row is expected"));
        } else if self.is_noise(&row) {
            // A row of noise levels.
        } else if row.fields.len() == self.columns.len() {
            let mut notes = Notes::default();
            let outcome = Record { columns: &self.columns, fields: &row.fields }.read(self.zone, &mut notes);
            items.finish_session(&place, notes, outcome);
        } else if row.end == LineEnd::EndOfFile {
            // A row truncated by the end of the file has too few fields.
            return Err(self.rows.ends_too_early());
        } else {
            items.reject(&place, "not as many fields as the header has");
        }
        Ok(())
    }
}

impl SleepAsAndroid {
    /// Returns whether a row holds only noise levels: the known columns are empty.
    fn is_noise(&self, row: &Row) -> bool {
        COLUMNS.iter().all(|name| field(&self.columns, &row.fields, name).is_none())
    }
}

impl RecordReader for SleepAsAndroid {
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
