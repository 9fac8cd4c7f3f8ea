//! CSV tables of records.

use super::{Bytes, LineEnd, Row, Rows, Separator, damaged};
use crate::source::{Items, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::time::TimeZone;
use std::marker::PhantomData;

/// Format of a table, with one record per row.
pub(crate) trait TableFormat: Send {
    /// Whether a header may follow a record.
    const REPEATS_HEADER: bool = false;
    /// Character between columns.
    const SEPARATOR: Separator = Separator::Comma;
    /// Number of lines before the header.
    const LINES_BEFORE_HEADER: u64 = 0;
    /// Whether rows may end in a separator without a column after it.
    const TRAILING_SEPARATOR: bool = false;
    /// Names of the columns that are read; a header has each at most once.
    const COLUMNS: &'static [&'static str];

    fn is_header(columns: &[String]) -> bool;

    /// Corrects a line before it is split, in a format that does not quote its fields as a CSV does.
    fn correct_line(_line: &mut Vec<u8>) {}

    /// Returns the names under which the columns are read.
    fn columns(header: Vec<String>) -> Vec<String> {
        header
    }

    /// Adds notes on the header.
    fn note_header(_columns: &[String], _place: &str, _items: &mut Items) {}

    /// Returns whether a row with another number of fields than the header is a record; the header has
    /// `columns`. A row that the end of the file truncates never is.
    fn accepts_fields(_count: usize, _columns: &[String]) -> bool {
        false
    }

    /// Returns whether a row is not a record.
    fn is_skipped(_fields: &Fields<'_>) -> bool {
        false
    }

    /// Adds the items of a row; `zone` applies to times without one. Rows that form sessions together are
    /// read with [`TableReader::read_row`] instead.
    fn read(_fields: &Fields<'_>, _zone: TimeZone, _place: &str, _items: &mut Items) {}
}

/// Fields of a row.
pub(crate) struct Fields<'a> {
    pub(crate) columns: &'a [String],
    pub(crate) values: &'a [String],
}

impl Fields<'_> {
    /// Returns the field in a column, whose name may be in any case; `None` if it is missing or empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let index = self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))?;
        self.values.get(index).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// Returns whether a header has all of these columns, in any case.
pub(crate) fn has_columns(header: &[String], names: &[&str]) -> bool {
    names.iter().all(|name| header.iter().any(|column| column.eq_ignore_ascii_case(name)))
}

/// Returns the first of these columns that a header has more than once, in any case.
pub(crate) fn repeated_column<'a>(header: &[String], names: &[&'a str]) -> Option<&'a str> {
    let count = |name: &str| header.iter().filter(|column| column.eq_ignore_ascii_case(name)).count();
    names.iter().copied().find(|name| count(name) > 1)
}

/// Describes a header with such a column.
pub(crate) fn more_than_once(column: &str) -> String {
    format!("the header has the column {column} more than once")
}

/// Reads a table.
pub(crate) struct TableReader<F> {
    rows: Rows,
    zone: TimeZone,
    /// Current header; empty before the first.
    columns: Vec<String>,
    /// Why records cannot be read with the current header.
    header_fault: Option<String>,
    rows_skipped: bool,
    rows_read: bool,
    format: PhantomData<F>,
}

impl<F: TableFormat> TableReader<F> {
    pub(crate) fn new(bytes: Bytes, zone: TimeZone) -> Result<Self, ImportRefusal> {
        Ok(Self {
            rows: Rows::new(bytes, F::SEPARATOR)?.corrected_by(F::correct_line),
            zone,
            columns: Vec::new(),
            header_fault: None,
            rows_skipped: false,
            rows_read: false,
            format: PhantomData,
        })
    }

    fn has_all_fields(&self, row: &Row) -> bool {
        let (count, expected) = (row.fields.len(), self.columns.len());
        let may_be_truncated = count < expected && row.end == LineEnd::EndOfFile;
        count == expected || !may_be_truncated && F::accepts_fields(count, &self.columns)
    }

    /// Reads the next row, a record with `read`, which also receives its line; `false` at the end.
    pub(crate) fn read_row(
        &mut self,
        items: &mut Items,
        read: impl FnOnce(&Fields<'_>, u64, &mut Items) -> Result<(), ImportRefusal>,
    ) -> Result<bool, ImportRefusal> {
        match self.rows.next_row()? {
            Some(row) => self.read(row, items, read).map(|()| true),
            None if self.rows_skipped && !self.rows_read => Err(ImportRefusal::HoldsNoSleep(
                "none of its rows is a record that can be imported".to_owned(),
            )),
            None => Ok(false),
        }
    }

    fn read(
        &mut self,
        mut row: Row,
        items: &mut Items,
        read: impl FnOnce(&Fields<'_>, u64, &mut Items) -> Result<(), ImportRefusal>,
    ) -> Result<(), ImportRefusal> {
        let place = row.place();
        if F::TRAILING_SEPARATOR && row.fields.last().is_some_and(String::is_empty) {
            let is_header = self.columns.is_empty();
            if is_header || row.fields.len() == self.columns.len().saturating_add(1) {
                row.fields.pop();
            }
        }
        if (F::REPEATS_HEADER || self.columns.is_empty()) && F::is_header(&row.fields) {
            F::note_header(&row.fields, &place, items);
            self.columns = F::columns(row.fields);
            self.header_fault = repeated_column(&self.columns, F::COLUMNS).map(more_than_once);
            return match &self.header_fault {
                Some(reason) if !F::REPEATS_HEADER => Err(damaged(row.start, reason)),
                _ => Ok(()),
            };
        }
        if self.columns.is_empty() {
            if row.start.line <= F::LINES_BEFORE_HEADER {
                return Ok(());
            }
            return Err(damaged(row.start, "expected the header line"));
        }
        let fields = Fields { columns: &self.columns, values: &row.fields };
        if F::is_skipped(&fields) {
            self.rows_skipped = true;
            return Ok(());
        }
        self.rows_read = true;
        let has_all_fields = self.has_all_fields(&row);
        // A stray quote joins the rows after it to this one.
        let hides_rows = row.lines > 1 && row.has_stray_quotes;
        if let Some(reason) = &self.header_fault {
            items.reject(&place, reason);
        } else if has_all_fields && !hides_rows {
            return read(&fields, row.start.line, items);
        } else if !has_all_fields && row.end == LineEnd::EndOfFile {
            // A row truncated by the end of the file has too few fields.
            return Err(self.rows.ends_too_early());
        } else {
            let reason = match (has_all_fields, row.lines) {
                (true, lines) => format!("a quoted field of {lines} lines has text after its end"),
                (false, ..2) => "the number of fields differs from the header".to_owned(),
                (false, lines) => {
                    format!(
                        "the number of fields in {lines} lines, joined by a quote, differs from the header"
                    )
                }
            };
            items.reject(&place, reason);
        }
        Ok(())
    }
}

impl<F: TableFormat> RecordReader for TableReader<F> {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let zone = self.zone;
        self.read_row(items, |fields, line, items| {
            F::read(fields, zone, &format!("line {line}"), items);
            Ok(())
        })
    }

    fn bytes_read(&self) -> u64 {
        self.rows.bytes_read()
    }
}
