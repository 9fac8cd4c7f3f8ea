//! Imports of records from files. Existing records are matched, nothing is stored twice, and whatever is
//! skipped is reported.

mod apply_profile;
mod attempt;
mod batch;
mod batch_result;
mod batch_writer;
mod checking;
mod deferred;
mod import_records;
pub mod ingest;
mod intake_log;
mod known;
mod known_logs;
mod list_imports;
mod log_match;
mod met_labels;
mod profile;
mod progress;
mod reading;
mod recent;
pub(crate) mod rejection;
mod repetition;
mod report;
mod run;
mod session;
mod session_index;
mod session_order;
pub(crate) mod stored_import;
mod supplement;
mod undo_import;
mod undone;

pub use apply_profile::{ApplyProfile, ApplyProfileError};
pub use import_records::{FileInfo, ImportRecords, ImportRecordsCommand, ImportRecordsError, Imported};
pub use list_imports::ListImports;
pub use progress::{ImportPass, Progress};
pub use rejection::{Note, Rejection};
pub use report::{Counts, ImportReport, MAX_LISTED, ReportNote};
pub use stored_import::{Import, RECORDING_FORMAT};
pub use undo_import::{CancelImportError, Cancelled, UNDOING_IDLE, UndoImport, UndoImportError};
pub use undone::{KeptItem, KeptReason, KeptRecord, UndoCounts, Undone};

#[cfg(test)]
mod tests;
