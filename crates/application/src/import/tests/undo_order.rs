//! Several imports, undone in any order.

use super::memory_store::MemoryStore;
use super::record::{
    derived, derived_bare, derived_deep, given, intake, log, own_session, own_supplement, session,
    supplement, supplement_id,
};
use super::undo::{import, records, store_otherwise, undo};
use crate::import::Undone;
use crate::ports::import_source::ImportItem;
use crate::ports::storage::RecordReference;
use crate::testing::person;
use domain::id::{ImportId, SleepSessionId};
use domain::sleep::SleepRecord;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// A record out of few, so that imports meet.
#[derive(Debug, Clone, Copy)]
enum Few {
    /// A session that its source gave this key, and when it began.
    Keyed(u8, i64),
    /// An intake at this time, and how much.
    Log(i64, u8),
    /// A label with this key, and its name.
    Label(u8, u8),
    /// A night of that many minutes from this one on; whether the sleep is deep. It overlaps others, begins with some of
    /// them, and says the same as others.
    Night(i64, i64, bool),
    /// The same of a night without stages.
    Bare(i64, i64),
}

impl Few {
    fn item(self) -> ImportItem {
        match self {
            Self::Keyed(key, start) => session(given(&key.to_string(), 9000 + start, 9100)),
            Self::Log(at, servings) => log(intake(supplement_id(1), at, f64::from(servings), None)),
            Self::Label(key, name) => supplement(&key.to_string(), &format!("Name {name}")),
            Self::Bare(start, length) => session(derived_bare(start, start + length)),
            Self::Night(start, length, true) => session(derived_deep(start, start + length)),
            Self::Night(start, length, false) => session(derived(start, start + length)),
        }
    }
}

fn any_record() -> impl Strategy<Value = Few> {
    let keyed = prop_oneof![
        (0..3_u8, 0..3_i64).prop_map(|(key, start)| Few::Keyed(key, start)),
        (0..3_i64, 1..4_u8).prop_map(|(at, servings)| Few::Log(at, servings)),
        (0..2_u8, 0..3_u8).prop_map(|(key, name)| Few::Label(key, name)),
    ];
    let night = (0..6_i64, 1..5_i64, any::<bool>())
        .prop_map(|(start, length, is_deep)| Few::Night(start * 100, length * 90, is_deep));
    prop_oneof![3 => night, 1 => keyed]
}

/// The same, and nights that do not take the place of any that say more.
fn any_record_or_bare() -> impl Strategy<Value = Few> {
    let bare = (0..6_i64, 1..5_i64).prop_map(|(start, length)| Few::Bare(start * 100, length * 90));
    prop_oneof![2 => any_record(), 1 => bare]
}

fn some(one: impl Strategy<Value = Few>) -> impl Strategy<Value = Vec<Few>> {
    prop::collection::vec(one, 1..5)
}

/// Leaves out the nights that overlap one before: a file tells each night once.
fn apart(few: Vec<Few>) -> Vec<Few> {
    let mut told: Vec<(i64, i64)> = Vec::new();
    let is_new = |one: &Few| {
        let (start, end) = match one {
            Few::Night(start, length, _) | Few::Bare(start, length) => (*start, start + length),
            Few::Keyed(..) | Few::Log(..) | Few::Label(..) => return true,
        };
        let is_apart = told.iter().all(|(other, other_end)| end <= *other || start >= *other_end);
        told.extend(is_apart.then_some((start, end)));
        is_apart
    };
    few.into_iter().filter(is_new).collect()
}

/// Imports these, and returns by which id that can be undone.
async fn import_few(store: &MemoryStore, few: Vec<Few>) -> ImportId {
    import(store, few.into_iter().map(Few::item).collect()).await
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

/// What an import left of each night that it changed.
type Effect = BTreeMap<SleepSessionId, Option<SleepRecord>>;
type Nights = BTreeMap<SleepSessionId, SleepRecord>;

fn nights_by_id(store: &MemoryStore) -> Nights {
    let sessions = store.sessions().into_iter().filter(|session| !session.record.key().is_given());
    sessions.map(|session| (session.id, session.record)).collect()
}

/// Says in short when nights were.
fn stretches(nights: &Nights) -> Vec<String> {
    let times = nights.iter().map(|(id, night)| (id, night.time_in_bed()));
    times.map(|(id, time)| format!("{id} {} to {}", time.start(), time.end())).collect()
}

/// Finds what changed since: also what was changed back.
fn effect(store: &MemoryStore, before: &Nights, numbers: &HashMap<RecordReference, u64>) -> Effect {
    let (after, now) = (nights_by_id(store), store.content().imports.numbers);
    let is_written = |id: &&SleepSessionId| {
        let record = RecordReference::Session(**id);
        now.get(&record) != numbers.get(&record)
    };
    let ids = before.keys().chain(after.keys());
    ids.filter(is_written).map(|id| (*id, after.get(id).cloned())).collect()
}

/// Does once more what an import did: what it brings takes the place of all that it overlaps, and what else it removed goes.
fn again(nights: &mut Nights, effect: &Effect, first: &BTreeMap<SleepSessionId, SleepRecord>) {
    let overlap = |one: &SleepRecord, other: &SleepRecord| one.time_in_bed().overlaps(other.time_in_bed());
    let brought: Vec<_> = effect.values().flatten().collect();
    for (id, record) in effect {
        let is_explained = first.get(id).is_some_and(|was| brought.iter().any(|new| overlap(new, was)));
        if record.is_none() && !is_explained {
            nights.remove(id);
        }
    }
    nights.retain(|_, night| !brought.iter().any(|new| overlap(new, night)));
    nights.extend(effect.iter().filter_map(|(id, record)| Some((*id, record.clone()?))));
}

/// Imports these one after the other, takes them back in this order, compares after each with what the others do alone, and
/// tells what was there before and is after.
async fn there_and_back(
    first: Vec<Few>,
    imports: Vec<Vec<Few>>,
    order: &[prop::sample::Index],
) -> Result<(Vec<String>, Vec<String>), TestCaseError> {
    let store = MemoryStore::with(person());
    import(&store, vec![own_supplement(1, "own", "Zinc")]).await;
    import_few(&store, first).await;
    let (before, base) = (records(&store), nights_by_id(&store));
    let mut standing = Vec::new();
    for items in imports {
        let (found, numbers) = (nights_by_id(&store), store.content().imports.numbers);
        let id = import_few(&store, apart(items)).await;
        standing.push((id, effect(&store, &found, &numbers), found));
    }
    prop_assert!(no_two_overlap(&store));
    for next in order {
        if standing.is_empty() {
            break;
        }
        let (id, ..) = standing.remove(next.index(standing.len()));
        prop_assert_eq!(undo(&store, id).await.unwrap().left, 0);
        let mut expected = base.clone();
        for (_, effect, found) in &standing {
            again(&mut expected, effect, found);
        }
        prop_assert!(
            nights_by_id(&store) == expected,
            "{:?}, not {:?}",
            stretches(&nights_by_id(&store)),
            stretches(&expected)
        );
        prop_assert!(no_two_overlap(&store), "{:?}", nights(&store));
    }
    Ok((before, records(&store)))
}

proptest! {
    #[test]
    fn imports_undone_in_any_order_leave_what_the_others_would_have_made_alone(
        first in some(any_record()), imports in prop::collection::vec(some(any_record()), 1..6),
        order in prop::collection::vec(any::<prop::sample::Index>(), 6),
    ) {
        let (before, after) = run(there_and_back(first, imports, &order))?;
        prop_assert_eq!(after, before);
    }
}

/// Imports these one after the other, and takes them back, the latest first.
async fn there_and_back_again(imports: Vec<Vec<Few>>) -> Result<(), TestCaseError> {
    let store = MemoryStore::with(person());
    import(&store, vec![own_supplement(1, "own", "Zinc")]).await;
    let mut steps = Vec::new();
    for items in imports {
        let before = records(&store);
        steps.push((import_few(&store, items).await, before));
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
        imports in prop::collection::vec(some(any_record_or_bare()), 1..6),
    ) {
        run(there_and_back_again(imports))?;
    }

    #[test]
    fn nights_of_which_little_is_known_are_as_before_too_when_all_imports_are_undone(
        first in some(any_record_or_bare()), imports in prop::collection::vec(some(any_record_or_bare()), 1..6),
        order in prop::collection::vec(any::<prop::sample::Index>(), 6),
    ) {
        run(all_there_and_back(first, imports, &order))?;
    }
}

/// Imports these one after the other, takes all but the first back in this order, and compares.
async fn all_there_and_back(
    first: Vec<Few>,
    imports: Vec<Vec<Few>>,
    order: &[prop::sample::Index],
) -> Result<(), TestCaseError> {
    let store = MemoryStore::with(person());
    import(&store, vec![own_supplement(1, "own", "Zinc")]).await;
    import_few(&store, first).await;
    let before = records(&store);
    let mut standing = Vec::new();
    for few in imports {
        standing.push(import_few(&store, few).await);
    }
    for next in order.iter().take(standing.len()).collect::<Vec<_>>() {
        let id = standing.remove(next.index(standing.len()));
        prop_assert_eq!(undo(&store, id).await.unwrap().left, 0);
    }
    prop_assert!(records(&store) == before, "{:?}", stretches(&nights_by_id(&store)));
    Ok(())
}

/// The nights that are stored now.
fn assert_nights(store: &MemoryStore, expected: &[SleepRecord]) {
    assert_eq!(nights(store), expected);
}

/// A night that each file has scored anew, under another key.
async fn scored_three_times() -> (MemoryStore, [ImportId; 3]) {
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
    assert_eq!(undo(&store, second).await.unwrap(), Undone { removed: 2, restored: 0, left: 0 });
    assert_nights(&store, &[derived(40, 480)]);
    // It brings back what it would have found without the one between.
    assert_eq!(undo(&store, third).await.unwrap().left, 0);
    assert_nights(&store, &[derived(0, 480)]);
    assert_eq!(undo(&store, first).await.unwrap(), Undone { removed: 1, restored: 0, left: 0 });
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
    assert_eq!(undo(&store, longer).await.unwrap(), Undone { removed: 0, restored: 0, left: 2 });
    assert_nights(&store, &[derived(40, 480)]);
}

#[tokio::test]
async fn a_session_whose_place_a_later_import_has_waits_for_that_one() {
    let store = MemoryStore::with(person());
    import(&store, vec![session(derived(100, 280))]).await;
    let joined = import(&store, vec![session(derived(200, 290))]).await;
    let again = import(&store, vec![session(derived(100, 190))]).await;
    assert_eq!(undo(&store, joined).await.unwrap(), Undone { removed: 2, restored: 0, left: 0 });
    assert_nights(&store, &[derived(100, 190)]);
    assert_eq!(undo(&store, again).await.unwrap(), Undone { removed: 1, restored: 1, left: 0 });
    assert_nights(&store, &[derived(100, 280)]);
}

#[tokio::test]
async fn nights_that_imports_joined_and_parted_in_turns_are_what_the_others_would_have_made() {
    let store = MemoryStore::with(person());
    import(&store, vec![session(derived(300, 390)), session(derived(500, 590))]).await;
    let joined = import(&store, vec![session(derived(400, 580))]).await;
    let long = import(&store, vec![session(derived(300, 570))]).await;
    let early = import(&store, vec![session(derived(200, 380))]).await;
    // Without it the long night takes the place of both, and the early one that of the long.
    assert_eq!(undo(&store, joined).await.unwrap(), Undone { removed: 2, restored: 0, left: 0 });
    assert_nights(&store, &[derived(200, 380)]);
    assert_eq!(undo(&store, early).await.unwrap().left, 0);
    assert_nights(&store, &[derived(300, 570)]);
    assert_eq!(undo(&store, long).await.unwrap().left, 0);
    assert_nights(&store, &[derived(300, 390), derived(500, 590)]);
}

#[tokio::test]
async fn nights_that_an_export_of_restwells_own_let_be_side_by_side_come_back_side_by_side() {
    let store = MemoryStore::with(person());
    import(&store, vec![session(derived(0, 480))]).await;
    import(&store, vec![own_session(1, derived(100, 580))]).await;
    let joined = import(&store, vec![session(derived(50, 500))]).await;
    assert_nights(&store, &[derived(50, 500)]);
    assert_eq!(undo(&store, joined).await.unwrap(), Undone { removed: 1, restored: 2, left: 0 });
    assert_nights(&store, &[derived(0, 480), derived(100, 580)]);
}

#[tokio::test]
async fn a_night_that_says_less_waits_while_another_has_its_place() {
    let store = MemoryStore::with(person());
    let whole = import(&store, vec![session(derived(0, 300))]).await;
    let short = import(&store, vec![session(derived(0, 90))]).await;
    let bare = import(&store, vec![session(derived_bare(200, 290))]).await;
    assert_nights(&store, &[derived(0, 90), derived_bare(200, 290)]);
    assert_eq!(undo(&store, short).await.unwrap().left, 0);
    assert_nights(&store, &[derived(0, 300)]);
    assert_eq!(undo(&store, whole).await.unwrap().left, 0);
    assert_nights(&store, &[derived_bare(200, 290)]);
    assert_eq!(undo(&store, bare).await.unwrap(), Undone { removed: 1, restored: 0, left: 0 });
    assert_nights(&store, &[]);
}
