use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{
    at, intake, key, log, log_by_code, log_id, minute, own_log, own_supplement, supplement, supplement_id,
    supplement_with_code,
};
use super::{counts, import, import_file, of_person};
use crate::import::repetition::Repetition;
use crate::ports::import_source::{ImportItem, ImportedLog};
use crate::testing::{noon, person};
use domain::id::SupplementId;

/// A store with one label, and its id.
async fn catalogue() -> (MemoryStore, SupplementId) {
    let store = MemoryStore::with(person());
    import(&store, [supplement("17", "Magnesium")]).await;
    let id = store.current(&key("17")).id;
    (store, id)
}

#[tokio::test]
async fn a_new_log_is_stored_for_the_person() {
    let (store, id) = catalogue().await;
    let report = import(&store, [log(intake(id, 5, 2.0, Some("a")))]).await;
    assert_eq!(report.logs, counts(1, 0, 0));
    assert_eq!(store.logs()[0].record, intake(id, 5, 2.0, Some("a")));
    assert_eq!(store.content().logs[0].0, person().id);
}

#[tokio::test]
async fn a_log_and_its_supplement_can_be_in_the_same_file() {
    let store = MemoryStore::with(person());
    let taken = intake(supplement_id(4), 5, 1.0, None);
    let report = import(&store, [log(taken.clone()), own_supplement(4, "17", "Magnesium")]).await;
    assert_eq!((report.supplements, report.logs), (counts(1, 0, 0), counts(1, 0, 0)));
    assert_eq!(store.logs()[0].record, taken);
}

#[tokio::test]
async fn a_log_of_an_unknown_supplement_is_rejected_alone_and_with_its_location() {
    let (store, id) = catalogue().await;
    let record = intake(supplement_id(9), 5, 1.0, None);
    let unknown = ImportedLog { place: "line 42".to_owned(), file: 0, id: None, upc: None, record };
    let items =
        [log(intake(id, 1, 1.0, None)), ImportItem::Log(Box::new(unknown)), log(intake(id, 9, 1.0, None))];
    let report = import(&store, items).await;
    assert_eq!((report.logs, report.rejected_total), (counts(2, 0, 0), 1));
    assert_eq!(report.rejected[0].place, "line 42");
    assert!(report.rejected[0].reason.contains("supplement"));
    assert_eq!(store.logs().len(), 2);
}

#[tokio::test]
async fn a_log_with_a_product_code_refers_to_the_label_with_that_code() {
    let store = MemoryStore::with(person());
    let coded = supplement_with_code("17", "Magnesium", "0 36000 29145 2");
    import(&store, [supplement("16", "Zinc"), coded]).await;
    let id = store.current(&key("17")).id;
    let taken = |minute, code| log_by_code(code, intake(supplement_id(9), minute, 1.0, None));
    let other = log_by_code("4006381333931", intake(supplement_id(8), 7, 1.0, None));
    let report = import(&store, [taken(5, "036000291452"), other.clone(), taken(6, "36000291452")]).await;
    assert_eq!((report.logs, report.rejected_total), (counts(2, 0, 0), 1));
    assert!(report.rejected[0].reason.contains("no label in the catalogue has the upc"));
    assert!(store.logs().iter().all(|log| log.record.supplement_id() == id));
    let again = import(&store, [taken(5, "0036000291452")]).await;
    assert_eq!(again.logs, counts(0, 0, 1));
}

#[tokio::test]
async fn a_duplicate_log_in_a_file_is_counted_once() {
    let (store, id) = catalogue().await;
    let taken = || log(intake(id, 5, 1.0, None));
    assert_eq!(import(&store, [taken(), taken()]).await.logs, counts(1, 0, 0));
    assert_eq!(store.logs().len(), 1);
}

#[tokio::test]
async fn the_same_log_again_is_unchanged_and_not_written() {
    let (store, id) = catalogue().await;
    let taken = || [log(intake(id, 5, 1.0, None)), log(intake(id, 6, 1.0, Some("a")))];
    import(&store, taken()).await;
    let before = store.logs();
    assert_eq!(import(&store, taken()).await.logs, counts(0, 0, 2));
    assert_eq!(store.logs(), before);
    assert_eq!(store.calls().count("logs.update"), 0);
}

#[tokio::test]
async fn a_log_is_recognised_by_the_clients_key_after_it_moved() {
    let (store, id) = catalogue().await;
    import(&store, [log(intake(id, 5, 1.0, Some("a")))]).await;
    let before = store.logs()[0].id;
    let report = import(&store, [log(intake(id, 50, 3.0, Some("a")))]).await;
    assert_eq!(report.logs, counts(0, 1, 0));
    assert_eq!(store.logs().len(), 1);
    assert_eq!((store.logs()[0].id, &store.logs()[0].record), (before, &intake(id, 50, 3.0, Some("a"))));
}

#[tokio::test]
async fn simultaneous_logs_with_different_keys_are_distinct() {
    let (store, id) = catalogue().await;
    let items = [log(intake(id, 5, 1.0, Some("a"))), log(intake(id, 5, 1.0, Some("b")))];
    assert_eq!(import(&store, items).await.logs, counts(2, 0, 0));
    assert_eq!(store.logs().len(), 2);
}

#[tokio::test]
async fn without_a_key_a_log_is_identified_by_supplement_and_time() {
    let (store, id) = catalogue().await;
    import(&store, [log(intake(id, 5, 1.0, None))]).await;
    let report = import(&store, [log(intake(id, 5, 2.0, None)), log(intake(id, 6, 2.0, None))]).await;
    assert_eq!(report.logs, counts(1, 1, 0));
    let servings: Vec<_> = store.logs().iter().map(|log| log.record.servings().get()).collect();
    assert_eq!(servings, [2.0, 2.0]);
}

#[tokio::test]
async fn a_log_keeps_its_key_when_a_record_without_one_changes_it() {
    let (store, id) = catalogue().await;
    import(&store, [log(intake(id, 5, 1.0, Some("a")))]).await;
    assert_eq!(import(&store, [log(intake(id, 5, 1.0, None))]).await.logs, counts(0, 0, 1));
    assert_eq!(import(&store, [log(intake(id, 5, 2.0, None))]).await.logs, counts(0, 1, 0));
    assert_eq!(
        store.logs().iter().map(|log| &log.record).collect::<Vec<_>>(),
        [&intake(id, 5, 2.0, Some("a"))]
    );
}

#[tokio::test]
async fn a_later_version_in_a_batch_replaces_the_pending_one() {
    let (store, id) = catalogue().await;
    let items = [log(intake(id, 5, 1.0, None)), log(intake(id, 5, 2.0, None))];
    assert_eq!(import(&store, items).await.logs, counts(1, 0, 0));
    assert_eq!(store.logs().len(), 1);
    assert_eq!(store.logs()[0].record, intake(id, 5, 2.0, None));
}

#[tokio::test]
async fn the_logs_of_an_own_export_keep_their_ids() {
    let (store, id) = catalogue().await;
    let items = || [own_log(1, intake(id, 5, 1.0, None)), own_log(2, intake(id, 6, 1.0, Some("a")))];
    assert_eq!(import(&store, items()).await.logs, counts(2, 0, 0));
    assert_eq!(store.logs().iter().map(|log| log.id).collect::<Vec<_>>(), [log_id(1), log_id(2)]);
    assert_eq!(import(&store, items()).await.logs, counts(0, 0, 2));
}

#[tokio::test]
async fn a_log_of_a_restwell_export_is_recognised_by_its_id_after_it_moved() {
    let (store, id) = catalogue().await;
    import(&store, [own_log(1, intake(id, 5, 1.0, None))]).await;
    assert_eq!(import(&store, [own_log(1, intake(id, 50, 3.0, None))]).await.logs, counts(0, 1, 0));
    assert_eq!(store.logs().len(), 1);
    assert_eq!(store.logs()[0].record, intake(id, 50, 3.0, None));
}

#[tokio::test]
async fn two_equal_log_entries_of_a_restwell_export_are_not_merged() {
    let (store, id) = catalogue().await;
    let items = || [own_log(1, intake(id, 5, 1.0, None)), own_log(2, intake(id, 5, 1.0, None))];
    assert_eq!(import(&store, items()).await.logs, counts(2, 0, 0));
    assert_eq!(import(&store, items()).await.logs, counts(0, 0, 2));
    assert_eq!(store.logs().len(), 2);
}

#[tokio::test]
async fn a_log_of_a_restwell_export_recognised_by_its_key_keeps_the_stored_id() {
    let (store, id) = catalogue().await;
    import(&store, [log(intake(id, 5, 1.0, Some("a")))]).await;
    let before = store.logs();
    assert_eq!(import(&store, [own_log(1, intake(id, 5, 1.0, Some("a")))]).await.logs, counts(0, 0, 1));
    assert_eq!(store.logs(), before);
}

#[tokio::test]
async fn a_restwell_export_does_not_duplicate_logs_imported_from_their_source() {
    let (store, id) = catalogue().await;
    import(&store, [log(intake(id, 5, 1.0, None))]).await;
    let before = store.logs();
    assert_eq!(import(&store, [own_log(1, intake(id, 5, 1.0, None))]).await.logs, counts(0, 0, 1));
    assert_eq!(store.logs(), before);
}

/// Another server's own export, with the same label under another id.
fn from_another_server() -> [ImportItem; 2] {
    [own_supplement(4, "17", "Magnesium"), own_log(1, intake(supplement_id(4), 5, 1.0, None))]
}

#[tokio::test]
async fn logs_refer_to_the_stored_id_of_their_supplement() {
    let (store, id) = catalogue().await;
    let report = import(&store, from_another_server()).await;
    assert_eq!((report.supplements, report.logs), (counts(0, 0, 1), counts(1, 0, 0)));
    assert_eq!(store.logs()[0].record, intake(id, 5, 1.0, None));
}

#[tokio::test]
async fn the_export_of_another_server_read_again_changes_nothing() {
    let (store, _) = catalogue().await;
    import(&store, from_another_server()).await;
    let before = store.logs();
    assert_eq!(import(&store, from_another_server()).await.logs, counts(0, 0, 1));
    assert_eq!(store.logs(), before);
}

#[tokio::test]
async fn a_log_in_a_later_batch_refers_to_the_stored_id_too() {
    let (store, id) = catalogue().await;
    let fillers = (0..2_400).map(|number| log(intake(id, 1_000 + number, 1.0, None)));
    let [label, taken] = from_another_server();
    let report = import(&store, std::iter::once(label).chain(fillers).chain([taken])).await;
    assert_eq!((report.logs, report.rejected_total), (counts(2_401, 0, 0), 0));
    assert!(store.logs().iter().all(|log| log.record.supplement_id() == id));
}

#[tokio::test]
async fn a_log_whose_id_and_key_belong_to_two_logs_is_rejected_alone() {
    let (store, id) = catalogue().await;
    import(&store, [own_log(1, intake(id, 1, 1.0, Some("k1"))), own_log(2, intake(id, 2, 1.0, Some("k2")))])
        .await;
    let before = store.logs();
    let items = [
        at(1, log(intake(id, 3, 1.0, Some("k3")))),
        at(2, own_log(1, intake(id, 1, 1.0, Some("k2")))),
        at(3, log(intake(id, 4, 1.0, Some("k4")))),
    ];
    let report = import(&store, items).await;
    assert_eq!((report.logs, report.rejected_total), (counts(2, 0, 0), 1));
    assert_eq!(report.rejected[0].place, "line 2");
    assert!(report.rejected[0].reason.contains("external_id"));
    assert_eq!(store.logs()[..2], before);
}

#[tokio::test]
async fn the_key_of_a_log_takes_precedence_over_supplement_and_time() {
    let (store, id) = catalogue().await;
    import(&store, [log(intake(id, 5, 1.0, None)), log(intake(id, 9, 1.0, Some("a")))]).await;
    let report = import(&store, [log(intake(id, 5, 2.0, Some("a")))]).await;
    assert_eq!((report.logs, report.rejected_total), (counts(0, 1, 0), 0));
    let keys: Vec<_> = store.logs().iter().map(|log| log.record.external_key().map(str::to_owned)).collect();
    assert_eq!((keys.len(), keys.iter().flatten().count()), (2, 1));
}

#[tokio::test]
async fn each_supplement_is_looked_up_once() {
    let (store, id) = catalogue().await;
    import(&store, [supplement("18", "Zinc")]).await;
    let other = store.current(&key("18")).id;
    let taken = (0..4_800).map(|minute| {
        let id = [id, other, supplement_id(9)][usize::try_from(minute % 3).unwrap()];
        log(intake(id, minute, 1.0, None))
    });
    let before = store.calls().count("supplements.find");
    let report = import(&store, taken).await;
    assert_eq!((report.logs, report.rejected_total), (counts(3_200, 0, 0), 1_600));
    // The two known ones once per run, the unknown one once per batch, since its label may be added
    // meanwhile.
    assert_eq!(store.calls().count("supplements.find") - before, 2 + 3);
}

#[tokio::test]
async fn an_intake_more_than_a_day_in_the_future_is_rejected() {
    let (store, id) = catalogue().await;
    let ahead = (noon() - minute(0)).num_minutes() + 24 * 60;
    let items = [log(intake(id, ahead, 1.0, None)), at(3, log(intake(id, ahead + 1, 1.0, None)))];
    let report = import(&store, items).await;
    assert_eq!(report.logs, counts(1, 0, 0));
    let reason = "it was taken more than a day in the future; the clock that recorded it was wrong";
    let rejected: Vec<_> =
        report.rejected.iter().map(|one| (one.place.as_str(), one.reason.as_str())).collect();
    assert_eq!(rejected, [("line 3", reason)]);
    assert_eq!(store.logs().len(), 1);
}

#[tokio::test]
async fn a_key_or_an_id_that_two_intakes_of_a_file_share_loses_neither() {
    let (_, id) = catalogue().await;
    for items in [
        [log(intake(id, 5, 1.0, Some("a"))), log(intake(id, 50, 2.0, Some("a")))],
        [own_log(1, intake(id, 5, 1.0, None)), own_log(1, intake(id, 50, 2.0, None))],
    ] {
        let items = items.map(|item| at(3, item));
        let one = ItemFile::of_one_file(items.clone());
        for file in [ItemFile::of_one_file(items).item_by_item(), one] {
            let (store, _) = catalogue().await;
            let report = import_file(&store, of_person(), &file).await.unwrap();
            assert_eq!((report.logs, report.notes_total), (counts(2, 0, 0), 1));
            assert_eq!(report.notes[0].reason, Repetition::Ambiguous.note("").reason);
            let before = store.logs();
            assert_eq!(before.iter().map(|log| log.record.servings().get()).collect::<Vec<_>>(), [1.0, 2.0]);
            assert_eq!(import_file(&store, of_person(), &file).await.unwrap().logs, counts(0, 0, 2));
            assert_eq!(store.logs(), before);
        }
    }
}
