//! Rows of one file that overlap, or have the same key.

use super::file::ItemFile;
use super::memory_store::MemoryStore;
use super::record::{at, derived, derived_bare, derived_deep, keyed, own_session, session};
use super::{ImportReport, counts, import_file, of_person};
use crate::import::ReportNote;
use crate::import::repetition::Repetition;
use crate::ports::import_source::ImportItem;
use crate::testing::person;
use domain::sleep::SleepRecord;
use proptest::prelude::*;

/// Imports the items as the rows of one file.
async fn import(store: &MemoryStore, items: impl IntoIterator<Item = ImportItem>) -> ImportReport {
    let items = items.into_iter().enumerate().map(|(index, item)| at(index + 2, item));
    import_file(store, of_person(), &ItemFile::of_one_file(items)).await.unwrap()
}

/// Returns the stored records in order of start.
fn stored(store: &MemoryStore) -> Vec<SleepRecord> {
    let mut records: Vec<_> = store.sessions().into_iter().map(|session| session.record).collect();
    records.sort_by_key(|record| (record.time_in_bed().start(), record.time_in_bed().end()));
    records
}

fn text(repetition: Repetition) -> String {
    repetition.note("").reason
}

/// Returns location and text of each note.
fn notes(report: &ImportReport) -> Vec<(&str, &str)> {
    report.notes.iter().map(|note| (note.place.as_str(), note.reason.as_str())).collect()
}

/// Number of records that the report notes as another version or a part of one that is stored.
fn repeated(report: &ImportReport) -> u64 {
    let kinds = [Repetition::Repeated, Repetition::Kept].map(text);
    report.notes.iter().filter(|note| kinds.contains(&note.reason)).map(|note| note.count).sum()
}

/// Number of sessions that records replaced, as the report notes.
fn replaced(report: &ImportReport) -> u64 {
    let number = |note: &ReportNote| {
        let (first, _) = note.reason.strip_prefix("replaced ")?.split_once(" overlapping")?;
        Some(first.parse().unwrap_or(1) * note.count)
    };
    report.notes.iter().filter_map(number).sum()
}

fn counted(report: &ImportReport) -> u64 {
    let sessions = report.sessions;
    sessions.new + sessions.updated + sessions.unchanged + report.rejected_total + repeated(report)
}

#[tokio::test]
async fn a_nap_that_touches_the_night_of_its_file_is_stored_too() {
    let rows = [derived(0, 480), derived(479, 510)];
    for order in [[0, 1], [1, 0]] {
        let store = MemoryStore::with(person());
        let items = || order.map(|index: usize| session(rows[index].clone()));
        let report = import(&store, items()).await;
        assert_eq!((report.sessions, notes(&report)), (counts(2, 0, 0), vec![]));
        assert_eq!(stored(&store), rows);
        let again = import(&store, items()).await;
        assert_eq!((again.sessions, notes(&again)), (counts(0, 0, 2), vec![]));
        assert_eq!(stored(&store), rows);
    }
}

#[tokio::test]
async fn a_nap_of_another_file_that_touches_a_night_is_stored_too() {
    let rows = [derived(0, 480), derived(479, 510)];
    for order in [[0, 1], [1, 0]] {
        let (store, folder) = (MemoryStore::with(person()), MemoryStore::with(person()));
        let items = || order.map(|index: usize| session(rows[index].clone()));
        for item in items() {
            let report = import(&store, [item]).await;
            assert_eq!((report.sessions, notes(&report)), (counts(1, 0, 0), vec![]));
        }
        let report = super::import(&folder, items()).await;
        assert_eq!((report.sessions, notes(&report)), (counts(2, 0, 0), vec![]));
        assert_eq!((stored(&store), stored(&folder)), (rows.to_vec(), rows.to_vec()));
    }
}

#[tokio::test]
async fn a_part_of_a_stored_night_is_reported_and_not_stored() {
    let store = MemoryStore::with(person());
    import(&store, [session(derived(0, 480))]).await;
    for part in [derived(100, 130), derived_bare(10, 470)] {
        let report = import(&store, [session(part)]).await;
        assert_eq!(report.sessions, counts(0, 0, 0));
        assert_eq!(notes(&report), [("line 2", text(Repetition::Kept).as_str())]);
        assert_eq!(stored(&store), [derived(0, 480)]);
    }
}

#[tokio::test]
async fn rows_that_split_a_stored_night_are_all_stored() {
    for order in [[0, 1], [1, 0]] {
        let rows = [derived_bare(0, 240), derived_bare(250, 600)];
        let store = MemoryStore::with(person());
        import(&store, [session(derived_bare(-5, 600))]).await;
        let items = || order.map(|index: usize| session(rows[index].clone()));
        import(&store, items()).await;
        assert_eq!(stored(&store), rows);
        assert_eq!(import(&store, items()).await.sessions, counts(0, 0, 2));
    }
}

#[tokio::test]
async fn a_nap_does_not_replace_the_night_that_an_earlier_file_stored() {
    for night in [derived(0, 480), derived(0, 490), derived_deep(0, 480)] {
        let store = MemoryStore::with(person());
        import(&store, [session(derived(0, 480))]).await;
        let id = store.sessions()[0].id;
        // The newest row comes first.
        import(&store, [session(derived(479, 510)), session(night.clone())]).await;
        assert_eq!(stored(&store), [night.clone(), derived(479, 510)]);
        let kept = store.sessions().into_iter().find(|session| session.record == night).unwrap();
        assert_eq!(kept.id, id);
    }
}

#[tokio::test]
async fn a_key_that_two_nights_of_a_file_share_loses_neither() {
    for second in [keyed("7", 900, 940), keyed("7", 479, 510), keyed("7", 0, 40)] {
        let store = MemoryStore::with(person());
        let items = || [session(keyed("7", 0, 480)), session(second.clone())];
        let report = import(&store, items()).await;
        let ambiguous = text(Repetition::Ambiguous);
        assert_eq!(
            (report.sessions, notes(&report)),
            (counts(2, 0, 0), vec![("line 3", ambiguous.as_str())])
        );
        let expected = [keyed("7", 0, 480), second.clone().with_derived_key()];
        let found = stored(&store);
        assert!(found.len() == 2 && expected.iter().all(|record| found.contains(record)), "{found:?}");
        let again = import(&store, items()).await;
        assert_eq!((again.sessions, stored(&store)), (counts(0, 0, 2), found));
    }
}

#[tokio::test]
async fn a_repeated_key_finds_the_session_that_its_true_key_stored() {
    let store = MemoryStore::with(person());
    import(&store, [session(keyed("1", 0, 480)), session(keyed("2", 900, 940))]).await;
    import(&store, [session(keyed("1", 0, 480)), session(keyed("1", 900, 940))]).await;
    assert_eq!(stored(&store), [keyed("1", 0, 480), keyed("2", 900, 940)]);
}

#[tokio::test]
async fn an_id_that_two_nights_of_a_file_share_loses_neither() {
    let store = MemoryStore::with(person());
    let report = import(&store, [own_session(4, derived(0, 480)), own_session(4, derived(900, 940))]).await;
    assert_eq!((report.sessions, notes(&report).len()), (counts(2, 0, 0), 1));
    assert_eq!(stored(&store), [derived(0, 480), derived(900, 940)]);
}

#[tokio::test]
async fn a_night_is_not_lost_with_the_night_between_it_and_a_third() {
    for order in [[0, 1, 2], [1, 2, 0], [2, 1, 0]] {
        let rows = [derived_bare(0, 480), derived_bare(240, 720), derived_bare(480, 960)];
        let store = MemoryStore::with(person());
        let items = || order.map(|index: usize| session(rows[index].clone()));
        let report = import(&store, items()).await;
        let found = stored(&store);
        assert!(found == [rows[0].clone(), rows[2].clone()] || found == [rows[1].clone()], "{found:?}");
        assert_eq!(counted(&report), 3);
        assert_eq!(import(&store, items()).await.sessions, counts(0, 0, found.len() as u64));
    }
}

#[tokio::test]
async fn of_two_rows_of_one_night_one_is_stored_and_the_other_noted() {
    for (rows, kept, noted) in [
        ([derived(0, 480), derived(0, 480)], 0, "line 2"),
        ([derived(0, 480), derived(0, 30)], 0, "line 3"),
        ([derived(0, 30), derived(0, 480)], 1, "line 2"),
        ([derived(0, 480), derived_deep(0, 480)], 1, "line 2"),
        ([derived(0, 480), derived(10, 470)], 0, "line 3"),
        ([derived(10, 470), derived(0, 480)], 1, "line 2"),
        ([derived_bare(10, 490), derived(0, 480)], 1, "line 2"),
        ([derived(0, 480), derived_bare(10, 490)], 0, "line 3"),
        ([keyed("7", 0, 480), keyed("7", 0, 470)], 0, "line 3"),
        ([keyed("7", 0, 480), keyed("7", 0, 490)], 1, "line 3"),
        ([keyed("7", 0, 480), derived(0, 480)], 0, "line 3"),
    ] {
        let store = MemoryStore::with(person());
        let items = || rows.clone().map(session);
        let report = import(&store, items()).await;
        assert_eq!((report.sessions, stored(&store)), (counts(1, 0, 0), vec![rows[kept].clone()]));
        assert_eq!(notes(&report), [(noted, text(Repetition::Repeated).as_str())]);
        let again = import(&store, items()).await;
        assert_eq!((again.sessions, stored(&store)), (counts(0, 0, 1), vec![rows[kept].clone()]));
        assert_eq!((counted(&report), counted(&again)), (2, 2), "{again:?}");
    }
}

fn any_rows() -> impl Strategy<Value = Vec<SleepRecord>> {
    let row = (0_i64..12, 1_i64..9, 0..6).prop_map(|(start, length, kind)| {
        let (start, end) = (start * 60, (start + length) * 60);
        match kind {
            0 | 1 => derived(start, end),
            2 => derived_deep(start, end),
            3 => derived_bare(start, end),
            number => keyed(&number.to_string(), start, end),
        }
    });
    proptest::collection::vec(row, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn each_row_of_a_file_is_counted_once(rows in any_rows()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let store = MemoryStore::with(person());
            for _ in 0..3 {
                let report = import(&store, rows.iter().cloned().map(session)).await;
                prop_assert_eq!(counted(&report), rows.len() as u64, "{:?}", report);
                // Each row that is not stored is noted, or was replaced with a note by one that covers it.
                let found = stored(&store);
                let is_stored = |row: &SleepRecord| {
                    let derived = row.clone().with_derived_key();
                    found.iter().any(|record| record == row || *record == derived)
                };
                let lost = rows.iter().filter(|row| !is_stored(row)).count() as u64;
                prop_assert!(lost <= repeated(&report) + replaced(&report), "{:?}", report);
            }
            Ok(())
        })?;
    }
}
