use super::memory_store::MemoryStore;
use super::record::{
    at, derived, derived_bare, derived_deep, keyed, keyed_bare, minute, own_session, session, session_id,
};
use super::{counts, import};
use crate::testing::{noon, person};
use chrono::{SubsecRound, TimeDelta};

/// A store with these sessions of the user from an earlier import.
async fn store_of(records: impl IntoIterator<Item = domain::sleep::SleepRecord>) -> MemoryStore {
    let store = MemoryStore::with(person());
    import(&store, records.into_iter().map(session)).await;
    store
}

#[tokio::test]
async fn a_new_session_is_stored_for_the_person_as_of_now() {
    let store = store_of([derived(0, 480)]).await;
    let stored = store.sessions();
    assert_eq!(stored[0].record, derived(0, 480));
    assert_eq!(stored[0].updated_at, noon().trunc_subsecs(3));
    assert_eq!(store.content().sessions[0].0, person().id);
}

#[tokio::test]
async fn a_session_that_ends_more_than_a_day_in_the_future_is_rejected() {
    let store = MemoryStore::with(person());
    let ahead = (noon() - minute(0)).num_minutes() + 24 * 60;
    let report =
        import(&store, [session(derived(ahead - 480, ahead)), session(derived(ahead + 60, ahead + 480))])
            .await;
    assert_eq!(report.sessions, counts(1, 0, 0));
    let reason = "it ends more than a day in the future; the clock that recorded it was wrong";
    assert_eq!(report.rejected.iter().map(|one| one.reason.as_str()).collect::<Vec<_>>(), [reason]);
    assert_eq!(store.sessions().len(), 1);
}

#[tokio::test]
async fn the_same_session_again_is_unchanged_and_not_written() {
    let store = store_of([keyed("7", 0, 480), derived(1_440, 1_900)]).await;
    let before = store.sessions();
    let report = import(&store, [session(keyed("7", 0, 480)), session(derived(1_440, 1_900))]).await;
    assert_eq!(report.sessions, counts(0, 0, 2));
    assert_eq!(store.sessions(), before);
    assert_eq!(store.calls().count("sleep.update"), 0);
}

#[tokio::test]
async fn a_duplicate_session_in_a_batch_is_counted_once() {
    let store = MemoryStore::with(person());
    let report = import(&store, [session(keyed("7", 0, 480)), session(keyed("7", 0, 480))]).await;
    assert_eq!((report.sessions, report.stage_entries), (counts(1, 0, 0), 1));
    assert_eq!(store.sessions().len(), 1);
}

#[tokio::test]
async fn of_two_versions_in_one_batch_the_later_is_stored_and_they_count_once() {
    let store = MemoryStore::with(person());
    let report = import(&store, [session(derived(0, 480)), session(derived_deep(0, 480))]).await;
    assert_eq!(report.sessions, counts(1, 0, 0));
    assert_eq!(store.sessions().len(), 1);
    assert_eq!(store.sessions()[0].record, derived_deep(0, 480));
}

#[tokio::test]
async fn a_session_with_another_content_is_updated_and_keeps_its_id() {
    let store = store_of([keyed("7", 0, 480)]).await;
    let id = store.sessions()[0].id;
    let report = import(&store, [session(keyed("7", 5, 470))]).await;
    assert_eq!(report.sessions, counts(0, 1, 0));
    assert_eq!(store.sessions().len(), 1);
    assert_eq!((store.sessions()[0].id, &store.sessions()[0].record), (id, &keyed("7", 5, 470)));
}

#[tokio::test]
async fn a_longer_session_replaces_those_it_joins_and_is_counted_as_updated() {
    let store = store_of([derived(0, 200), derived(230, 480)]).await;
    let report = import(&store, [session(derived(-10, 490))]).await;
    assert_eq!(report.sessions, counts(0, 1, 0));
    let stored: Vec<_> = store.sessions().into_iter().map(|session| session.record).collect();
    assert_eq!(stored, [derived(-10, 490)]);
}

#[tokio::test]
async fn a_session_of_the_same_batch_can_be_joined_too() {
    let store = MemoryStore::with(person());
    import(&store, [session(derived(10, 200)), session(derived(0, 480))]).await;
    let stored: Vec<_> = store.sessions().into_iter().map(|session| session.record).collect();
    assert_eq!(stored, [derived(0, 480)]);
}

#[tokio::test]
async fn the_records_of_an_own_export_keep_id_and_time_of_change() {
    let store = MemoryStore::with(person());
    let report = import(&store, [own_session(4, derived(0, 480))]).await;
    assert_eq!(report.sessions, counts(1, 0, 0));
    assert_eq!((store.sessions()[0].id, store.sessions()[0].updated_at), (session_id(4), minute(2_000)));
}

#[tokio::test]
async fn an_own_export_read_again_changes_nothing() {
    let store = MemoryStore::with(person());
    let items = || [own_session(4, derived(0, 480)), own_session(5, keyed("7", 500, 600))];
    import(&store, items()).await;
    let before = store.sessions();
    assert_eq!(import(&store, items()).await.sessions, counts(0, 0, 2));
    assert_eq!(store.sessions(), before);
}

#[tokio::test]
async fn a_session_of_a_restwell_export_is_recognised_by_its_id_after_it_moved() {
    let store = MemoryStore::with(person());
    import(&store, [own_session(4, derived(0, 480))]).await;
    let later = derived(600, 900);
    let report = import(&store, [own_session(4, later.clone())]).await;
    assert_eq!(report.sessions, counts(0, 1, 0));
    assert_eq!(store.sessions().len(), 1);
    assert_eq!((store.sessions()[0].id, &store.sessions()[0].record), (session_id(4), &later));
}

#[tokio::test]
async fn a_session_of_a_restwell_export_recognised_by_its_key_keeps_the_stored_id() {
    let store = store_of([keyed("7", 0, 480)]).await;
    let id = store.sessions()[0].id;
    assert_eq!(import(&store, [own_session(4, keyed("7", 0, 480))]).await.sessions, counts(0, 0, 1));
    assert_eq!(import(&store, [own_session(4, keyed("7", 0, 470))]).await.sessions, counts(0, 1, 0));
    assert_eq!(store.sessions().len(), 1);
    assert_eq!(store.sessions()[0].id, id);
}

#[tokio::test]
async fn a_session_whose_id_and_key_belong_to_two_sessions_is_rejected_alone() {
    let store = MemoryStore::with(person());
    import(&store, [own_session(1, keyed("k1", 0, 480)), own_session(2, keyed("k2", 1_440, 1_900))]).await;
    let before = store.sessions();
    let items = [
        at(1, session(keyed("k3", 3_000, 3_400))),
        at(2, own_session(1, keyed("k2", 0, 480))),
        at(3, session(keyed("k4", 5_000, 5_400))),
    ];
    let report = import(&store, items).await;
    assert_eq!((report.sessions, report.rejected_total), (counts(2, 0, 0), 1));
    assert_eq!(report.rejected[0].place, "line 2");
    assert!(report.rejected[0].reason.contains("id") && report.rejected[0].reason.contains("key"));
    assert_eq!(store.sessions()[..2], before);
    assert_eq!(store.sessions().len(), 4);
}

#[tokio::test]
async fn a_session_that_conflicts_with_one_of_its_batch_is_rejected_too() {
    let store = MemoryStore::with(person());
    import(&store, [own_session(1, keyed("k1", 0, 480))]).await;
    let items = [session(keyed("k2", 1_440, 1_900)), own_session(1, keyed("k2", 0, 480))];
    let report = import(&store, items).await;
    assert_eq!((report.sessions, report.rejected_total), (counts(1, 0, 0), 1));
}

#[tokio::test]
async fn overlapping_sessions_of_a_restwell_export_do_not_replace_each_other() {
    let store = MemoryStore::with(person());
    let items = [own_session(4, derived(0, 480)), own_session(5, derived(100, 300))];
    assert_eq!(import(&store, items).await.sessions, counts(2, 0, 0));
    assert_eq!(store.sessions().len(), 2);
}

#[tokio::test]
async fn the_time_of_a_change_is_stored_in_milliseconds() {
    let store = MemoryStore::with(person());
    let mut item = own_session(4, derived(0, 480));
    if let crate::ports::import_source::ImportItem::Session(session) = &mut item {
        session.updated_at = Some(minute(1) + TimeDelta::microseconds(1_999));
    }
    import(&store, [item]).await;
    assert_eq!(store.sessions()[0].updated_at, minute(1) + TimeDelta::milliseconds(1));
}

#[tokio::test]
async fn only_the_last_of_several_overlapping_sessions_is_written() {
    let store = MemoryStore::with(person());
    let nested = (0..400).rev().map(|number| session(derived(number, 1_000 - number)));
    let report = import(&store, nested).await;
    assert_eq!(report.sessions.unchanged, 0);
    let stored: Vec<_> = store.sessions().into_iter().map(|session| session.record).collect();
    assert_eq!(stored, [derived(0, 1_000)]);
    let calls = store.calls();
    assert_eq!(
        (calls.count("sleep.insert"), calls.count("sleep.update"), calls.count("sleep.delete")),
        (1, 0, 0)
    );
}

#[tokio::test]
async fn replaced_sessions_of_many_nights_are_deleted_in_one_statement() {
    let store = store_of((0..200).map(|night| derived(1_440 * night, 1_440 * night + 480))).await;
    let longer = (0..200).map(|night| session(derived(1_440 * night - 10, 1_440 * night + 490)));
    assert_eq!(import(&store, longer).await.sessions, counts(0, 200, 0));
    assert_eq!(store.sessions().len(), 200);
    assert_eq!(store.calls().count("sleep.delete"), 1);
}

#[tokio::test]
async fn a_replaced_session_is_deleted_before_another_one_gets_its_key() {
    let store = store_of([derived(0, 480)]).await;
    import(&store, [own_session(4, keyed("7", 2_000, 2_400))]).await;
    // The first replaces the night; the second, matched by its id, then gets the night's key.
    let items = [session(derived(-10, 490)), own_session(4, derived(0, 470))];
    assert_eq!(import(&store, items).await.sessions, counts(0, 2, 0));
    let stored: Vec<_> = store.sessions().into_iter().map(|session| session.record).collect();
    assert_eq!(stored.len(), 2);
    assert!(stored.contains(&derived(-10, 490)) && stored.contains(&derived(0, 470)));
}

#[tokio::test]
async fn a_night_and_a_nap_within_it_that_only_has_stages_are_stored_in_any_order() {
    let (night, nap) = (derived_bare(0, 480), derived(100, 130));
    for order in [[&night, &nap], [&nap, &night]] {
        let items = || order.map(|record| session(record.clone()));
        let (one_by_one, folder) = (MemoryStore::with(person()), MemoryStore::with(person()));
        for item in items() {
            assert_eq!(import(&one_by_one, [item]).await.sessions, counts(1, 0, 0));
        }
        assert_eq!(import(&folder, items()).await.sessions, counts(2, 0, 0));
        for store in [&one_by_one, &folder] {
            assert_eq!(import(store, items()).await.sessions, counts(0, 0, 2));
            assert_eq!(store.sessions().len(), 2);
        }
    }
}

#[tokio::test]
async fn what_a_record_takes_from_a_session_of_an_earlier_import_is_noted() {
    let note = |what: &str| vec![format!("replaced a session that had {what}")];
    for (before, after, expected) in [
        (keyed("7", 0, 480), keyed_bare("7", 0, 480), note("stages")),
        (keyed("7", 0, 480), keyed("7", 5, 470), vec![]),
        (derived(0, 480), derived(0, 300), note("a longer time in bed")),
        (derived(0, 480), derived(0, 490), vec![]),
    ] {
        let store = store_of([before]).await;
        let report = import(&store, [session(after.clone())]).await;
        assert_eq!(report.sessions, counts(0, 1, 0));
        assert_eq!(report.notes.into_iter().map(|note| note.reason).collect::<Vec<_>>(), expected);
        assert_eq!(store.sessions()[0].record, after);
    }
}
