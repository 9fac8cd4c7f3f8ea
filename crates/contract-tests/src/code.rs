//! Authorization codes.

use crate::Harness;
use crate::fixture::{
    client, code, conflict, grant_id, hash, microsecond, now, seconds, secret, user, user_id,
};
use application::ports::storage::UniqueKey;
use domain::code::{AuthorizationCode, CodeState};
use domain::scope::ScopeSet;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Stores the person and the client that the codes belong to.
async fn prepare(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_client(&client(1), &secret(1)).await;
}

/// Consumes code 1 in a task and a unit of work of its own, which commits.
fn consume_in_a_task(harness: &Harness, grant: u64) -> JoinHandle<bool> {
    let harness = harness.clone();
    tokio::spawn(async move {
        let mut unit = harness.begin().await;
        let won = unit.codes().consume(&hash(1), grant_id(grant), now()).await.unwrap();
        unit.commit().await.unwrap();
        won
    })
}

pub(crate) async fn a_code_reads_back_as_stored(harness: &Harness) {
    prepare(harness).await;
    let bare = AuthorizationCode {
        challenge: None,
        scopes: ScopeSet::EMPTY,
        state: CodeState::Redeemed { grant_id: grant_id(9), at: seconds(2) },
        ..code(2)
    };
    for code in [code(1), bare] {
        harness.store_code(&code).await;
        let mut unit = harness.begin().await;
        assert_eq!(unit.codes().find(&code.hash).await.unwrap(), Some(code));
    }
}

pub(crate) async fn an_unknown_code_is_absent(harness: &Harness) {
    let mut unit = harness.begin().await;
    assert_eq!(unit.codes().find(&hash(1)).await.unwrap(), None);
}

pub(crate) async fn a_taken_hash_is_a_conflict(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    let mut unit = harness.begin().await;
    assert_eq!(conflict(unit.codes().insert(&code(1)).await), UniqueKey::Code);
    assert_eq!(unit.codes().find(&hash(1)).await.unwrap(), Some(code(1)));
}

pub(crate) async fn a_code_is_consumed_once_and_remembers_its_grant(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    harness.store_code(&code(2)).await;
    let mut unit = harness.begin().await;
    assert!(unit.codes().consume(&hash(1), grant_id(1), now()).await.unwrap());
    assert!(!unit.codes().consume(&hash(1), grant_id(2), now()).await.unwrap());
    unit.commit().await.unwrap();
    let mut unit = harness.begin().await;
    assert!(!unit.codes().consume(&hash(1), grant_id(3), now()).await.unwrap());
    let state = CodeState::Redeemed { grant_id: grant_id(1), at: now() };
    assert_eq!(unit.codes().find(&hash(1)).await.unwrap(), Some(AuthorizationCode { state, ..code(1) }));
    assert_eq!(unit.codes().find(&hash(2)).await.unwrap(), Some(code(2)));
}

pub(crate) async fn a_code_is_consumed_until_just_before_its_end(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    let end = code(1).expires_at;
    let mut unit = harness.begin().await;
    assert!(!unit.codes().consume(&hash(1), grant_id(1), end).await.unwrap());
    assert!(!unit.codes().consume(&hash(1), grant_id(1), seconds(3600)).await.unwrap());
    assert!(unit.codes().consume(&hash(1), grant_id(1), end - microsecond()).await.unwrap());
}

pub(crate) async fn an_unknown_code_is_not_consumed(harness: &Harness) {
    let mut unit = harness.begin().await;
    assert!(!unit.codes().consume(&hash(1), grant_id(1), now()).await.unwrap());
}

pub(crate) async fn of_fifty_racing_tasks_exactly_one_consumes_a_code(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    let tasks: Vec<_> = (1..=50).map(|grant| (grant, consume_in_a_task(harness, grant))).collect();
    let mut winners = Vec::new();
    for (grant, task) in tasks {
        if task.await.unwrap() {
            winners.push(grant);
        }
    }
    assert_eq!(winners.len(), 1);
    let mut unit = harness.begin().await;
    let state = CodeState::Redeemed { grant_id: grant_id(winners[0]), at: now() };
    assert_eq!(unit.codes().find(&hash(1)).await.unwrap().unwrap().state, state);
}

pub(crate) async fn a_loser_waits_for_the_winner_to_commit(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    let mut unit = harness.begin().await;
    assert!(unit.codes().consume(&hash(1), grant_id(1), now()).await.unwrap());
    let loser = consume_in_a_task(harness, 2);
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert!(!loser.is_finished());
    unit.commit().await.unwrap();
    assert!(!loser.await.unwrap());
}

pub(crate) async fn a_rolled_back_winner_leaves_the_code_to_the_next(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    let mut unit = harness.begin().await;
    assert!(unit.codes().consume(&hash(1), grant_id(1), now()).await.unwrap());
    let next = consume_in_a_task(harness, 2);
    tokio::time::sleep(Duration::from_millis(50)).await;
    unit.rollback().await.unwrap();
    assert!(next.await.unwrap());
}

/// Tells which of the codes 1 to 6 are there.
async fn stored(harness: &Harness) -> Vec<u64> {
    let mut unit = harness.begin().await;
    let mut found = Vec::new();
    for number in 1..=6 {
        if unit.codes().find(&hash(number)).await.unwrap().is_some() {
            found.push(number);
        }
    }
    found
}

pub(crate) async fn codes_that_were_issued_before_and_never_redeemed_are_discarded(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&user(2)).await;
    let of = |number, user, second| AuthorizationCode {
        user_id: user_id(user),
        issued_at: seconds(second),
        ..code(number)
    };
    let state = CodeState::Redeemed { grant_id: grant_id(9), at: seconds(2) };
    let expired = AuthorizationCode { expires_at: seconds(-9), ..of(2, 1, -69) };
    // The third was redeemed, the fourth issued at the very moment.
    let codes = [
        of(1, 1, 9),
        expired,
        AuthorizationCode { state, ..of(3, 1, 1) },
        of(4, 1, 10),
        of(5, 2, 9),
        of(6, 2, 11),
    ];
    for code in codes {
        harness.store_code(&code).await;
    }
    let steps: [(_, i64, u64, &[u64]); 4] = [
        (Some(user_id(3)), 10, 0, &[1, 2, 3, 4, 5, 6]),
        (Some(user_id(1)), 10, 2, &[3, 4, 5, 6]),
        (None, 10, 1, &[3, 4, 6]),
        (None, 12, 2, &[3]),
    ];
    for (user_id, before, expected, left) in steps {
        let mut unit = harness.begin().await;
        assert_eq!(unit.codes().discard_unredeemed(user_id, seconds(before)).await.unwrap(), expected);
        unit.commit().await.unwrap();
        assert_eq!(stored(harness).await, left);
    }
}

pub(crate) async fn codes_that_ended_are_deleted_up_to_the_limit(harness: &Harness) {
    prepare(harness).await;
    for number in 1..=5 {
        let expires_at = seconds(i64::try_from(number).unwrap());
        harness.store_code(&AuthorizationCode { expires_at, ..code(number) }).await;
    }
    let mut unit = harness.begin().await;
    // Those that end at the moment itself stay.
    assert_eq!(unit.codes().delete_expired(seconds(1), 10).await.unwrap(), 0);
    assert_eq!(unit.codes().delete_expired(seconds(4), 2).await.unwrap(), 2);
    assert_eq!(unit.codes().delete_expired(seconds(4), 2).await.unwrap(), 1);
    assert_eq!(unit.codes().delete_expired(seconds(4), 2).await.unwrap(), 0);
    for (number, is_there) in [(1, false), (2, false), (3, false), (4, true), (5, true)] {
        assert_eq!(unit.codes().find(&hash(number)).await.unwrap().is_some(), is_there, "{number}");
    }
}
