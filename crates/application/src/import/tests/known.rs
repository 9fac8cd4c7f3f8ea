use super::super::known::KnownRecords;
use super::record::{derived, derived_bare, keyed, minute};
use domain::id::SleepSessionId;
use domain::sleep::{SleepRecord, SleepSession, reconcile};
use proptest::prelude::*;
use uuid::Uuid;

fn session(number: u128, record: SleepRecord) -> SleepSession {
    SleepSession { id: SleepSessionId::from_uuid(Uuid::from_u128(number)), record, updated_at: minute(0) }
}

/// Logs, sessions with source keys, and some without stages; few distinct minutes, so that many are twins.
fn records() -> impl Strategy<Value = SleepRecord> {
    let key = prop::option::of("[a-d]");
    let length = prop_oneof![1_i64..10_080, 1_i64..4];
    let start = prop_oneof![0_i64..3_000, 0_i64..4];
    (start, length, key, any::<bool>()).prop_map(|(start, length, key, is_bare)| match key {
        Some(key) => keyed(&key, start, start + length),
        None if is_bare => derived_bare(start, start + length),
        None => derived(start, start + length),
    })
}

proptest! {
    /// The index returns enough sessions to decide, in the same order.
    #[test]
    fn nearby_sessions_lead_to_the_same_decision_as_all_known_ones(
        stored in prop::collection::vec(records(), 0..12),
        waiting in prop::collection::vec(records(), 0..12),
        record in records(),
    ) {
        let numbered = |from: u128| move |(number, record)| session(from + number, record);
        let stored: Vec<_> = (0..).zip(stored).map(numbered(0)).collect();
        let waiting: Vec<_> = (0..).zip(waiting).map(numbered(100)).collect();
        let mut known = KnownRecords::stored(stored.clone());
        waiting.iter().cloned().for_each(|session| known.insert(session));
        let all: Vec<_> = stored.into_iter().chain(waiting.clone()).collect();
        prop_assert_eq!(reconcile(&known.near(&record), &record), reconcile(&all, &record));
        prop_assert_eq!(known.into_waiting(), waiting);
    }
}

#[test]
fn a_session_that_is_replaced_or_forgotten_is_not_found_as_it_was() {
    let [one, other] = [session(1, keyed("7", 0, 480)), session(2, keyed("8", 2_000, 2_400))];
    let mut known = KnownRecords::stored([one.clone(), one.clone()]);
    known.insert(other.clone());
    assert_eq!((known.is_waiting(one.id), known.is_waiting(other.id)), (false, true));
    let moved = session(1, keyed("9", 2_500, 2_900));
    known.replace(moved.clone());
    known.replace(session(2, keyed("8", 2_100, 2_400)));
    assert_eq!(known.get(one.id), Some(&moved));
    assert_eq!((known.is_waiting(one.id), known.is_waiting(other.id)), (false, true));
    assert_eq!(known.with_key(one.record.source(), one.record.key()), None);
    assert_eq!(known.near(&keyed("7", 0, 480)), Vec::<&SleepSession>::new());
    known.forget(one.id);
    assert_eq!((known.get(one.id), known.with_key(one.record.source(), moved.record.key())), (None, None));
    assert_eq!(known.into_waiting(), [session(2, keyed("8", 2_100, 2_400))]);
}
