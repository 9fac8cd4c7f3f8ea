use super::record::{derived, derived_bare, keyed, own_session, session};
use crate::import::run::Origin;
use crate::import::session_order::in_order_of_precedence;
use crate::ports::import_source::ImportItem;
use domain::sleep::SleepRecord;

fn in_order(origin: Origin, items: &[ImportItem]) -> Vec<SleepRecord> {
    let sessions = items.iter().enumerate().map(|(position, item)| match item {
        ImportItem::Session(session) => (position, session.as_ref()),
        other => panic!("{other:?}"),
    });
    let sorted = in_order_of_precedence(origin, sessions.collect());
    sorted.into_iter().map(|(_, session)| session.record.clone()).collect()
}

#[test]
fn overlapping_records_of_a_file_are_sorted_and_others_keep_their_places() {
    let records = [derived(900, 960), derived(0, 100), derived_bare(50, 480), derived(470, 700)];
    let [nap, short, bare, long] = records.clone();
    let items = records.map(session);
    assert_eq!(in_order(Origin::File, &items), [nap.clone(), long.clone(), short.clone(), bare.clone()]);
    assert_eq!(in_order(Origin::Request, &items), [nap, short, bare, long]);
}

#[test]
fn records_with_a_sources_id_come_first_and_those_of_an_own_export_last() {
    let [first, second, third] = [derived(0, 480), derived(900, 960), keyed("7", 0, 480)];
    let items = [own_session(1, first.clone()), session(second.clone()), session(third.clone())];
    assert_eq!(in_order(Origin::File, &items), [third, second, first]);
}
