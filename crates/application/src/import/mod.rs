//! Bringing records in from files: known ones are recognised, nothing doubles, nothing is dropped in silence.

mod apply_profile;
mod batch;
mod checking;
mod held;
mod import_records;
pub mod ingest;
mod intake_log;
mod known;
mod list_imports;
mod near;
pub(crate) mod overtaking;
mod profile;
mod reading;
mod recent;
mod report;
mod run;
mod session;
mod storing;
mod supplement;
mod undo_import;

pub use crate::ports::import_source::Rejection;
pub use crate::ports::storage::Import;
pub use apply_profile::{ApplyProfile, ApplyProfileError};
pub use import_records::{
    FileAbout, ImportRecords, ImportRecordsCommand, ImportRecordsError, Imported, Progress, Reading,
};
pub use list_imports::ListImports;
pub use report::{Counts, ImportReport, MAX_LISTED, ReportNote};
pub(crate) use undo_import::{BY_OPERATOR, BY_PERSON};
pub use undo_import::{
    CancelImportError, Cancelled, NOTES_KEPT, UNDOING_IDLE, UndoImport, UndoImportError, Undone, is_cancelled,
};

#[cfg(test)]
mod tests;
