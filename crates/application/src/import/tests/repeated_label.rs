//! Labels of one file with the same id or the same key.

use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{
    at, intake, key, label, log, own_log, own_supplement, own_supplement_without_key, supplement,
    supplement_id,
};
use super::{ImportReport, counts, dry_run, import_file, of_person};
use crate::import::repetition::Repetition;
use crate::ports::import_source::ImportItem;
use crate::testing::person;
use domain::id::SupplementId;
use domain::supplement::IntakeLog;
use proptest::prelude::*;

/// A file with these items in its lines, in one batch and in several.
fn files(items: impl IntoIterator<Item = ImportItem>) -> [ItemFile; 2] {
    let lines: Vec<_> = (2..).zip(items).map(|(line, item)| at(line, item)).collect();
    [ItemFile::of_one_file(lines.clone()), ItemFile::of_one_file(lines).item_by_item()]
}

async fn import(store: &MemoryStore, file: &ItemFile) -> ImportReport {
    import_file(store, of_person(), file).await.unwrap()
}

/// Versions with key and whether they are current, and logs.
type Content = (Vec<(String, SupplementId, String, bool)>, Vec<IntakeLog>);

fn content(store: &MemoryStore) -> Content {
    let versions = store.content().supplements.into_iter();
    let mut versions: Vec<_> = versions
        .map(|(key, version, current)| {
            (key.key().to_owned(), version.id, version.label.name().to_owned(), current)
        })
        .collect();
    versions.sort();
    (versions, store.logs())
}

fn notes(report: &ImportReport) -> Vec<(&str, &str)> {
    report.notes.iter().map(|note| (note.place.as_str(), note.reason.as_str())).collect()
}

fn text(repetition: Repetition) -> String {
    repetition.note("").reason
}

#[tokio::test]
async fn an_id_that_two_labels_of_a_file_share_belongs_to_the_first() {
    let items = || {
        [
            own_supplement(4, "17", "Magnesium"),
            own_supplement(4, "18", "Zinc"),
            log(intake(supplement_id(4), 5, 1.0, None)),
        ]
    };
    for file in files(items()) {
        let store = MemoryStore::with(person());
        let report = import(&store, &file).await;
        assert_eq!((report.supplements, report.logs), (counts(2, 0, 0), counts(1, 0, 0)));
        assert_eq!(notes(&report), [("line 3", text(Repetition::Ambiguous).as_str())]);
        let magnesium = store.current(&key("17"));
        assert_eq!((magnesium.id, magnesium.label), (supplement_id(4), label("Magnesium")));
        assert_eq!(store.current(&key("18")).label, label("Zinc"));
        assert_eq!(store.logs()[0].record, intake(supplement_id(4), 5, 1.0, None));
        let before = content(&store);
        for _ in 0..2 {
            let again = import(&store, &file).await;
            assert_eq!((again.supplements, again.logs), (counts(0, 0, 2), counts(0, 0, 1)));
            assert_eq!(content(&store), before);
        }
    }
}

#[tokio::test]
async fn of_two_labels_with_one_id_and_key_the_first_is_stored_and_the_other_noted() {
    let pairs = [
        [own_supplement(4, "17", "Magnesium"), own_supplement(4, "17", "Magnesium Citrate")],
        [supplement("17", "Magnesium"), supplement("17", "Magnesium Citrate")],
        [own_supplement(4, "17", "Magnesium"), supplement("17", "Magnesium Citrate")],
        [supplement("17", "Magnesium"), own_supplement(4, "17", "Magnesium Citrate")],
    ];
    let [first, with_id] = pairs[3].clone();
    for file in files([first, with_id, log(intake(supplement_id(4), 5, 1.0, None))]) {
        let report = import(&MemoryStore::with(person()), &file).await;
        assert_eq!((report.logs, report.rejected_total), (counts(1, 0, 0), 0));
    }
    for file in pairs.into_iter().flat_map(files) {
        let store = MemoryStore::with(person());
        let would = import_file(&store, dry_run(), &file).await.unwrap();
        let report = import(&store, &file).await;
        assert_eq!(would, report);
        assert_eq!(report.supplements, counts(1, 0, 0));
        assert_eq!(notes(&report), [("line 3", text(Repetition::Repeated).as_str())]);
        let before = content(&store);
        assert_eq!(before.0.len(), 1);
        assert_eq!(store.current(&key("17")).label, label("Magnesium"));
        assert_eq!(import(&store, &file).await.supplements, counts(0, 0, 1));
        assert_eq!(content(&store), before);
    }
}

#[tokio::test]
async fn a_logged_label_that_a_file_repeats_with_another_text_gets_no_version() {
    let items = [
        own_supplement(4, "17", "Magnesium"),
        own_supplement(4, "17", "Magnesium Citrate"),
        own_log(1, intake(supplement_id(4), 5, 1.0, None)),
    ];
    for file in files(items) {
        let store = MemoryStore::with(person());
        import(&store, &file).await;
        let before = content(&store);
        for _ in 0..2 {
            let again = import(&store, &file).await;
            assert_eq!((again.supplements, again.logs), (counts(0, 0, 1), counts(0, 0, 1)));
            assert_eq!(content(&store), before);
        }
    }
}

#[tokio::test]
async fn a_label_that_a_file_has_with_and_without_its_catalogues_key_is_stored_once() {
    for name in ["Magnesium", "Magnesium Citrate"] {
        for items in [
            [own_supplement(4, "17", "Magnesium"), own_supplement_without_key(4, name)],
            [own_supplement_without_key(4, "Magnesium"), own_supplement(4, "17", name)],
        ] {
            let taken = own_log(1, intake(supplement_id(4), 5, 1.0, None));
            for file in files(items.into_iter().chain([taken])) {
                let store = MemoryStore::with(person());
                let report = import(&store, &file).await;
                assert_eq!((report.supplements, report.logs), (counts(1, 0, 0), counts(1, 0, 0)));
                assert_eq!(notes(&report), [("line 3", text(Repetition::Repeated).as_str())]);
                let before = content(&store);
                assert_eq!(before.0[0].1, supplement_id(4));
                for _ in 0..2 {
                    assert_eq!(import(&store, &file).await.supplements, counts(0, 0, 1));
                    assert_eq!(content(&store), before);
                }
            }
        }
    }
}

#[tokio::test]
async fn an_id_of_two_catalogues_belongs_to_the_first_though_a_record_lacks_a_key() {
    let items = [
        own_supplement_without_key(4, "Magnesium"),
        own_supplement(4, "17", "Magnesium"),
        own_supplement(4, "18", "Zinc"),
    ];
    for file in files(items) {
        let store = MemoryStore::with(person());
        let report = import(&store, &file).await;
        assert_eq!(report.supplements, counts(2, 0, 0));
        let expected = [text(Repetition::Repeated), text(Repetition::Ambiguous)];
        let mut reasons: Vec<_> = notes(&report).into_iter().map(|(_, reason)| reason).collect();
        reasons.sort_by_key(|reason| *reason == expected[1]);
        assert_eq!(reasons, expected);
        assert_ne!(store.current(&key("18")).id, supplement_id(4));
        assert_eq!(import(&store, &file).await.supplements, counts(0, 0, 2));
    }
}

#[tokio::test]
async fn a_logged_label_that_is_corrected_by_its_id_gets_a_version_under_its_key() {
    let store = MemoryStore::with(person());
    let taken = own_log(1, intake(supplement_id(4), 5, 1.0, None));
    let [first, _] = files([own_supplement(4, "17", "Magnesium"), taken]);
    import(&store, &first).await;
    for file in files([own_supplement_without_key(4, "Magnesium Citrate")]) {
        let report = import(&store, &file).await;
        assert_eq!(report.rejected_total, 0);
        assert_eq!(store.current(&key("17")).label, label("Magnesium Citrate"));
        assert_eq!((content(&store).0.len(), store.logs()[0].record.supplement_id()), (2, supplement_id(4)));
    }
}

#[tokio::test]
async fn versions_of_which_two_have_the_same_text_imported_again_change_nothing() {
    let items = [
        own_supplement(4, "17", "Magnesium"),
        own_supplement(5, "17", "Magnesium"),
        own_supplement(6, "17", "Magnesium Citrate"),
        log(intake(supplement_id(5), 5, 1.0, None)),
    ];
    for file in files(items) {
        let store = MemoryStore::with(person());
        let report = import(&store, &file).await;
        assert_eq!((report.supplements, report.logs), (counts(1, 1, 0), counts(1, 0, 0)));
        assert_eq!(notes(&report), [("line 3", text(Repetition::Repeated).as_str())]);
        assert_eq!(store.logs()[0].record.supplement_id(), supplement_id(4));
        let before = content(&store);
        for _ in 0..2 {
            let again = import(&store, &file).await;
            assert_eq!((again.supplements, again.logs), (counts(0, 0, 2), counts(0, 0, 1)));
            assert_eq!(content(&store), before);
            assert_eq!(store.current(&key("17")).id, supplement_id(6));
        }
    }
}

#[tokio::test]
async fn a_text_that_returns_is_a_version_of_its_own() {
    let versions = [(4, "Magnesium"), (5, "Magnesium Citrate"), (6, "Magnesium")];
    for file in files(versions.map(|(id, name)| own_supplement(id, "17", name))) {
        let store = MemoryStore::with(person());
        assert_eq!(import(&store, &file).await.supplements, counts(1, 2, 0));
        assert_eq!(import(&store, &file).await.supplements, counts(0, 0, 3));
        assert_eq!(store.current(&key("17")).id, supplement_id(6));
    }
}

#[tokio::test]
async fn the_id_of_a_stored_label_under_another_key_changes_nothing() {
    for (is_logged, has_key) in [(false, false), (false, true), (true, false), (true, true)] {
        let store = MemoryStore::with(person());
        let log = is_logged.then(|| own_log(1, intake(supplement_id(4), 5, 1.0, None)));
        let other = has_key.then(|| supplement("18", "Iron"));
        let labels = [own_supplement(4, "17", "Magnesium")].into_iter().chain(other);
        let [first, _] = files(labels.chain(log));
        import(&store, &first).await;
        let before = content(&store);
        for name in ["Zinc", "Magnesium"] {
            for file in files([own_supplement(4, "18", name), own_supplement(4, "17", "Magnesium")]) {
                let report = import(&store, &file).await;
                assert_eq!((report.supplements, report.rejected_total), (counts(0, 0, 1), 1));
                assert_eq!(report.rejected[0].place, "line 2");
                assert_eq!(content(&store), before);
            }
        }
    }
}

/// A label out of few.
fn any_label() -> impl Strategy<Value = ImportItem> {
    (0..5_u128, 0..3_u8, 0..3_u8).prop_map(|(id, key, name)| {
        let (key, name) = (key.to_string(), format!("Name {name}"));
        if id == 0 { supplement(&key, &name) } else { own_supplement(id, &key, &name) }
    })
}

/// Number of records that a report accounts for.
fn accounted(report: &ImportReport) -> u64 {
    let counts = [report.supplements, report.logs];
    let counted: u64 = counts.iter().map(|counts| counts.new + counts.updated + counts.unchanged).sum();
    let repeated = report.notes.iter().filter(|note| note.reason == text(Repetition::Repeated));
    counted + repeated.map(|note| note.count).sum::<u64>() + report.rejected_total
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn labels_of_a_file_imported_again_change_nothing(
        labels in prop::collection::vec(any_label(), 1..10), logged in prop::collection::vec(1..4_u128, 0..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let items = labels.len() + logged.len();
        let logs = logged.into_iter().map(|id| log(intake(supplement_id(id), 5, 1.0, None)));
        for file in files(labels.iter().cloned().chain(logs)) {
            let store = MemoryStore::with(person());
            let would = runtime.block_on(import_file(&store, dry_run(), &file)).unwrap();
            let first = runtime.block_on(import(&store, &file));
            prop_assert_eq!(&would, &first);
            prop_assert_eq!(accounted(&first), items as u64, "{:?}", first);
            let before = content(&store);
            for _ in 0..2 {
                let again = runtime.block_on(import(&store, &file));
                prop_assert_eq!(again.supplements, counts(0, 0, again.supplements.unchanged));
                prop_assert_eq!(again.logs, counts(0, 0, again.logs.unchanged));
                prop_assert_eq!(accounted(&again), items as u64, "{:?}", again);
                prop_assert_eq!(content(&store), before.clone());
            }
        }
    }
}
