use super::super::session_index::SessionIndex;
use super::record::{derived, derived_bare, keyed};
use domain::sleep::SleepRecord;
use std::collections::BTreeSet;

fn near<'r>(records: impl IntoIterator<Item = &'r SleepRecord>) -> SessionIndex {
    let mut near = SessionIndex::default();
    for (number, record) in (0..).zip(records) {
        near.add(record, number);
    }
    near
}

#[test]
fn at_most_two_of_thousands_of_overlapping_logs_are_examined() {
    let same_minutes = (0..2_000).map(|number| keyed(&format!("same {number}"), 0, 480));
    let others = (0..2_000).map(|number| keyed(&format!("other {number}"), -number, 480 + number));
    let logs: Vec<_> = same_minutes.chain(others).collect();
    let near = near(&logs);
    assert_eq!(near.near(&keyed("new", 0, 480)).len(), 0);
    assert_eq!(near.near(&keyed("same 7", 0, 480)), BTreeSet::from([7]));
    assert_eq!(near.near(&derived(0, 480)), BTreeSet::from([0]));
    assert_eq!(near.near(&derived(1, 480)).len(), 0);
}

#[test]
fn only_a_few_of_thousands_of_short_sessions_near_a_record_are_examined() {
    // A week of naps, and one night of maximum length.
    let naps: Vec<_> = (0..10_000).map(|start| derived(start, start + 1)).collect();
    let near = near(naps.iter().chain(&[derived(10_000, 20_080)]));
    let found = near.near(&derived_bare(5_000, 5_001));
    assert!(found.contains(&5_000) && found.len() <= 8, "{found:?}");
}

#[test]
fn removed_sessions_are_not_considered() {
    let records = [derived(0, 480), keyed("7", 0, 480)];
    let mut near = near(&records);
    assert_eq!(near.near(&records[0]), BTreeSet::from([0, 1]));
    near.remove(&records[0], 0);
    near.remove(&records[1], 1);
    assert_eq!(near.near(&records[0]).len() + near.near(&records[1]).len(), 0);
    assert_eq!(near.with_key(records[1].key()).count(), 0);
}
