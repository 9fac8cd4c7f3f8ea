use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{
    at, intake, key, label, log, minute, own_log, own_supplement, supplement, supplement_id,
};
use super::{counts, import, import_file, of_person};
use crate::ports::import_source::ImportItem;
use crate::testing::{noon, person};
use domain::id::SupplementId;
use proptest::prelude::*;

/// A store with one label under the key 17, without logs.
async fn catalogue() -> MemoryStore {
    let store = MemoryStore::with(person());
    import(&store, [supplement("17", "Magnesium")]).await;
    store
}

/// Like [`catalogue`], with one log.
async fn logged_catalogue() -> MemoryStore {
    let store = catalogue().await;
    let taken = intake(store.current(&key("17")).id, 5, 1.0, None);
    import(&store, [log(taken)]).await;
    store
}

#[tokio::test]
async fn a_new_label_without_an_entry_date_gets_the_current_time() {
    let store = catalogue().await;
    assert_eq!(store.current(&key("17")).label, label("Magnesium"));
    assert_eq!(store.current(&key("17")).entry_date, noon());
}

#[tokio::test]
async fn a_duplicate_label_in_a_file_is_counted_once() {
    let store = MemoryStore::with(person());
    let report = import(&store, [supplement("17", "Magnesium"), supplement("17", "Magnesium")]).await;
    assert_eq!(report.supplements, counts(1, 0, 0));
    assert_eq!(store.content().supplements.len(), 1);
}

#[tokio::test]
async fn the_same_label_again_is_unchanged() {
    let store = logged_catalogue().await;
    assert_eq!(import(&store, [supplement("17", "Magnesium")]).await.supplements, counts(0, 0, 1));
}

#[tokio::test]
async fn a_corrected_label_without_logs_is_updated_in_place() {
    let store = catalogue().await;
    let id = store.current(&key("17")).id;
    let report = import(&store, [supplement("17", "Magnesium Citrate")]).await;
    assert_eq!(report.supplements, counts(0, 1, 0));
    let current = store.current(&key("17"));
    assert_eq!((current.id, current.label), (id, label("Magnesium Citrate")));
    assert_eq!(store.content().supplements.len(), 1);
}

#[tokio::test]
async fn a_corrected_label_with_logs_becomes_a_separate_version() {
    let store = logged_catalogue().await;
    let old = store.current(&key("17"));
    let report = import(&store, [supplement("17", "Magnesium Citrate")]).await;
    assert_eq!(report.supplements, counts(0, 1, 0));
    let current = store.current(&key("17"));
    assert_ne!(current.id, old.id);
    assert_eq!(current.label, label("Magnesium Citrate"));
    // Existing logs still refer to the old version.
    assert_eq!(store.logs()[0].record.supplement_id(), old.id);
    assert!(store.content().supplements.iter().any(|(_, version, _)| *version == old));
}

#[tokio::test]
async fn importing_a_corrected_label_again_creates_no_further_version() {
    let store = logged_catalogue().await;
    import(&store, [supplement("17", "Magnesium Citrate")]).await;
    let report = import(&store, [supplement("17", "Magnesium Citrate")]).await;
    assert_eq!(report.supplements, counts(0, 0, 1));
    assert_eq!(store.content().supplements.len(), 2);
}

#[tokio::test]
async fn the_labels_of_an_own_export_keep_id_and_date() {
    let store = MemoryStore::with(person());
    import(&store, [own_supplement(4, "17", "Magnesium")]).await;
    let current = store.current(&key("17"));
    assert_eq!((current.id, current.entry_date), (supplement_id(4), minute(3)));
}

/// An own export with a replaced and a current version, each with a log.
fn versions() -> [ImportItem; 4] {
    [
        own_supplement(4, "17", "Magnesium"),
        own_supplement(5, "17", "Magnesium Citrate"),
        own_log(1, intake(supplement_id(4), 5, 1.0, None)),
        own_log(2, intake(supplement_id(5), 6, 1.0, None)),
    ]
}

#[tokio::test]
async fn all_versions_of_a_restwell_export_are_restored_and_the_last_is_current() {
    let store = MemoryStore::with(person());
    let report = import(&store, versions()).await;
    assert_eq!((report.supplements.new + report.supplements.updated, report.rejected_total), (2, 0));
    assert_eq!(store.content().supplements.len(), 2);
    assert_eq!(store.current(&key("17")).id, supplement_id(5));
    let taken: Vec<_> = store.logs().iter().map(|log| log.record.supplement_id()).collect();
    assert_eq!(taken, [supplement_id(4), supplement_id(5)]);
}

#[tokio::test]
async fn an_own_export_with_several_versions_read_again_changes_nothing() {
    let store = MemoryStore::with(person());
    import(&store, versions()).await;
    let before = (store.content().supplements, store.logs());
    let report = import(&store, versions()).await;
    assert_eq!((report.supplements, report.logs), (counts(0, 0, 2), counts(0, 0, 2)));
    assert_eq!((store.content().supplements, store.logs()), before);
}

#[tokio::test]
async fn a_label_of_an_own_export_that_the_catalogue_has_keeps_the_catalogues_id() {
    let store = catalogue().await;
    let known = store.current(&key("17"));
    let report = import(&store, [own_supplement(4, "17", "Magnesium")]).await;
    assert_eq!(report.supplements, counts(0, 0, 1));
    assert_eq!(store.current(&key("17")), known);
}

/// An own export with an edited label that has a log.
fn edited() -> [ImportItem; 2] {
    [own_supplement(4, "17", "Magnesium, rewritten"), own_log(1, intake(supplement_id(4), 5, 1.0, None))]
}

async fn store_before_the_edit() -> MemoryStore {
    let store = MemoryStore::with(person());
    import(&store, [own_supplement(4, "17", "Magnesium"), edited()[1].clone()]).await;
    store
}

#[tokio::test]
async fn a_rewritten_label_becomes_a_version_and_the_log_stays_with_the_old_one() {
    let store = store_before_the_edit().await;
    let report = import(&store, edited()).await;
    assert_eq!((report.supplements, report.logs), (counts(0, 1, 0), counts(0, 0, 1)));
    assert_eq!(store.current(&key("17")).label, label("Magnesium, rewritten"));
    assert_eq!(store.logs()[0].record.supplement_id(), supplement_id(4));
}

#[tokio::test]
async fn importing_a_rewritten_label_again_creates_no_further_version() {
    let store = store_before_the_edit().await;
    import(&store, edited()).await;
    let report = import(&store, edited()).await;
    assert_eq!(report.supplements, counts(0, 0, 1));
    assert_eq!(store.content().supplements.len(), 2);
}

#[tokio::test]
async fn a_label_with_the_id_of_a_logged_one_under_another_key_replaces_nothing() {
    let store = logged_catalogue().await;
    let known = store.current(&key("17"));
    let mut stranger = own_supplement(4, "99", "Zinc");
    if let ImportItem::Supplement(supplement) = &mut stranger {
        supplement.id = Some(known.id);
    }
    let report = import(&store, [at(7, stranger), supplement("18", "Iron")]).await;
    assert_eq!((report.supplements, report.rejected_total), (counts(1, 0, 0), 1));
    assert_eq!(report.rejected[0].place, "line 7");
    assert_eq!(store.current(&key("17")), known);
}

#[tokio::test]
async fn new_labels_cost_one_look_up_and_one_insertion_a_batch() {
    let store = MemoryStore::with(person());
    import(&store, (0..50).map(|number| supplement(&number.to_string(), "Magnesium"))).await;
    let calls = ["supplements.find", "supplements.find_current_many", "supplements.insert"];
    assert_eq!(calls.map(|call| store.calls().count(call)), [0, 1, 1]);
    assert_eq!(store.content().supplements.len(), 50);
}

/// A label out of few, so that labels of a batch collide by id and by key.
fn any_label() -> impl Strategy<Value = ImportItem> {
    let text = |key: u8| key.to_string();
    prop_oneof![
        (0..3_u8, 0..3_u8).prop_map(move |(key, name)| supplement(&text(key), &format!("Name {name}"))),
        (1..4_u128, 0..3_u8, 0..3_u8).prop_map(move |(id, key, name)| own_supplement(
            id,
            &text(key),
            &format!("Name {name}")
        )),
    ]
}

/// Returns the catalogue: key, name, whether current, and id if from a file.
fn catalogue_of(store: &MemoryStore) -> Vec<(String, String, bool, Option<SupplementId>)> {
    let given: Vec<_> = (1..4).map(supplement_id).collect();
    let versions = store.content().supplements.into_iter().map(|(key, version, is_current)| {
        let id = Some(version.id).filter(|id| given.contains(id));
        (key.key().to_owned(), version.label.name().to_owned(), is_current, id)
    });
    let mut versions: Vec<_> = versions.collect();
    versions.sort();
    versions
}

proptest! {
    #[test]
    fn labels_have_the_same_result_in_one_batch_as_in_many(
        labels in prop::collection::vec(any_label(), 1..10), logged in prop::option::of(1..4_u128),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let prepared = || async {
            let store = MemoryStore::with(person());
            if let Some(logged) = logged {
                let taken = log(intake(supplement_id(logged), 5, 1.0, None));
                import(&store, [own_supplement(logged, "0", "Name 0"), taken]).await;
            }
            store
        };
        let (together, singly) = runtime.block_on(async { (prepared().await, prepared().await) });
        let mut report = runtime.block_on(import(&together, labels.clone()));
        let one_by_one = ItemFile::new(labels).item_by_item();
        let mut expected = runtime.block_on(import_file(&singly, of_person(), &one_by_one)).unwrap();
        // The notes of a batch are in another order.
        for report in [&mut report, &mut expected] {
            report.notes.sort_by(|one, other| one.reason.cmp(&other.reason));
        }
        prop_assert_eq!(report, expected);
        prop_assert_eq!(catalogue_of(&together), catalogue_of(&singly));
    }
}
