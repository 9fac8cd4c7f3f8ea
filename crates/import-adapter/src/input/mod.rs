//! The bytes of a file, with the place that is being read and with bounds on everything that is held.

mod csv;
mod cursor;
mod extent;
mod place;
mod rows;

pub(crate) use csv::csv_fields;
pub(crate) use cursor::{Cursor, LineEnd};
pub(crate) use place::Place;
pub(crate) use rows::{Row, Rows, field};

use application::ports::import_source::ImportRefusal;

/// The most bytes of one record: a JSON value in a list, a line.
pub const RECORD_LIMIT: usize = 16 * 1024 * 1024;

/// The deepest nesting of one record; below the limit that `serde_json` has for the same reason.
pub(crate) const DEPTH_LIMIT: usize = 100;

/// Refuses a file as damaged at a place.
pub(crate) fn damaged(place: Place, reason: impl Into<String>) -> ImportRefusal {
    ImportRefusal::Damaged { place: place.to_string(), reason: reason.into() }
}

#[cfg(test)]
mod tests;
