//! Intakes of one file with the same id, key or time.

use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{at, intake, key, log, supplement};
use super::undo::undo;
use super::{ImportReport, counts, import_file, of_person};
use crate::import::repetition::Repetition;
use crate::ports::import_source::ImportItem;
use crate::testing::person;
use domain::id::SupplementId;

/// A store with one label, and its id.
async fn catalogue() -> (MemoryStore, SupplementId) {
    let store = MemoryStore::with(person());
    super::import(&store, [supplement("17", "Magnesium")]).await;
    let id = store.current(&key("17")).id;
    (store, id)
}

/// A file with these items in its lines, in one batch and in several.
fn files(items: impl IntoIterator<Item = ImportItem>) -> [ItemFile; 2] {
    let lines: Vec<_> = (2..).zip(items).map(|(line, item)| at(line, item)).collect();
    [ItemFile::of_one_file(lines.clone()), ItemFile::of_one_file(lines).item_by_item()]
}

async fn import(store: &MemoryStore, file: &ItemFile) -> ImportReport {
    import_file(store, of_person(), file).await.unwrap()
}

/// Number of records that are noted for this reason.
fn noted(report: &ImportReport, repetition: Repetition) -> u64 {
    let text = repetition.note("").reason;
    report.notes.iter().filter(|note| note.reason == text).map(|note| note.count).sum()
}

/// Returns servings and key of each log, sorted.
fn stored(store: &MemoryStore) -> Vec<(f64, Option<String>)> {
    let logs = store.logs().into_iter();
    let mut stored: Vec<_> = logs
        .map(|log| (log.record.servings().get(), log.record.external_key().map(str::to_owned)))
        .collect();
    stored.sort_by(|one, other| one.partial_cmp(other).unwrap());
    stored
}

#[tokio::test]
async fn of_intakes_of_one_time_in_a_file_the_first_is_stored_and_the_others_noted() {
    let (_, id) = catalogue().await;
    for name in [None, Some("a")] {
        let rows = [1.0, 2.0, 1.0].map(|servings| log(intake(id, 5, servings, name)));
        for file in files(rows) {
            let (store, _) = catalogue().await;
            let report = import(&store, &file).await;
            assert_eq!((report.logs, noted(&report, Repetition::Repeated)), (counts(1, 0, 0), 2));
            let first = store.content().imports.all.last().unwrap().id;
            let before = store.logs();
            assert_eq!(stored(&store), [(1.0, name.map(str::to_owned))]);
            for _ in 0..2 {
                let again = import(&store, &file).await;
                assert_eq!((again.logs, noted(&again, Repetition::Repeated)), (counts(0, 0, 1), 2));
                assert_eq!(store.logs(), before);
            }
            undo(&store, first).await.unwrap();
            assert_eq!(store.logs(), []);
        }
    }
}

#[tokio::test]
async fn a_later_import_corrects_the_intake_of_an_earlier_one() {
    let (store, id) = catalogue().await;
    for servings in [1.0, 2.0] {
        for file in files([log(intake(id, 5, servings, None))]) {
            import(&store, &file).await;
            assert_eq!(stored(&store), [(servings, None)]);
        }
    }
}
