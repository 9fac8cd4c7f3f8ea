//! Export files of devices and catalogues, as a stream of records.
//!
//! [`open`] recognises a file by its content and gives it as the port
//! [`ImportFile`](application::ports::import_source::ImportFile): every format is read record by record, so
//! that memory does not grow with the file. A record is at most [`RECORD_LIMIT`] bytes long.
//!
//! A module a format. To add one: a variant of [`Format`], what it looks like in `recognition`, a module with
//! a `RecordReader`, a page in `docs/import`. Texts for people name members, places
//! and rules, never a value of the file.

mod apple_health;
mod archive;
mod digest;
mod dsld;
mod fhir;
mod fitbit;
mod format;
mod garmin;
mod hypnogram;
mod ingest;
mod input;
mod intake_csv;
mod json;
mod local_time;
mod ndjson;
mod open;
mod open_mhealth;
mod oura;
mod recognition;
mod segments;
mod session_key;
mod sleep_as_android;
mod source;
mod spool;
mod timestamp;
mod totals;
mod upc;
mod whoop;
mod withings;

pub use format::{Format, UnknownFormat};
pub use ingest::JsonIngestParser;
pub use input::RECORD_LIMIT;
pub use open::{FileContext, open};
pub use spool::SpoolFolder;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
