//! Bringing records in from files: known ones are recognised, nothing doubles, nothing is dropped in silence.

mod batch;
mod import_records;
mod intake_log;
mod profile;
mod recent;
mod report;
mod run;
mod session;
mod supplement;

pub use import_records::{ImportRecords, ImportRecordsCommand, ImportRecordsError};
pub use report::{Counts, ImportReport, MAX_LISTED};

#[cfg(test)]
mod tests;
