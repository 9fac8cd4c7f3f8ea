//! Export of all of a user's records.

mod export_records;
mod stream;

pub use crate::ports::export_writer::{
    ExportFormat, ExportItem, ExportNotWritten, ExportSection, ExportWriter, ExportWriters,
};
pub use export_records::*;
pub use stream::*;

#[cfg(test)]
mod tests;
