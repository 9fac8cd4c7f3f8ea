//! Export of all of a user's records.

mod export_records;
pub(crate) mod format;
mod stream;

pub use crate::ports::export_writer::{
    ExportItem, ExportNotWritten, ExportSection, ExportWriter, ExportWriters,
};
pub use export_records::*;
pub use format::ExportFormat;
pub use stream::*;

#[cfg(test)]
mod tests;
