//! Importing a file again whose records overlap and have no source key.

use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{at, batch_of_notes, derived, derived_bare, derived_deep, session, session_id};
use super::{counts, dry_run, import, import_file};
use crate::import::attempt::Attempt;
use crate::import::batch::Batch;
use crate::import::batch_writer::BatchWriter;
use crate::import::memory::MetSession;
use crate::import::run::Run;
use crate::model::import_report::ImportReport;
use crate::ports::import_source::{ImportItem, ImportedSession};
use crate::testing::person;
use domain::import::RecordPosition;
use domain::sleep::SleepRecord;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn stored(store: &MemoryStore) -> Vec<SleepRecord> {
    store.sessions().into_iter().map(|session| session.record).collect()
}

/// The items in separate batches, as if from separate files.
fn in_separate_batches(items: impl IntoIterator<Item = ImportItem>) -> Vec<ImportItem> {
    items.into_iter().flat_map(|item| std::iter::once(item).chain(batch_of_notes())).collect()
}

#[tokio::test]
async fn reimporting_a_folder_with_two_versions_of_a_night_changes_nothing() {
    for night in [
        vec![session(derived(0, 400)), session(derived(0, 480))],
        vec![session(derived(10, 400)), session(derived(0, 480))],
        vec![session(derived(0, 480)), session(derived(10, 400))],
        vec![session(derived(0, 480)), session(derived_deep(0, 480))],
        vec![session(derived(0, 100)), session(derived(110, 200)), session(derived(0, 480))],
        vec![session(derived(0, 400)), session(derived(0, 480)), session(derived(0, 400))],
    ] {
        for items in [night.clone(), in_separate_batches(night)] {
            let store = MemoryStore::with(person());
            let first = import(&store, items.clone()).await.sessions;
            let before = store.sessions();
            let preview = import_file(&store, dry_run(), &ItemFile::new(items.clone())).await.unwrap();
            let report = import(&store, items.clone()).await;
            assert_eq!((report.sessions.new, report.sessions.updated), (0, 0));
            assert_eq!((store.sessions(), preview.sessions), (before, report.sessions));
            assert!(first.new >= 1, "{first:?}");
        }
    }
}

#[tokio::test]
async fn a_record_replaced_by_a_later_one_of_its_file_is_noted() {
    let store = MemoryStore::with(person());
    let items = || in_separate_batches([at(3, session(derived(10, 400))), at(4, session(derived(0, 480)))]);
    import(&store, items()).await;
    let report = import(&store, items()).await;
    assert_eq!(report.sessions, counts(0, 0, 1));
    let repeated = report.notes.iter().find(|note| note.reason.contains("one of them was stored"));
    assert_eq!(repeated.map(|note| (note.place.as_str(), note.count)), Some(("line 3", 1)), "{report:?}");
}

#[tokio::test]
async fn deferred_records_are_stored_at_the_end_in_file_order() {
    let store = MemoryStore::with(person());
    import(&store, [session(derived(0, 480))]).await;
    let later = in_separate_batches([
        session(derived(10, 400)),
        session(derived(390, 600)),
        session(derived(2_000, 2_100)),
    ]);
    let report = import(&store, later).await;
    let starts = |records: Vec<SleepRecord>| -> Vec<_> {
        records
            .into_iter()
            .map(|record| record.time_in_bed().start())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    };
    let expected = vec![derived(10, 400), derived(390, 600), derived(2_000, 2_100)];
    assert_eq!(starts(stored(&store)), starts(expected));
    assert_eq!(report.sessions, counts(2, 1, 0));
}

#[tokio::test]
async fn too_many_deferred_records_are_stored_early_and_none_is_lost() {
    let store = MemoryStore::with(person());
    let nights = |longer: i64| {
        (0..2_100)
            .map(move |day| session(derived(day * 1_440, day * 1_440 + 400 + longer)))
            .chain(in_separate_batches([]))
    };
    import(&store, nights(0)).await;
    let last = session(derived(-100, 300));
    let report = import(&store, nights(60).chain(in_separate_batches([last]))).await;
    assert_eq!(report.sessions, counts(0, 2_100, 0));
    assert_eq!(stored(&store).len(), 2_100);
}

#[tokio::test]
async fn of_too_many_deferred_records_those_that_lost_are_not_stored() {
    let items = || {
        let groups = [(0..1_500, 400), (0..1_500, 460), (1_500..3_000, 400), (1_500..3_000, 460)];
        groups.into_iter().flat_map(|(days, length)| {
            let nights = days.map(move |day| session(derived(day * 1_440, day * 1_440 + length)));
            nights.chain(batch_of_notes())
        })
    };
    let store = MemoryStore::with(person());
    import(&store, items()).await;
    let before = store.sessions();
    let report = import(&store, items()).await;
    assert_eq!((report.sessions, store.sessions() == before), (counts(0, 0, 3_000), true));
}

fn numbered(number: u64, record: SleepRecord) -> ImportItem {
    let ImportItem::Session(session) = session(record) else { panic!("no session") };
    let position = RecordPosition { file: 0, number };
    ImportItem::Session(Box::new(ImportedSession { position, ..*session }))
}

#[tokio::test]
async fn a_record_that_lost_is_dropped_before_the_import_forgets_the_better_one() {
    let (shorter, longer) = (numbered(0, derived(10, 400)), numbered(1, derived(0, 480)));
    let store = MemoryStore::with(person());
    import(&store, in_separate_batches([shorter.clone(), longer.clone()])).await;
    let before = store.sessions();

    let services = store.store();
    let writer = BatchWriter { store: &services, import: None, pause: None, backend: None };
    let mut run = Run::new(Some(person().id), &services).of_file(ImportReport::default());
    for item in [shorter, longer] {
        writer.store(&mut run, Batch::sort(vec![item], true)).await.unwrap();
        writer.review_deferred(&mut run, 1).await.unwrap();
    }
    // More sessions than twice the number that an import remembers.
    for batch in 1..=11 {
        let mut attempt = Attempt::new(&run);
        for number in 0..2_000 {
            attempt.result.memory.sessions.insert(session_id(batch << 32 | number), MetSession::default());
        }
        let result = attempt.into_result();
        run.take(result);
        writer.review_deferred(&mut run, 2_000).await.unwrap();
    }
    writer.store_deferred(&mut run).await.unwrap();
    assert_eq!((run.report.sessions, store.sessions() == before), (counts(0, 0, 1), true));
}

#[tokio::test]
async fn a_less_detailed_record_does_not_confirm_the_night_that_covers_it() {
    let store = MemoryStore::with(person());
    import(&store, [session(derived(0, 480))]).await;
    import(&store, [session(derived(10, 400)), session(derived_bare(20, 470))]).await;
    assert_eq!(stored(&store), [derived(10, 400)]);
}

/// Draws start, end and kind of some records.
fn any_records() -> impl Strategy<Value = Vec<(i64, i64, u8)>> {
    let record = (0_i64..8, 1_i64..6, 0_u8..3)
        .prop_map(|(start, length, kind)| (start * 60, (start + length) * 60, kind));
    proptest::collection::vec(record, 1..7)
}

fn record_of((start, end, kind): (i64, i64, u8)) -> SleepRecord {
    match kind {
        0 => derived(start, end),
        1 => derived_deep(start, end),
        _ => derived_bare(start, end),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn repeated_imports_of_overlapping_records_reach_a_stable_state(records in any_records()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let settled = runtime.block_on(async {
            let store = MemoryStore::with(person());
            let mut settled = Vec::new();
            for _ in 0..8 {
                let items = records.iter().map(|drawn| session(record_of(*drawn)));
                let report = import(&store, items).await.sessions;
                settled.push(report.new + report.updated == 0);
            }
            settled
        });
        // Several imports may be needed; in 20,000 cases the third was the last to change anything, once.
        let rest = settled.iter().position(|is_at_rest| *is_at_rest);
        prop_assert!(rest.is_some_and(|rest| settled.iter().skip(rest).all(|still| *still)), "{settled:?}");
    }
}
