use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{
    batch_of_notes, derived, derived_deep, intake, key, keyed, log, log_by_code, own_log, own_session,
    own_supplement, rejection, session, supplement, supplement_id, supplement_with_code,
};
use super::{counts, dry_run, import, import_file};
use crate::import::{ImportRecords, ImportReport};
use crate::ports::import_source::{ImportItem, ImportedProfile};
use crate::testing::person;
use domain::time::TimeZone;
use std::ops::ControlFlow;

/// Returns more nights than a batch holds.
fn nights() -> impl Iterator<Item = ImportItem> {
    (10..2_410).map(|day| session(keyed(&format!("night {day}"), day * 1_440, day * 1_440 + 480)))
}

/// Two groups of items in separate batches of a folder.
fn in_separate_batches(
    first: impl IntoIterator<Item = ImportItem>,
    then: impl IntoIterator<Item = ImportItem>,
) -> ItemFile {
    ItemFile::new(first.into_iter().chain(batch_of_notes()).chain(then))
}

/// Like [`in_separate_batches`], of one file.
fn in_batches_of_one_file(
    first: impl IntoIterator<Item = ImportItem>,
    then: impl IntoIterator<Item = ImportItem>,
) -> ItemFile {
    ItemFile::of_one_file(first.into_iter().chain(batch_of_notes()).chain(then))
}

/// Returns the report of a dry run, and asserts that a real import reports the same.
async fn dry_run_report(store: &MemoryStore, file: &ItemFile) -> ImportReport {
    let would = import_file(store, dry_run(), file).await.unwrap();
    let done = import_file(store, super::of_person(), file).await.unwrap();
    assert_eq!(would, done);
    would
}

#[tokio::test]
async fn a_dry_run_reports_what_an_import_would_do_and_stores_nothing() {
    let profile =
        ImportedProfile { home_timezone: TimeZone::parse("Asia/Tokyo").ok(), ..ImportedProfile::default() };
    let items = [
        ImportItem::Profile(Box::new(profile)),
        supplement("17", "Magnesium"),
        session(derived(0, 480)),
        ImportItem::Rejected(rejection(4)),
        ImportItem::Note(rejection(5).into()),
    ];
    let store = MemoryStore::with(person());
    let would = import_file(&store, dry_run(), &ItemFile::new(items.clone())).await.unwrap();
    assert_eq!(store.content().users, [person()]);
    assert_eq!((store.sessions(), store.content().supplements.len()), (Vec::new(), 0));
    assert_eq!(store.calls().count("commit"), 0);
    assert_eq!(would, import(&store, items).await);
}

#[tokio::test]
async fn a_dry_run_rolls_back_each_batch_before_it_reads_the_next() {
    let store = MemoryStore::with(person());
    import_file(&store, dry_run(), &ItemFile::new(nights().chain(nights()))).await.unwrap();
    // One transaction only finds the user; 4,800 records make three batches.
    assert_eq!((store.calls().count("begin"), store.calls().count("rollback")), (4, 3));
    assert_eq!(store.sessions(), []);
}

#[tokio::test]
async fn a_dry_run_stops_after_a_hundred_thousand_intake_logs_and_says_so() {
    let store = MemoryStore::with(person());
    let taken = |number: usize| log(intake(supplement_id(4), i64::try_from(number).unwrap(), 1.0, None));
    for (logs, is_partial) in [(100_000, false), (100_001, true)] {
        let label = own_supplement(4, "18", "Zinc");
        let file =
            ItemFile::new(std::iter::once(label).chain(batch_of_notes().skip(1)).chain((0..logs).map(taken)));
        let import = ImportRecords { store: store.store(), pause: None };
        let done = import.run(&dry_run(), &file, &|_, _| ControlFlow::Continue(())).await.unwrap();
        assert_eq!((done.report.logs.new, done.is_partial), (100_000, is_partial));
    }
}

#[tokio::test]
async fn a_dry_run_reads_any_number_of_other_records() {
    let store = MemoryStore::with(person());
    let file = ItemFile::new((0..100_001).map(|number| ImportItem::Rejected(rejection(number))));
    let import = ImportRecords { store: store.store(), pause: None };
    let done = import.run(&dry_run(), &file, &|_, _| ControlFlow::Continue(())).await.unwrap();
    assert_eq!((done.report.rejected_total, done.is_partial), (100_001, false));
}

#[tokio::test]
async fn a_session_repeated_in_a_later_batch_is_counted_once() {
    let store = MemoryStore::with(person());
    let twice = || {
        [session(derived(0, 480)), own_session(4, keyed("a", 500, 600)), own_session(5, derived(700, 800))]
    };
    let report = dry_run_report(&store, &in_separate_batches(twice(), twice())).await;
    assert_eq!((report.sessions, report.stage_entries), (counts(3, 0, 0), 3));
    // Now the store has all of them.
    assert_eq!(
        dry_run_report(&store, &in_separate_batches(twice(), twice())).await.sessions,
        counts(0, 0, 3)
    );
    let other = [session(derived_deep(0, 480))];
    assert_eq!(
        dry_run_report(&store, &in_separate_batches(other.clone(), other)).await.sessions,
        counts(0, 1, 0)
    );
}

#[tokio::test]
async fn a_label_repeated_in_a_later_batch_is_counted_once() {
    let store = MemoryStore::with(person());
    let twice = || [supplement("17", "Magnesium"), own_supplement(4, "18", "Zinc")];
    assert_eq!(
        dry_run_report(&store, &in_separate_batches(twice(), twice())).await.supplements,
        counts(2, 0, 0)
    );
}

#[tokio::test]
async fn a_later_version_of_a_label_in_a_later_batch_is_an_update() {
    let store = MemoryStore::with(person());
    let file = || {
        in_separate_batches(
            [own_supplement(4, "17", "Magnesium")],
            [own_supplement(5, "17", "Magnesium Citrate")],
        )
    };
    assert_eq!(dry_run_report(&store, &file()).await.supplements, counts(1, 1, 0));
    assert_eq!(store.current(&key("17")).id, supplement_id(5));
    assert_eq!(dry_run_report(&store, &file()).await.supplements, counts(0, 0, 2));
}

#[tokio::test]
async fn a_log_whose_label_is_in_an_earlier_batch_is_accepted() {
    let store = MemoryStore::with(person());
    let logs =
        || [log(intake(supplement_id(4), 5, 1.0, None)), own_log(2, intake(supplement_id(4), 6, 1.0, None))];
    let report =
        dry_run_report(&store, &in_separate_batches([own_supplement(4, "17", "Magnesium")], logs())).await;
    assert_eq!((report.logs, report.rejected_total), (counts(2, 0, 0), 0));
}

#[tokio::test]
async fn a_log_that_would_move_to_a_label_of_an_earlier_batch_is_an_update() {
    let store = MemoryStore::with(person());
    import(&store, [own_supplement(4, "17", "Magnesium"), log(intake(supplement_id(4), 5, 1.0, Some("a")))])
        .await;
    let moved = [log(intake(supplement_id(5), 5, 1.0, Some("a")))];
    let report = dry_run_report(&store, &in_separate_batches([own_supplement(5, "18", "Zinc")], moved)).await;
    assert_eq!((report.logs, report.rejected_total), (counts(0, 1, 0), 0));
}

#[tokio::test]
async fn a_log_repeated_in_a_later_batch_is_counted_once() {
    let store = MemoryStore::with(person());
    import(&store, [own_supplement(4, "17", "Magnesium")]).await;
    let id = supplement_id(4);
    let logs = || {
        [
            log(intake(id, 5, 1.0, None)),
            log(intake(id, 6, 1.0, Some("a"))),
            own_log(1, intake(id, 7, 1.0, None)),
            own_log(2, intake(id, 7, 1.0, None)),
        ]
    };
    assert_eq!(dry_run_report(&store, &in_separate_batches(logs(), logs())).await.logs, counts(4, 0, 0));
    assert_eq!(store.logs().len(), 4);
}

#[tokio::test]
async fn an_intake_denotes_the_log_that_an_earlier_batch_would_have_stored() {
    let id = supplement_id(4);
    let plain = |at, servings| log(intake(id, at, servings, None));
    let named = |at, servings, name| log(intake(id, at, servings, Some(name)));
    let groups = [
        (vec![own_log(1, intake(id, 5, 1.0, None))], vec![plain(5, 1.0)]),
        (vec![own_log(1, intake(id, 5, 1.0, None))], vec![own_log(1, intake(id, 50, 1.0, None))]),
        (vec![plain(5, 1.0)], vec![named(5, 2.0, "a"), plain(5, 1.0)]),
        (vec![named(5, 1.0, "a")], vec![plain(5, 2.0)]),
        (vec![named(5, 1.0, "a")], vec![named(50, 2.0, "a"), named(50, 3.0, "b")]),
        (vec![named(5, 1.0, "stored")], vec![plain(0, 1.0)]),
    ];
    for (first, then) in groups {
        for file in [
            in_separate_batches(first.clone(), then.clone()),
            in_batches_of_one_file(first.clone(), then.clone()),
        ] {
            let store = MemoryStore::with(person());
            import(&store, [own_supplement(4, "17", "Magnesium"), named(0, 1.0, "stored")]).await;
            for _ in 0..2 {
                assert_eq!(dry_run_report(&store, &file).await.rejected_total, 0);
            }
        }
    }
}

#[tokio::test]
async fn an_intake_by_the_code_of_a_label_in_an_earlier_batch_is_accepted() {
    let store = MemoryStore::with(person());
    let labels = [supplement_with_code("17", "Magnesium", "0 36000 29145 2")];
    let logs = || [log_by_code("036000291452", intake(supplement_id(9), 5, 1.0, None))];
    let report = dry_run_report(&store, &in_separate_batches(labels, logs())).await;
    assert_eq!((report.logs, report.rejected_total), (counts(1, 0, 0), 0));
}
