//! Several imports, undone in different orders.

use super::memory_store::MemoryStore;
use super::record::{
    derived, derived_bare, derived_deep, intake, keyed, log, own_session, own_supplement, session,
    supplement, supplement_id,
};
use super::undo::{import, records, store_without_import, undo};
use crate::import::{KeptReason, UndoCounts};
use crate::ports::import_source::ImportItem;
use crate::testing::person;
use domain::id::ImportId;
use domain::sleep::SleepRecord;
use proptest::prelude::*;

/// A record out of few, so that imports collide.
#[derive(Debug, Clone, Copy)]
enum CollidingRecord {
    /// A session with this source key and start.
    Keyed(u8, i64),
    /// An intake with this time and amount.
    Log(i64, u8),
    /// A label with this key and name.
    Label(u8, u8),
    /// A night with this start and length in minutes, and whether the sleep is deep. Nights may overlap,
    /// start together or be equal.
    Night(i64, i64, bool),
    /// A night without stages, with start and length.
    Bare(i64, i64),
}

impl CollidingRecord {
    fn item(self) -> ImportItem {
        match self {
            Self::Keyed(key, start) => session(keyed(&key.to_string(), 9000 + start, 9100)),
            Self::Log(at, servings) => log(intake(supplement_id(1), at, f64::from(servings), None)),
            Self::Label(key, name) => supplement(&key.to_string(), &format!("Name {name}")),
            Self::Bare(start, length) => session(derived_bare(start, start + length)),
            Self::Night(start, length, true) => session(derived_deep(start, start + length)),
            Self::Night(start, length, false) => session(derived(start, start + length)),
        }
    }
}

fn any_record() -> impl Strategy<Value = CollidingRecord> {
    let keyed = prop_oneof![
        (0..3_u8, 0..3_i64).prop_map(|(key, start)| CollidingRecord::Keyed(key, start)),
        (0..3_i64, 1..4_u8).prop_map(|(at, servings)| CollidingRecord::Log(at, servings)),
        (0..2_u8, 0..3_u8).prop_map(|(key, name)| CollidingRecord::Label(key, name)),
    ];
    let night = (0..6_i64, 1..5_i64, any::<bool>())
        .prop_map(|(start, length, is_deep)| CollidingRecord::Night(start * 100, length * 90, is_deep));
    prop_oneof![3 => night, 1 => keyed]
}

/// Any record, including nights that replace none with more detail.
fn any_record_or_bare() -> impl Strategy<Value = CollidingRecord> {
    let bare =
        (0..6_i64, 1..5_i64).prop_map(|(start, length)| CollidingRecord::Bare(start * 100, length * 90));
    prop_oneof![2 => any_record(), 1 => bare]
}

fn some(one: impl Strategy<Value = CollidingRecord>) -> impl Strategy<Value = Vec<CollidingRecord>> {
    prop::collection::vec(one, 1..5)
}

/// Imports these records and returns the import's id.
async fn import_few(store: &MemoryStore, few: Vec<CollidingRecord>) -> ImportId {
    import(store, few.into_iter().map(CollidingRecord::item).collect()).await
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn nights(store: &MemoryStore) -> Vec<SleepRecord> {
    let records = store.sessions().into_iter().map(|session| session.record);
    records.filter(|record| !record.key().is_given()).collect()
}

/// Runs these imports, and undoes them in reverse order.
async fn undone_in_reverse_order(imports: Vec<Vec<CollidingRecord>>) -> Result<(), TestCaseError> {
    let store = MemoryStore::with(person());
    import(&store, vec![own_supplement(1, "own", "Zinc")]).await;
    let mut steps = Vec::new();
    for items in imports {
        let before = records(&store);
        steps.push((import_few(&store, items).await, before));
    }
    for (id, before) in steps.into_iter().rev() {
        prop_assert_eq!(undo(&store, id).await.unwrap().counts.kept, 0);
        prop_assert_eq!(records(&store), before);
    }
    Ok(())
}

proptest! {
    #[test]
    fn undoing_the_latest_import_first_restores_exactly_the_previous_state(
        imports in prop::collection::vec(some(any_record_or_bare()), 1..6),
    ) {
        run(undone_in_reverse_order(imports))?;
    }

    #[test]
    fn imports_undone_in_any_order_list_what_they_keep(
        imports in prop::collection::vec(some(any_record_or_bare()), 1..6),
        order in prop::collection::vec(any::<prop::sample::Index>(), 6),
    ) {
        run(out_of_order(imports, &order))?;
    }
}

/// Undoes imports in this order, then again those that kept records, latest first.
async fn out_of_order(
    imports: Vec<Vec<CollidingRecord>>,
    order: &[prop::sample::Index],
) -> Result<(), TestCaseError> {
    let store = MemoryStore::with(person());
    import(&store, vec![own_supplement(1, "own", "Zinc")]).await;
    let mut ids = Vec::new();
    for items in imports {
        ids.push(import_few(&store, items).await);
    }
    let mut left = ids.clone();
    for next in order {
        if left.is_empty() {
            break;
        }
        let undone = undo(&store, left.remove(next.index(left.len()))).await.unwrap();
        prop_assert_eq!(u64::try_from(undone.kept.len()).unwrap(), undone.counts.kept);
    }
    for id in ids.into_iter().rev() {
        let kept = store.content().imports.all.iter().find(|import| import.id == id).unwrap().undone.clone();
        if kept.counts.kept > 0 {
            undo(&store, id).await.unwrap();
        }
    }
    Ok(())
}

/// Asserts the stored nights.
fn assert_nights(store: &MemoryStore, expected: &[SleepRecord]) {
    assert_eq!(nights(store), expected);
}

#[tokio::test]
async fn a_night_since_replaced_by_a_backend_is_not_restored_but_listed() {
    let store = MemoryStore::with(person());
    import(&store, vec![session(derived(0, 480))]).await;
    let longer = import(&store, vec![session(derived(20, 480))]).await;
    store_without_import(&store, vec![session(derived(40, 480))]).await;
    let undone = undo(&store, longer).await.unwrap();
    assert_eq!(undone.counts, UndoCounts { removed: 0, restored: 0, kept: 2 });
    assert!(undone.kept.iter().all(|record| record.why == KeptReason::Deleted), "{undone:?}");
    assert_nights(&store, &[derived(40, 480)]);
}

#[tokio::test]
async fn overlapping_nights_of_a_restwell_export_are_restored_as_they_were() {
    let store = MemoryStore::with(person());
    import(&store, vec![session(derived(0, 480))]).await;
    import(&store, vec![own_session(1, derived(100, 580))]).await;
    let joined = import(&store, vec![session(derived(50, 500))]).await;
    assert_nights(&store, &[derived(50, 500)]);
    assert_eq!(undo(&store, joined).await.unwrap().counts, UndoCounts { removed: 1, restored: 2, kept: 0 });
    assert_nights(&store, &[derived(0, 480), derived(100, 580)]);
}
