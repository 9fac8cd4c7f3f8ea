//! Sessions: signed-in browsers.

use crate::Harness;
use crate::fixture::{browser, browser_id, conflict, full_user, hash, seconds, user, user_id};
use application::ports::storage::{SessionWithUser, UniqueKey};
use domain::session::Session;
use domain::user::{User, UserStatus};

/// Stores people 1 and 2.
async fn prepare(harness: &Harness) {
    harness.store_users([1, 2]).await;
}

async fn store(harness: &Harness, sessions: &[Session]) {
    let mut unit = harness.begin().await;
    for session in sessions {
        unit.sessions().insert(session).await.unwrap();
    }
    unit.commit().await.unwrap();
}

fn browser_of(number: u64, user: u64) -> Session {
    Session { user_id: user_id(user), ..browser(number) }
}

async fn list(harness: &Harness, user: u64) -> Vec<Session> {
    harness.sessions.list_sessions(user_id(user)).await.unwrap()
}

pub(crate) async fn a_cookie_finds_its_session_with_address_state_and_zone(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_user(&full_user(2)).await;
    let seen = Session { last_seen_at: seconds(60), ..browser(1) };
    let old = Session { authenticated_at: seconds(-99_999_999), ..browser_of(2, 2) };
    store(harness, &[seen.clone(), old.clone()]).await;
    for (session, person) in [(seen, user(1)), (old, full_user(2))] {
        let User { id: _, email, home_timezone, created_at: _, status, biology: _ } = person;
        let found = harness.sessions.find_session(&session.token_hash).await.unwrap().unwrap();
        assert_eq!(found.email.as_str(), email.as_str());
        assert_eq!(found, SessionWithUser { session, email, user_status: status, home_timezone });
    }
}

pub(crate) async fn a_session_reads_back_with_the_current_account_state(harness: &Harness) {
    prepare(harness).await;
    store(harness, &[browser(1)]).await;
    let locked = User { status: UserStatus::Locked { at: seconds(1) }, ..user(1) };
    assert!(commit!(harness, users().update(&locked)));
    let found = harness.sessions.find_session(&hash(1)).await.unwrap().unwrap();
    assert_eq!(found.user_status, locked.status);
}

pub(crate) async fn an_unknown_cookie_is_absent(harness: &Harness) {
    prepare(harness).await;
    store(harness, &[browser(1)]).await;
    assert_eq!(harness.sessions.find_session(&hash(2)).await.unwrap(), None);
    assert_eq!(list(harness, 2).await, []);
}

pub(crate) async fn a_taken_id_or_cookie_is_a_conflict(harness: &Harness) {
    prepare(harness).await;
    store(harness, &[browser(1)]).await;
    let mut unit = harness.begin().await;
    let same_id = Session { token_hash: hash(2), ..browser(1) };
    let same_cookie = Session { token_hash: hash(1), ..browser_of(2, 2) };
    for taken in [same_id, same_cookie] {
        assert_eq!(conflict(unit.sessions().insert(&taken).await), UniqueKey::Session);
    }
    unit.sessions().insert(&browser(3)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(list(harness, 1).await, [browser(1), browser(3)]);
    assert_eq!(list(harness, 2).await, []);
}

pub(crate) async fn a_persons_sessions_are_listed_latest_sign_in_first(harness: &Harness) {
    prepare(harness).await;
    let at = |number, second| Session { authenticated_at: seconds(second), ..browser(number) };
    store(harness, &[at(4, 5), at(1, 3), at(3, 5), at(2, 9), browser_of(5, 2)]).await;
    assert_eq!(list(harness, 1).await, [at(2, 9), at(3, 5), at(4, 5), at(1, 3)]);
}

pub(crate) async fn a_session_is_found_under_its_person_until_it_is_deleted(harness: &Harness) {
    prepare(harness).await;
    store(harness, &[browser(1), browser_of(2, 2)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.sessions().find(user_id(1), browser_id(1)).await.unwrap(), Some(browser(1)));
    assert_eq!(unit.sessions().find(user_id(2), browser_id(1)).await.unwrap(), None);
    assert!(unit.sessions().delete(user_id(1), browser_id(1)).await.unwrap());
    assert_eq!(unit.sessions().find(user_id(1), browser_id(1)).await.unwrap(), None);
}

pub(crate) async fn a_later_use_wins(harness: &Harness) {
    prepare(harness).await;
    store(harness, &[browser(1), browser(2)]).await;
    for (used_at, expected) in [(10, 10), (5, 10), (11, 11)] {
        commit!(harness, sessions().record_use(user_id(1), browser_id(1), seconds(used_at)));
        let used = Session { last_seen_at: seconds(expected), ..browser(1) };
        assert_eq!(list(harness, 1).await, [used, browser(2)]);
    }
    let mut unit = harness.begin().await;
    // Neither another person's session nor a deleted one.
    unit.sessions().record_use(user_id(2), browser_id(2), seconds(10)).await.unwrap();
    unit.sessions().record_use(user_id(1), browser_id(3), seconds(10)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(list(harness, 1).await[1], browser(2));
}

pub(crate) async fn only_the_persons_own_session_is_deleted_and_once(harness: &Harness) {
    prepare(harness).await;
    store(harness, &[browser(1), browser(2)]).await;
    let mut unit = harness.begin().await;
    assert!(!unit.sessions().delete(user_id(2), browser_id(1)).await.unwrap());
    assert!(unit.sessions().delete(user_id(1), browser_id(1)).await.unwrap());
    assert!(!unit.sessions().delete(user_id(1), browser_id(1)).await.unwrap());
    unit.commit().await.unwrap();
    assert_eq!(harness.sessions.find_session(&hash(1)).await.unwrap(), None);
    assert_eq!(list(harness, 1).await, [browser(2)]);
}

pub(crate) async fn a_persons_sessions_are_deleted_but_for_the_one_that_is_kept(harness: &Harness) {
    prepare(harness).await;
    store(harness, &[browser(1), browser(2), browser(3), browser_of(4, 2)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.sessions().delete_of_user(user_id(1), Some(browser_id(2))).await.unwrap(), 2);
    for (number, is_kept) in [(1, false), (2, true), (3, false)] {
        let found = unit.sessions().find(user_id(1), browser_id(number)).await.unwrap();
        assert_eq!(found, is_kept.then(|| browser(number)));
    }
    // Another person's session is not kept.
    assert_eq!(unit.sessions().delete_of_user(user_id(1), Some(browser_id(4))).await.unwrap(), 1);
    assert_eq!(unit.sessions().delete_of_user(user_id(1), None).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(list(harness, 1).await, []);
    assert_eq!(list(harness, 2).await, [browser_of(4, 2)]);
    let mut unit = harness.begin().await;
    assert_eq!(unit.sessions().delete_of_user(user_id(2), None).await.unwrap(), 1);
}

pub(crate) async fn sessions_unused_or_signed_in_too_long_ago_are_deleted_up_to_the_limit(harness: &Harness) {
    prepare(harness).await;
    let of = |number, user, authenticated: i64, seen: i64| Session {
        authenticated_at: seconds(authenticated),
        last_seen_at: seconds(seen),
        ..browser_of(number, user)
    };
    // Last seen before 100, signed in before 50, both, neither; the last two are exactly at the cutoffs.
    let live = [of(5, 1, 50, 100), of(4, 1, 50, 200)];
    store(harness, &[of(1, 1, 60, 99), of(2, 2, 49, 200), of(3, 1, 10, 20)]).await;
    store(harness, &live).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.sessions().delete_ended(seconds(0), seconds(0), 10).await.unwrap(), 0);
    assert_eq!(unit.sessions().delete_ended(seconds(100), seconds(50), 2).await.unwrap(), 2);
    assert_eq!(unit.sessions().delete_ended(seconds(100), seconds(50), 2).await.unwrap(), 1);
    assert_eq!(unit.sessions().delete_ended(seconds(100), seconds(50), 2).await.unwrap(), 0);
    unit.commit().await.unwrap();
    let [first, second] = live;
    assert_eq!(list(harness, 1).await, [second, first]);
    assert_eq!(list(harness, 2).await, []);
}
