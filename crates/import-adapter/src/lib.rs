//! Importers: export files of devices and catalogues as a stream of records.
//!
//! [`open`] recognises a file by its content and returns it as the port
//! [`ImportFile`](application::ports::import_source::ImportFile). Every format is read record by record, so
//! memory use is independent of the file's size. A record has at most [`RECORD_LIMIT`] bytes.
//!
//! One module per format. A new format needs a variant of [`Format`], its detection in `recognition`, a
//! module with a `RecordReader`, and a page in `docs/import`. Messages name members, positions and rules,
//! never a value of the file.

mod apple_health;
mod archive;
mod collections;
mod context;
mod digest;
mod dsld;
mod fhir;
mod fitbit;
mod garmin;
mod health_kit;
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
mod recognised;
mod recognition;
mod seen;
mod segments;
mod session;
mod sketch;
mod sleep_as_android;
mod source;
mod spool;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
mod timestamp;
mod upc;
mod whoop;
mod withings;

use domain::import_format as format;

pub use context::FileContext;
pub use domain::import_format::{Format, UnknownFormat};
pub use ingest::JsonIngestParser;
pub use input::RECORD_LIMIT;
pub use open::open;
pub use spool::SpoolFolder;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
