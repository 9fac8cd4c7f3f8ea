//! Reads the table of sleep, which may follow tables of names.

use super::{COLUMNS, line, night};
use crate::input::Separator;
use crate::input::{
    Bytes, Cursor, Fields, LineEnd, Position, damaged, has_columns, more_than_once, repeated_column,
    split_fields,
};
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;

/// Reads the diary line by line.
pub(super) struct DiaryReader {
    cursor: Cursor,
    line: Vec<u8>,
    /// Header of the table of sleep; empty before it.
    columns: Vec<String>,
    /// What the last record may be followed by.
    notes: line::Notes,
}

impl DiaryReader {
    pub(super) fn new(bytes: Bytes) -> Result<Self, ImportRefusal> {
        let cursor = Cursor::new(bytes)?.of_table();
        Ok(Self { cursor, line: Vec::new(), columns: Vec::new(), notes: line::Notes::None })
    }

    fn read_line(
        &mut self,
        line: &str,
        start: Position,
        end: LineEnd,
        items: &mut Items,
    ) -> Result<(), ImportRefusal> {
        let place = format!("line {}", start.line);
        if self.columns.is_empty() {
            return self.read_header(line, start);
        }
        if line::begins_record(line) {
            return self.read_row(line, &place, end, items);
        }
        let may_end_notes = match self.notes {
            line::Notes::None => false,
            line::Notes::MayContinue => line.trim() == "\"",
            line::Notes::Continue => true,
        };
        if end == LineEnd::EndOfFile && !may_end_notes && line::is_cut_record(line) {
            return Err(self.cursor.ends_too_early());
        }
        let may_be_notes = match self.notes {
            line::Notes::None => line.trim().is_empty(),
            line::Notes::MayContinue => !line::has_fields(line, self.columns.len()),
            line::Notes::Continue => true,
        };
        if !may_be_notes {
            items.reject(&place, "wake is not a date and time with an offset");
        } else if self.notes == line::Notes::Continue {
            self.notes = line::notes_within(line);
        }
        Ok(())
    }

    /// Takes the header of the table of sleep; other lines before it are those of names.
    fn read_header(&mut self, line: &str, start: Position) -> Result<(), ImportRefusal> {
        let columns = split_fields(line, Separator::Comma).unwrap_or_default();
        if !has_columns(&columns, &COLUMNS) {
            return Ok(());
        }
        if let Some(column) = repeated_column(&columns, &COLUMNS) {
            return Err(damaged(start, more_than_once(column)));
        }
        self.columns = columns;
        Ok(())
    }

    fn read_row(
        &mut self,
        line: &str,
        place: &str,
        end: LineEnd,
        items: &mut Items,
    ) -> Result<(), ImportRefusal> {
        let count = self.columns.len();
        let values = line::fields(line, count);
        self.notes = line::notes_after(line, count);
        if values.len() < count {
            if end == LineEnd::EndOfFile {
                return Err(self.cursor.ends_too_early());
            }
            items.reject(place, "the number of fields differs from the header");
            return Ok(());
        }
        let mut notes = Notes::default();
        let outcome = night::read(&Fields { columns: &self.columns, values: &values }, &mut notes);
        items.finish_session(place, notes, outcome);
        Ok(())
    }

    /// Accepts the end of the file, or returns why it is too early.
    fn finish(&self) -> Result<(), ImportRefusal> {
        if self.notes == line::Notes::Continue {
            return Err(self.cursor.ends_too_early());
        }
        if self.columns.is_empty() {
            return Err(ImportRefusal::HoldsNoSleep(
                "these are tables of names from Sleepmeter without a table of sleep".to_owned(),
            ));
        }
        Ok(())
    }
}

impl RecordReader for DiaryReader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let start = self.cursor.place();
        let mut bytes = std::mem::take(&mut self.line);
        let Some(end) = self.cursor.read_line(&mut bytes)? else { return self.finish().map(|()| false) };
        let line = std::str::from_utf8(&bytes).map_err(|_| damaged(start, "not valid UTF-8"))?;
        self.read_line(line, start, end, items)?;
        self.line = bytes;
        Ok(true)
    }

    fn bytes_read(&self) -> u64 {
        self.cursor.total()
    }
}
