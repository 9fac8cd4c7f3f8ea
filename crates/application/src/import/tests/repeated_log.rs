//! Intakes of one file with the same id, key or time.

use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{at, intake, key, log, own_log, own_supplement, supplement, supplement_id};
use super::undo::undo;
use super::{ImportReport, counts, dry_run, import_file, of_person};
use crate::import::repetition::Repetition;
use crate::ports::import_source::ImportItem;
use crate::testing::person;
use domain::id::SupplementId;
use proptest::prelude::*;

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

/// A folder with one of these items in each file, in one batch and in several.
fn folders(items: [ImportItem; 2]) -> [ItemFile; 2] {
    [ItemFile::new(items.clone()), ItemFile::new(items).item_by_item()]
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
    let mut stored: Vec<_> =
        logs.map(|log| (log.record.servings().get(), log.record.external_key().map(str::to_owned))).collect();
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
async fn an_intake_that_two_files_of_a_folder_dispute_is_unchanged_in_a_reimport() {
    let (_, id) = catalogue().await;
    for [one, other] in [
        [2.0, 1.0].map(|servings| log(intake(id, 5, servings, None))),
        [2.0, 1.0].map(|servings| log(intake(id, 5, servings, Some("a")))),
        [50, 5].map(|at| log(intake(id, at, 1.0, Some("a")))),
        [50, 5].map(|at| own_log(1, intake(id, at, 1.0, None))),
    ] {
        for folder in folders([one, other.clone()]) {
            let (store, expected) = (catalogue().await.0, catalogue().await.0);
            super::import(&expected, [other.clone()]).await;
            assert_eq!(import(&store, &folder).await.logs, counts(1, 0, 0));
            assert_eq!(stored(&store), stored(&expected));
            let before = store.logs();
            for _ in 0..2 {
                let would = import_file(&store, dry_run(), &folder).await.unwrap();
                let again = import(&store, &folder).await;
                assert_eq!((would.logs, again.logs), (counts(0, 0, 1), counts(0, 0, 1)));
                assert!(!again.changed_anything());
                assert_eq!(store.logs(), before);
            }
        }
    }
}

#[tokio::test]
async fn an_intake_that_the_second_file_of_a_folder_corrects_is_updated() {
    let (_, id) = catalogue().await;
    for servings in [[1.0, 2.0], [3.0, 2.0]] {
        for folder in folders(servings.map(|servings| log(intake(id, 5, servings, None)))) {
            let (store, _) = catalogue().await;
            super::import(&store, [log(intake(id, 5, 1.0, None))]).await;
            let would = import_file(&store, dry_run(), &folder).await.unwrap();
            let report = import(&store, &folder).await;
            assert_eq!((would.logs, report.logs), (counts(0, 1, 0), counts(0, 1, 0)));
            let last = store.content().imports.all.last().unwrap().id;
            undo(&store, last).await.unwrap();
            assert_eq!(stored(&store), [(1.0, None)]);
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

/// Imports a file of different intakes twice; asserts that all are stored, and none changes.
async fn assert_all_stored(store: &MemoryStore, file: &ItemFile, number: usize) {
    import(store, file).await;
    let before = store.logs();
    assert_eq!(before.len(), number);
    for _ in 0..2 {
        let again = import(store, file).await;
        assert_eq!(again.logs, counts(0, 0, number as u64), "{again:?}");
        assert_eq!(noted(&again, Repetition::Repeated), 0);
        assert_eq!(store.logs(), before);
    }
}

#[tokio::test]
async fn intakes_of_one_time_with_and_without_a_key_are_both_stored() {
    let (_, id) = catalogue().await;
    for named in [log(intake(id, 5, 1.0, Some("a"))), own_log(1, intake(id, 5, 1.0, None))] {
        for servings in [1.0, 2.0] {
            let rows = [named.clone(), log(intake(id, 5, servings, None))];
            for order in [[0, 1], [1, 0]] {
                for file in files(order.map(|place: usize| rows[place].clone())) {
                    let (store, _) = catalogue().await;
                    assert_all_stored(&store, &file, 2).await;
                    let mut servings = [1.0, servings];
                    servings.sort_by(f64::total_cmp);
                    let found: Vec<_> = stored(&store).into_iter().map(|(servings, _)| servings).collect();
                    assert_eq!(found, servings);
                }
            }
        }
    }
}

#[tokio::test]
async fn an_intake_that_lost_a_shared_key_is_stored_beside_one_with_a_key() {
    let (_, id) = catalogue().await;
    let taken = |at, servings, name| log(intake(id, at, servings, Some(name)));
    let rows = [taken(5, 1.0, "a"), taken(50, 2.0, "a"), taken(50, 3.0, "b")];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for file in files(order.map(|place: usize| rows[place].clone())) {
            let (store, _) = catalogue().await;
            assert_all_stored(&store, &file, 3).await;
        }
    }
}

#[tokio::test]
async fn an_intake_with_a_key_and_one_without_in_a_file_are_counted_separately() {
    let (_, id) = catalogue().await;
    let stored = [log(intake(id, 5, 4.0, Some("a")))];
    let rows = [log(intake(id, 5, 2.0, None)), log(intake(id, 5, 1.0, Some("a")))];
    for file in files(rows) {
        let (store, _) = catalogue().await;
        super::import(&store, stored.clone()).await;
        let would = import_file(&store, dry_run(), &file).await.unwrap();
        let report = import(&store, &file).await;
        assert_eq!((would.logs, report.logs), (counts(1, 1, 0), counts(1, 1, 0)));
    }
}

#[tokio::test]
async fn a_file_with_a_stored_intake_and_one_without_its_key_keeps_both() {
    let (_, id) = catalogue().await;
    let rows = [log(intake(id, 5, 1.0, Some("a"))), log(intake(id, 5, 2.0, None))];
    for (earlier, order) in [(0, [0, 1]), (0, [1, 0]), (1, [0, 1]), (1, [1, 0])] {
        for file in files(order.map(|place: usize| rows[place].clone())) {
            let (store, _) = catalogue().await;
            let earlier = log(intake(id, 5, 4.0, [Some("a"), None][earlier]));
            let [earlier, _] = files([earlier]);
            import(&store, &earlier).await;
            assert_all_stored(&store, &file, 2).await;
            assert_eq!(stored(&store), [(1.0, Some("a".to_owned())), (2.0, None)]);
        }
    }
}

/// An intake out of few, with an id, with a key or with neither.
fn any_intake(id: SupplementId) -> impl Strategy<Value = ImportItem> {
    let key = prop_oneof![Just(None), Just(Some("a")), Just(Some("b"))];
    (0..3_u128, key, prop_oneof![Just(5), Just(50)], 1..3_u8).prop_map(move |(number, key, at, servings)| {
        let record = |key| intake(id, at, f64::from(servings), key);
        if number == 0 { log(record(key)) } else { own_log(number, record(None)) }
    })
}

/// Number of intakes that a report accounts for.
fn accounted(report: &ImportReport) -> u64 {
    let counted = report.logs.new + report.logs.updated + report.logs.unchanged;
    counted + noted(report, Repetition::Repeated) + report.rejected_total
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn intakes_of_a_file_imported_again_change_nothing(
        rows in prop::collection::vec(any_intake(supplement_id(4)), 1..8),
        earlier in prop::collection::vec(any_intake(supplement_id(4)), 0..3),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for file in files(rows.iter().cloned()) {
                let store = MemoryStore::with(person());
                super::import(&store, [own_supplement(4, "17", "Magnesium")]).await;
                for item in earlier.clone() {
                    import(&store, &ItemFile::of_one_file([item])).await;
                }
                let would = import_file(&store, dry_run(), &file).await.unwrap();
                let first = import(&store, &file).await;
                prop_assert_eq!(&would, &first);
                prop_assert_eq!(accounted(&first), rows.len() as u64, "{:?}", first);
                let before = store.logs();
                for _ in 0..2 {
                    let again = import(&store, &file).await;
                    prop_assert_eq!(accounted(&again), rows.len() as u64, "{:?}", again);
                    prop_assert_eq!((again.logs.new, again.logs.updated), (0, 0), "{:?}", again);
                    prop_assert_eq!(store.logs(), before.clone());
                }
            }
            Ok(())
        })?;
    }
}
