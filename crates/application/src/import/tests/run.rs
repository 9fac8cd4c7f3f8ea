use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{at, derived, intake, keyed, log, rejection, session, supplement, supplement_id};
use super::{counts, for_real, import, import_file, of_person};
use crate::import::{
    ImportPass, ImportRecords, ImportRecordsCommand, ImportRecordsError, ImportReport, MAX_LISTED,
};
use crate::ports::import_source::{ImportItem, ImportRefusal, ImportedProfile, Note};
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::testing::{person, user_id};
use domain::time::TimeZone;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// This many nights with source keys, one per day.
pub(super) fn nights(number: i64) -> Vec<ImportItem> {
    (0..number).map(|day| session(keyed(&format!("night {day}"), day * 1_440, day * 1_440 + 480))).collect()
}

#[tokio::test]
async fn an_empty_file_does_nothing_and_reports_that() {
    let store = MemoryStore::with(person());
    let report = import(&store, []).await;
    assert_eq!(report.notes[0].reason, "it contains no record that can be imported");
    assert_eq!(ImportReport { notes: Vec::new(), notes_total: 0, ..report }, ImportReport::default());
    assert_eq!(store.calls().count("commit"), 0);
}

#[tokio::test]
async fn a_file_truncated_at_its_end_stores_nothing() {
    let store = MemoryStore::with(person());
    let file = ItemFile::new(nights(4_800)).damaged();
    let outcome = import_file(&store, of_person(), &file).await;
    assert!(matches!(outcome, Err(ImportRecordsError::Rejected(ImportRefusal::Damaged { .. }))));
    assert_eq!(store.sessions(), []);
}

#[tokio::test]
async fn no_unit_of_work_is_opened_before_the_whole_file_was_read_once() {
    let store = MemoryStore::with(person());
    let file = ItemFile::new(nights(4_800)).damaged();
    import_file(&store, of_person(), &file).await.unwrap_err();
    assert_eq!(file.opened(), 1);
    assert_eq!(store.calls().count("begin"), 0);
}

#[tokio::test]
async fn a_large_damaged_file_is_read_ahead_and_stores_nothing() {
    let store = MemoryStore::with(person());
    let file = ItemFile::new(nights(9_000)).of_bytes_each(1_000).damaged();
    import_file(&store, of_person(), &file).await.unwrap_err();
    assert_eq!(file.opened(), 2);
    assert_eq!(store.calls().count("begin"), 0);
}

#[tokio::test]
async fn a_valid_large_file_is_read_twice_and_stored_completely() {
    let store = MemoryStore::with(person());
    let file = ItemFile::new(nights(9_000)).of_bytes_each(1_000);
    let report = import_file(&store, of_person(), &file).await.unwrap();
    assert_eq!((file.opened(), report.sessions), (2, counts(9_000, 0, 0)));
    assert_eq!(store.sessions().len(), 9_000);
}

#[tokio::test]
async fn a_valid_file_is_read_twice() {
    let store = MemoryStore::with(person());
    let file = ItemFile::new(nights(3));
    import_file(&store, of_person(), &file).await.unwrap();
    assert_eq!(file.opened(), 2);
}

#[tokio::test]
async fn nothing_is_imported_for_a_user_who_does_not_exist() {
    let store = MemoryStore::with(person());
    let command = ImportRecordsCommand { user_id: Some(user_id(2)), ..for_real() };
    let outcome = import_file(&store, command, &ItemFile::new(nights(1))).await;
    assert!(matches!(outcome, Err(ImportRecordsError::UnknownUser)));
    assert_eq!(store.calls().count("commit"), 0);
}

#[tokio::test]
async fn a_large_file_is_stored_in_batches_of_two_thousand() {
    let store = MemoryStore::with(person());
    let file = ItemFile::new(nights(4_001));
    let report = import_file(&store, of_person(), &file).await.unwrap();
    assert_eq!(report.sessions, counts(4_001, 0, 0));
    assert_eq!(store.sessions().len(), 4_001);
    assert_eq!(store.calls().count("commit"), 3);
    assert!(file.limits.lock().unwrap().iter().all(|limit| *limit == 2_000));
}

#[tokio::test]
async fn progress_is_reported_while_a_file_is_checked_and_after_each_batch() {
    let store = MemoryStore::with(person());
    let reported = Mutex::new(Vec::new());
    ImportRecords { store: store.store(), pause: None }
        .run(&of_person(), &ItemFile::new(nights(4_001)), &|reading, bytes| {
            reported.lock().unwrap().push((reading, bytes));
            ControlFlow::Continue(())
        })
        .await
        .unwrap();
    let reported = reported.into_inner().unwrap();
    let of = |wanted| {
        reported.iter().filter(|(reading, _)| *reading == wanted).map(|(_, bytes)| *bytes).collect::<Vec<_>>()
    };
    assert_eq!(of(ImportPass::Storing), [2_000, 4_000, 4_001]);
    assert_eq!(of(ImportPass::Checking), [4_001, 4_001]);
}

#[tokio::test]
async fn a_break_stops_the_import_while_it_checks_and_while_it_stores() {
    for (stop_at, sessions) in [(ImportPass::Checking, 0), (ImportPass::Storing, 2_000)] {
        let store = MemoryStore::with(person());
        let wish = |reading, _| {
            if reading == stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let outcome = ImportRecords { store: store.store(), pause: None }
            .run(&of_person(), &ItemFile::new(nights(4_001)), &wish)
            .await;
        assert!(matches!(outcome, Err(ImportRecordsError::Rejected(ImportRefusal::Stopped))));
        assert_eq!(store.sessions().len(), sessions);
    }
}

fn one_of_each() -> Vec<ImportItem> {
    let profile =
        ImportedProfile { home_timezone: TimeZone::parse("Asia/Tokyo").ok(), ..ImportedProfile::default() };
    vec![
        ImportItem::Profile(Box::new(profile)),
        supplement("17", "Magnesium"),
        session(derived(0, 480)),
        ImportItem::Rejected(rejection(4)),
        ImportItem::Note(rejection(5).into()),
    ]
}

#[tokio::test]
async fn a_record_repeated_in_a_later_batch_is_counted_once() {
    let store = MemoryStore::with(person());
    let twice = nights(2_400).into_iter().chain(nights(2_400));
    let report = import(&store, twice).await;
    assert_eq!(report.sessions, counts(2_400, 0, 0));
    assert_eq!(report.stage_entries, 2_400);
    assert_eq!(store.sessions().len(), 2_400);
}

#[tokio::test]
async fn a_second_import_of_the_same_file_changes_nothing() {
    let store = MemoryStore::with(person());
    import(&store, one_of_each()).await;
    let before = (store.sessions(), store.content().supplements);
    let report = import(&store, one_of_each()).await;
    assert_eq!((report.sessions, report.supplements), (counts(0, 0, 1), counts(0, 0, 1)));
    assert!(!report.profile_changed);
    assert_eq!((store.sessions(), store.content().supplements), before);
}

#[tokio::test]
async fn rejections_and_notes_are_reported_in_the_files_order() {
    let store = MemoryStore::with(person());
    let items = [
        ImportItem::Rejected(rejection(1)),
        ImportItem::Note(rejection(2).into()),
        session(derived(0, 480)),
        ImportItem::Rejected(rejection(3)),
    ];
    let report = import(&store, items).await;
    assert_eq!(report.rejected, [rejection(1), rejection(3)]);
    let places: Vec<_> = report.notes.iter().map(|note| (note.places(), note.text())).collect();
    assert_eq!(places, [(rejection(2).place, rejection(2).reason)]);
    assert_eq!((report.rejected_total, report.notes_total), (2, 1));
    assert_eq!(report.sessions, counts(1, 0, 0));
}

#[tokio::test]
async fn rejections_by_the_store_are_reported_in_file_order_too() {
    let store = MemoryStore::with(person());
    let unknown = || log(intake(supplement_id(9), 5, 1.0, None));
    let items = [
        at(1, unknown()),
        at(2, ImportItem::Rejected(rejection(2))),
        at(3, supplement("17", "Magnesium")),
        at(4, unknown()),
        at(5, ImportItem::Rejected(rejection(5))),
    ];
    let report = import(&store, items).await;
    let places: Vec<_> = report.rejected.iter().map(|rejection| rejection.place.as_str()).collect();
    assert_eq!(places, ["line 1", "line 2", "line 4", "line 5"]);
}

#[tokio::test]
async fn a_repeated_note_is_one_line_with_a_count() {
    let store = MemoryStore::with(person());
    let note = |number: u64, reason: &str, amount| {
        let (place, reason) = (format!("record {number}"), reason.to_owned());
        ImportItem::Note(Note { place, reason, amount })
    };
    let many = (0..3_000).map(|number| note(number, "stages were cut", Some(2)));
    let others = [note(7, "no night", None), note(8, "stages were cut", None), note(9, "no night", None)];
    let report = import(&store, many.chain(others)).await;
    let lines: Vec<_> =
        report.notes.iter().map(|note| format!("{}: {}", note.places(), note.text())).collect();
    assert_eq!(
        lines,
        [
            "record 0 and 2999 more: stages were cut: 6000",
            "record 7 and 1 more: no night",
            "record 8: stages were cut"
        ]
    );
    assert_eq!(report.notes_total, 3_003);
}

#[tokio::test]
async fn a_report_lists_a_thousand_and_counts_all() {
    let store = MemoryStore::with(person());
    let rejected = (0..MAX_LISTED + 5).map(|number| ImportItem::Rejected(rejection(number)));
    let notes = (0..MAX_LISTED + 7).map(|number| {
        let (place, reason) = (format!("record {number}"), format!("reason {number}"));
        ImportItem::Note(Note { place, reason, amount: None })
    });
    let report = import(&store, rejected.chain(notes)).await;
    assert_eq!((report.rejected.len(), report.rejected_total), (1_000, 1_005));
    assert_eq!((report.notes.len(), report.notes_total), (1_000, 1_007));
    assert_eq!(report.rejected.last(), Some(&rejection(999)));
}

#[tokio::test]
async fn personal_records_are_rejected_if_no_person_is_given() {
    let store = MemoryStore::with(person());
    let items = [
        at(1, ImportItem::Profile(Box::default())),
        at(2, session(derived(0, 480))),
        at(4, log(intake(supplement_id(1), 5, 1.0, None))),
    ];
    let report = import_file(&store, for_real(), &ItemFile::new(items)).await.unwrap();
    assert_eq!(report.rejected_total, 3);
    assert!(report.rejected.iter().all(|rejection| rejection.reason.contains("belongs to a person")));
    let places: Vec<_> = report.rejected.iter().map(|rejection| rejection.place.as_str()).collect();
    assert_eq!(places, ["line 1", "line 2", "line 4"]);
    assert_eq!((store.sessions(), store.logs()), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn a_catalogue_import_needs_no_person() {
    let store = MemoryStore::default();
    let file = ItemFile::new([supplement("17", "Magnesium")]);
    let report = import_file(&store, for_real(), &file).await.unwrap();
    assert_eq!((report.supplements, report.rejected_total), (counts(1, 0, 0), 0));
    assert_eq!(store.content().supplements.len(), 1);
}

#[tokio::test]
async fn a_store_that_fails_within_a_batch_commits_nothing_of_it() {
    let mut look_up = MockUnitOfWork::default();
    look_up.users.expect_find().returning(|_| Ok(Some(person())));
    let mut batch = MockUnitOfWork::default();
    batch.sleep.expect_find_candidates().returning(|_, _| Ok(Vec::new()));
    batch.sleep.expect_insert().times(1).returning(|_, _| Err(StorageError::Unavailable));
    look_up.imports.expect_find_interrupted().returning(|_, _, _| Ok(None));
    look_up.imports.expect_insert().times(1).returning(|_| Ok(()));
    batch.users.expect_find().returning(|_| Ok(Some(person())));
    let units = PreparedUnitsOfWork::new([look_up, batch]);
    let endings = units.endings();
    let outcome = ImportRecords { store: crate::testing::store(&Arc::new(units)), pause: None }
        .run(&of_person(), &ItemFile::new(nights(1)), &|_, _| ControlFlow::Continue(()))
        .await;
    assert!(matches!(outcome, Err(ImportRecordsError::Storage(StorageError::Unavailable))));
    // The start of the import.
    assert_eq!(endings.committed(), 1);
}
