//! Bringing records in from files: known ones are recognised, nothing doubles, nothing is dropped in silence.

mod import_records;
mod intake_log;
mod profile;
mod report;
mod session;
mod supplement;

use import_records::Run;
pub use import_records::{ImportRecords, ImportRecordsCommand, ImportRecordsError};
pub use report::{Counts, ImportReport, MAX_LISTED};

#[cfg(test)]
mod tests;
