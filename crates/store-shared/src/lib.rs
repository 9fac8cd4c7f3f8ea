//! Shared parts of both stores, without any SQL: the JSON in their columns, the names of kinds, and the
//! metrics of their connections.
//!
//! Functions that parse a column return `None` for a value that the program cannot have written. The adapter
//! adds table, column and row to the error.

mod import_report;
mod ingredients;
mod json;
mod metadata_document;
mod meter;
mod names;
mod profile_changes;
mod record_before;
mod rotation;
mod undone;

pub use import_report::{read_report, write_report};
pub use ingredients::{read_ingredients, write_ingredients};
pub use metadata_document::{read_document, write_document};
pub use meter::{ConnectionMeter, GaugeGuard, timed};
pub use names::*;
pub use profile_changes::{read_profile_changes, write_profile_changes};
pub use record_before::{read_before, write_before};
pub use rotation::rotation_outcome;
pub use undone::{read_undone, write_undone};
