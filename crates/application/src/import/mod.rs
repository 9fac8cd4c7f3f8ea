//! Imports of records from files. Existing records are matched, nothing is stored twice, and whatever is
//! skipped is reported.

mod apply_profile;
mod attempt;
mod batch;
mod batch_result;
mod checking;
mod import_records;
pub mod ingest;
mod intake_log;
mod known;
mod list_imports;
mod near;
mod profile;
mod progress;
mod reading;
mod recent;
mod report;
mod run;
mod session;
mod storing;
mod supplement;
mod undo_import;
mod undone;
mod waiting;

pub use crate::ports::import_source::Rejection;
pub use crate::ports::storage::Import;
pub use apply_profile::{ApplyProfile, ApplyProfileError};
pub use import_records::{FileAbout, ImportRecords, ImportRecordsCommand, ImportRecordsError, Imported};
pub use list_imports::ListImports;
pub use progress::{Progress, Reading};
pub use report::{Counts, ImportReport, MAX_LISTED, ReportNote};
pub use undo_import::{CancelImportError, Cancelled, NOTES_KEPT, UNDOING_IDLE, UndoImport, UndoImportError};
pub use undone::{KeptRecord, KeptWhat, KeptWhy, Undone, UndoneCounts};

#[cfg(test)]
mod tests;
