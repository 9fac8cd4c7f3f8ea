//! Tests of imports against an in-memory store.

mod apply_profile;
mod cancel;
mod concurrency;
mod dry_run;
mod file;
mod ingest;
mod known;
mod log;
mod memory_imports;
mod memory_store;
mod met_labels;
mod one_file;
mod outage;
mod profile;
pub(super) mod record;
mod reimport;
mod repeated_label;
mod repeated_log;
mod resume;
mod run;
mod session;
mod session_index;
mod session_order;
mod supplement;
mod undo;
mod undo_order;

use super::{Counts, FileInfo, ImportRecords, ImportRecordsCommand, ImportRecordsError, ImportReport};
use crate::ports::import_source::{ImportFile, ImportItem};
use crate::testing::user_id;
use domain::import::FileName;
use domain::time::TimeZone;
use file::ItemFile;
use memory_store::MemoryStore;
use std::ops::ControlFlow;

/// The command shared by these tests, without a user.
fn for_real() -> ImportRecordsCommand {
    let name = FileName::clean("items.json");
    let about = FileInfo::File { name, zone: TimeZone::UTC };
    ImportRecordsCommand { user_id: None, dry_run: false, overwrite_profile: false, about }
}

fn of_person() -> ImportRecordsCommand {
    ImportRecordsCommand { user_id: Some(user_id(1)), ..for_real() }
}

fn dry_run() -> ImportRecordsCommand {
    ImportRecordsCommand { dry_run: true, ..of_person() }
}

async fn import_file(
    store: &MemoryStore,
    command: ImportRecordsCommand,
    file: &dyn ImportFile,
) -> Result<ImportReport, ImportRecordsError> {
    let import = ImportRecords { store: store.store(), pause: None };
    let imported = import.run(&command, file, &|_, _| ControlFlow::Continue(())).await;
    imported.map(|imported| imported.report)
}

/// Imports these records for the user.
async fn import(store: &MemoryStore, items: impl IntoIterator<Item = ImportItem>) -> ImportReport {
    import_file(store, of_person(), &ItemFile::new(items)).await.unwrap()
}

fn counts(new: u64, updated: u64, unchanged: u64) -> Counts {
    Counts { new, updated, unchanged }
}
