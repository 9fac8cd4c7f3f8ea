//! Several imports, undone in any order.

use super::memory_store::MemoryStore;
use super::record::{
    derived, derived_deep, given, intake, log, own_supplement, session, supplement, supplement_id,
};
use super::undo::{height, import, records, store_otherwise, undo};
use crate::import::Undone;
use crate::ports::import_source::ImportItem;
use crate::testing::person;
use domain::sleep::SleepRecord;
use proptest::prelude::*;

/// A record out of few, so that imports meet: of those that are known by a key of their own.
fn keyed() -> impl Strategy<Value = ImportItem> {
    prop_oneof![
        (0..3_u8, 0..3_i64).prop_map(|(key, start)| session(given(&key.to_string(), 9000 + start, 9100))),
        (0..3_i64, 1..4_u8)
            .prop_map(|(at, servings)| { log(intake(supplement_id(1), at, f64::from(servings), None)) }),
        (150..153_u16).prop_map(height),
        (0..2_u8, 0..3_u8).prop_map(|(key, name)| supplement(&key.to_string(), &format!("Name {name}"))),
    ]
}

/// A night that overlaps others of its kind, begins with some of them, and says the same as others.
fn night() -> impl Strategy<Value = ImportItem> {
    (0..6_i64, 1..5_i64, any::<bool>()).prop_map(|(start, length, is_deep)| {
        let (start, end) = (start * 100, start * 100 + length * 90);
        session(if is_deep { derived_deep(start, end) } else { derived(start, end) })
    })
}

/// A night that overlaps those of the same evening alone, as one does that was scored anew: two never become one.
fn scored_night() -> impl Strategy<Value = ImportItem> {
    (0..3_i64, 0..4_i64, 1..5_i64, any::<bool>()).prop_map(|(evening, late, length, is_deep)| {
        let start = evening * 1440 + late * 20;
        let end = start + 60 + length * 90;
        session(if is_deep { derived_deep(start, end) } else { derived(start, end) })
    })
}

fn scored_record() -> impl Strategy<Value = ImportItem> {
    prop_oneof![3 => scored_night(), 1 => keyed()]
}

/// The same, and all else.
fn any_record() -> impl Strategy<Value = ImportItem> {
    prop_oneof![3 => night(), 1 => keyed()]
}

fn some(one: impl Strategy<Value = ImportItem>) -> impl Strategy<Value = Vec<ImportItem>> {
    prop::collection::vec(one, 1..5)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn nights(store: &MemoryStore) -> Vec<SleepRecord> {
    let records = store.sessions().into_iter().map(|session| session.record);
    records.filter(|record| !record.key().is_given()).collect()
}

fn no_two_overlap(store: &MemoryStore) -> bool {
    let nights = nights(store);
    nights.windows(2).all(|two| !two[0].time_in_bed().overlaps(two[1].time_in_bed()))
}

/// Imports these one after the other, takes them back in this order, and tells what was there before and is after.
async fn there_and_back(
    first: Vec<ImportItem>,
    imports: Vec<Vec<ImportItem>>,
    order: &[prop::sample::Index],
) -> Result<(Vec<String>, Vec<String>), TestCaseError> {
    let store = MemoryStore::with(person());
    import(&store, vec![own_supplement(1, "own", "Zinc")]).await;
    import(&store, first).await;
    let before = records(&store);
    let mut ids = Vec::new();
    for items in imports {
        ids.push(import(&store, items).await);
    }
    prop_assert!(no_two_overlap(&store));
    for next in order {
        if ids.is_empty() {
            break;
        }
        let id = ids.remove(next.index(ids.len()));
        prop_assert_eq!(undo(&store, id).await.unwrap().left, 0);
        prop_assert!(no_two_overlap(&store), "{:?}", nights(&store));
    }
    Ok((before, records(&store)))
}

proptest! {
    #[test]
    fn imports_undone_in_any_order_leave_what_was_there_before(
        first in some(scored_record()), imports in prop::collection::vec(some(scored_record()), 1..5),
        order in prop::collection::vec(any::<prop::sample::Index>(), 5),
    ) {
        let (before, after) = run(there_and_back(first, imports, &order))?;
        prop_assert_eq!(after, before);
    }
}

/// Imports these one after the other, and takes them back, the latest first.
async fn there_and_back_again(imports: Vec<Vec<ImportItem>>) -> Result<(), TestCaseError> {
    let store = MemoryStore::with(person());
    import(&store, vec![own_supplement(1, "own", "Zinc")]).await;
    let mut steps = Vec::new();
    for items in imports {
        let before = records(&store);
        steps.push((import(&store, items).await, before));
    }
    for (id, before) in steps.into_iter().rev() {
        prop_assert_eq!(undo(&store, id).await.unwrap().left, 0);
        prop_assert_eq!(records(&store), before);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_latest_import_undone_first_leaves_what_was_there_before_each_and_nothing_else(
        imports in prop::collection::vec(some(any_record()), 1..6),
    ) {
        run(there_and_back_again(imports))?;
    }
}

/// The nights that are stored now.
fn assert_nights(store: &MemoryStore, expected: &[SleepRecord]) {
    assert_eq!(nights(store), expected);
}

/// A night that each file has scored anew, under another key.
async fn scored_three_times() -> (MemoryStore, [domain::id::ImportId; 3]) {
    let store = MemoryStore::with(person());
    let mut ids = Vec::new();
    for start in [0, 20, 40] {
        ids.push(import(&store, vec![session(derived(start, 480))]).await);
    }
    assert_nights(&store, &[derived(40, 480)]);
    (store, ids.try_into().unwrap())
}

#[tokio::test]
async fn a_night_that_a_later_import_scored_anew_stays_one_when_an_earlier_import_is_undone() {
    let (store, [first, second, third]) = scored_three_times().await;
    assert_eq!(undo(&store, second).await.unwrap(), Undone { taken_back: 2, left: 0 });
    assert_nights(&store, &[derived(40, 480)]);
    // It brings back what it would have found without the one between.
    assert_eq!(undo(&store, third).await.unwrap().left, 0);
    assert_nights(&store, &[derived(0, 480)]);
    assert_eq!(undo(&store, first).await.unwrap(), Undone { taken_back: 1, left: 0 });
    assert_nights(&store, &[]);
}

#[tokio::test]
async fn what_waits_for_a_later_import_goes_for_good_when_its_own_import_is_undone() {
    let (store, [first, second, third]) = scored_three_times().await;
    for id in [second, first] {
        assert_eq!(undo(&store, id).await.unwrap().left, 0);
        assert_nights(&store, &[derived(40, 480)]);
    }
    undo(&store, third).await.unwrap();
    assert_nights(&store, &[]);
}

#[tokio::test]
async fn a_night_whose_place_a_backend_has_by_now_stays_away_and_is_counted() {
    let store = MemoryStore::with(person());
    import(&store, vec![session(derived(0, 480))]).await;
    let longer = import(&store, vec![session(derived(20, 480))]).await;
    store_otherwise(&store, vec![session(derived(40, 480))]).await;
    assert_eq!(undo(&store, longer).await.unwrap(), Undone { taken_back: 0, left: 2 });
    assert_nights(&store, &[derived(40, 480)]);
}

#[tokio::test]
async fn a_session_whose_place_a_later_import_has_waits_for_that_one() {
    let store = MemoryStore::with(person());
    import(&store, vec![session(derived(100, 280))]).await;
    let joined = import(&store, vec![session(derived(200, 290))]).await;
    let again = import(&store, vec![session(derived(100, 190))]).await;
    assert_eq!(undo(&store, joined).await.unwrap(), Undone { taken_back: 2, left: 0 });
    assert_nights(&store, &[derived(100, 190)]);
    assert_eq!(undo(&store, again).await.unwrap(), Undone { taken_back: 2, left: 0 });
    assert_nights(&store, &[derived(100, 280)]);
}
