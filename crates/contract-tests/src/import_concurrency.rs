//! Concurrent imports of one file.

use crate::Harness;
use crate::fixture::{catalogue_key, label, session, user, user_id};
use crate::import_journal;
use crate::service::import_records;
use application::import::{Counts, FileInfo, ImportRecordsCommand, Imported};
use application::ports::import_source::{
    ImportFile, ImportItem, ImportRefusal, ImportSource, ImportedSession, ImportedSupplement, ReadProgress,
};
use domain::id::UserId;
use domain::import::{FileDigest, FileName, RecordPosition};
use domain::sleep::SleepSession;
use domain::time::TimeZone;
use std::ops::ControlFlow;

/// Number of records of each kind in the file, and number of records in a batch.
const RECORDS: u64 = 40;
const BATCH: usize = 7;

/// File that is read in small batches.
#[derive(Clone)]
pub(crate) struct SmallBatches(pub(crate) Vec<ImportItem>);

impl ImportFile for SmallBatches {
    fn open(&self) -> Result<Box<dyn ImportSource>, ImportRefusal> {
        Ok(Box::new(self.clone()))
    }

    fn size(&self) -> Option<u64> {
        None
    }

    fn digest(&self) -> Result<FileDigest, ImportRefusal> {
        Ok(FileDigest::from_bytes([5; 32]))
    }

    fn formats(&self) -> Vec<&'static str> {
        vec!["items"]
    }
}

impl ImportSource for SmallBatches {
    fn read_batch(&mut self, _: usize, _: ReadProgress<'_>) -> Result<Vec<ImportItem>, ImportRefusal> {
        let rest = self.0.split_off(BATCH.min(self.0.len()));
        Ok(std::mem::replace(&mut self.0, rest))
    }

    fn check(&mut self, _: ReadProgress<'_>) -> Result<(), ImportRefusal> {
        Ok(())
    }

    fn bytes_read(&self) -> u64 {
        0
    }
}

fn night(number: u64) -> SleepSession {
    // All of them in the past.
    session(number, 1_440 * (i64::try_from(number).unwrap() - 600))
}

pub(crate) fn nights() -> SmallBatches {
    let item = |number| {
        let record = night(number).record;
        let (place, position) = (number.to_string(), RecordPosition::default());
        let session = ImportedSession { place, position, id: None, record, updated_at: None };
        ImportItem::Session(Box::new(session))
    };
    SmallBatches((1..=RECORDS).map(item).collect())
}

fn labels() -> SmallBatches {
    let item = |number: u64| {
        let label = label(&format!("Label {number}"));
        let (place, key) = (number.to_string(), catalogue_key(number));
        ImportItem::Supplement(Box::new(ImportedSupplement {
            place,
            file: 0,
            id: None,
            key,
            label,
            entry_date: None,
        }))
    };
    SmallBatches((1..=RECORDS).map(item).collect())
}

/// Imports the file four times concurrently.
async fn at_once(harness: &Harness, file: &SmallBatches, user_id: Option<UserId>) -> Vec<Imported> {
    let imports = [(); 4].map(|()| {
        let (import, file) = (import_records(harness), file.clone());
        let about = FileInfo::File { name: FileName::clean("items"), zone: TimeZone::UTC };
        let command = ImportRecordsCommand { user_id, dry_run: false, overwrite_profile: false, about };
        tokio::spawn(
            async move { import.run(&command, &file, &|_, _| ControlFlow::Continue(())).await.unwrap() },
        )
    });
    let mut done = Vec::new();
    for import in imports {
        done.push(import.await.unwrap());
    }
    done
}

async fn undo_all(harness: &Harness, imports: &[Imported]) {
    let mut ids: Vec<_> = imports.iter().map(|import| import.id.unwrap()).collect();
    ids.sort();
    ids.dedup();
    for id in ids {
        import_journal::imports(harness).undo(id, None).await.unwrap();
    }
}

/// Checks that each record was counted as new by the import that stored it. An import that starts while
/// another one is storing may also count the records stored so far, as if it resumed an aborted import.
fn assert_counted(all: impl Iterator<Item = Counts> + Clone) {
    assert!(all.clone().all(|Counts { new, updated, unchanged }| new + unchanged == RECORDS && updated == 0));
    assert!(all.map(|counts| counts.new).sum::<u64>() >= RECORDS);
}

pub(crate) async fn nights_of_one_file_are_stored_once_and_undone_as_one_import(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let before = night(500);
    harness.store_sessions(user_id(1), std::slice::from_ref(&before)).await;
    let imports = at_once(harness, &nights(), Some(user_id(1))).await;
    assert!(imports.iter().all(|import| import.report.rejected_total == 0), "{imports:?}");
    assert_counted(imports.iter().map(|import| import.report.sessions));
    let walked = harness.sleep.walk(user_id(1), None, 1_000).await.unwrap();
    assert_eq!(walked.len(), usize::try_from(RECORDS).unwrap() + 1);
    let expected: Vec<_> = (1..=RECORDS).map(|number| night(number).record).collect();
    let stored: Vec<_> = walked.into_iter().map(|session| session.record).collect();
    assert!(expected.iter().all(|record| stored.contains(record)));
    undo_all(harness, &imports).await;
    assert_eq!(harness.sleep.walk(user_id(1), None, 1_000).await.unwrap(), [before]);
}

pub(crate) async fn labels_of_one_file_are_stored_once_and_undone_without_a_trace(harness: &Harness) {
    let imports = at_once(harness, &labels(), None).await;
    assert!(imports.iter().all(|import| import.report.rejected_total == 0), "{imports:?}");
    assert_counted(imports.iter().map(|import| import.report.supplements));
    let keys: Vec<_> = (1..=RECORDS).map(catalogue_key).collect();
    let mut unit = harness.begin().await;
    let found = unit.supplements().find_current_many(&keys).await.unwrap();
    unit.rollback().await.unwrap();
    assert_eq!(found.len(), keys.len());
    undo_all(harness, &imports).await;
    let left = harness.begin().await.supplements().find_current_many(&keys).await.unwrap();
    assert_eq!(left, []);
}
