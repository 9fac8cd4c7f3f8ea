//! Importers: export files of devices and catalogues as a stream of records.
//!
//! [`open`] recognises a file by its content and returns it as the port
//! [`ImportFile`](application::ports::import_source::ImportFile). Every format is read record by record, so
//! memory use is independent of the file's size. A record has at most [`RECORD_LIMIT`] bytes.
//!
//! Each format is one folder of `formats`: its detection, its `RecordReader`, fixtures and page. Messages
//! name members, positions and rules, never a value of the file.

mod archive;
mod collections;
mod database;
mod digest;
mod formats;
mod health_kit;
mod ingest;
mod input;
mod join;
mod json;
mod local_time;
mod open;
mod recognised;
mod recognition;
mod seen;
mod segments;
mod session;
mod sketch;
mod source;
mod spool;
mod tally;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
mod timestamp;
mod upc;

pub use formats::{Format, FormatInfo, UnknownFormat};
pub use ingest::JsonIngestParser;
pub use input::RECORD_LIMIT;
pub use open::{FileContext, open};
pub use spool::SpoolFolder;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
