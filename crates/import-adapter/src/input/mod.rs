//! Input bytes with positions and bounds on everything held in memory.

mod csv;
mod cursor;
mod extent;
mod position;
mod rows;
mod table;

pub(crate) use csv::{Separator, csv_fields, split_fields};
pub(crate) use cursor::{Cursor, LineEnd};
pub(crate) use position::Position;
pub(crate) use table::{Fields, TableFormat, TableReader, has_columns, more_than_once, repeated_column};

use rows::{Row, Rows};

use application::ports::import_source::ImportRefusal;

/// Bytes of one file, from the beginning.
pub(crate) type Bytes = Box<dyn std::io::Read + Send>;

/// Maximum size of a record (a JSON value in a list, or a line) in bytes.
pub const RECORD_LIMIT: usize = 16 * 1024 * 1024;

/// Maximum nesting of a record; below the recursion limit of `serde_json`.
pub(crate) const DEPTH_LIMIT: usize = 100;

/// Rejects a file as damaged at this position.
pub(crate) fn damaged(place: Position, reason: impl Into<String>) -> ImportRefusal {
    ImportRefusal::Damaged { place: place.to_string(), reason: reason.into() }
}

#[cfg(test)]
mod tests;
