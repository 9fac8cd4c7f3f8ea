//! Authorization codes.

use crate::Harness;
use crate::fixture::{
    client, client_id, code, conflict, event, full_user, grant, grant_id, hash, microsecond, now, seconds,
    secret, user, user_id,
};
use application::ports::storage::{
    AuditFilter, CodeWithUser, GrantFilter, StorageError, UniqueKey, UnitOfWork,
};
use domain::audit::AuditEvent;
use domain::code::{AuthorizationCode, CodeState};
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::user::UserStatus;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Stores the person and the client of the codes.
async fn prepare(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_client(&client(1), &secret(1)).await;
}

/// Returns the event about a grant.
fn created(number: u64) -> AuditEvent {
    event(number, 0).user(user_id(1)).client(client_id(1)).subject(grant_id(number).as_uuid())
}

/// Redeems code 1 into a grant, with the event of this number.
async fn try_redeem(
    unit: &mut Box<dyn UnitOfWork>,
    grant: &Grant,
    event: u64,
) -> Result<Option<usize>, StorageError> {
    unit.codes().redeem(&hash(1), grant, &created(event)).await
}

/// Redeems code 1 into the grant of this number; returns whether that succeeded.
async fn redeem(unit: &mut Box<dyn UnitOfWork>, number: u64) -> bool {
    try_redeem(unit, &grant(number), number).await.unwrap().is_some()
}

/// Redeems code 1 in a task with a separate unit of work, which commits.
fn redeem_in_a_task(harness: &Harness, number: u64) -> JoinHandle<bool> {
    let harness = harness.clone();
    tokio::spawn(async move {
        let mut unit = harness.begin().await;
        let won = redeem(&mut unit, number).await;
        unit.commit().await.unwrap();
        won
    })
}

/// Checks that exactly these grants exist, with their events.
async fn assert_redeemed(harness: &Harness, numbers: &[u64]) {
    let grants = harness.grants.list_grants(GrantFilter::default(), None, 1000).await.unwrap();
    let expected: Vec<Grant> = numbers.iter().map(|number| grant(*number)).collect();
    assert_eq!(grants, expected);
    let events = harness.audit.list_events(AuditFilter::default(), None, 1000).await.unwrap();
    let expected: Vec<AuditEvent> = numbers.iter().map(|number| created(*number)).collect();
    assert_eq!(events, expected);
}

pub(crate) async fn a_code_reads_back_as_stored(harness: &Harness) {
    prepare(harness).await;
    let bare = AuthorizationCode {
        challenge: None,
        scopes: ScopeSet::EMPTY,
        resource: Resource::Mcp,
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

pub(crate) async fn a_locked_code_is_returned_with_the_state_of_its_person(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&full_user(3)).await;
    let of_locked = AuthorizationCode { user_id: user_id(3), ..code(2) };
    assert!(!full_user(3).status.is_active());
    for (code, user_status) in [(code(1), UserStatus::Active), (of_locked, full_user(3).status)] {
        harness.store_code(&code).await;
        let mut unit = harness.begin().await;
        let held = unit.codes().find_and_lock(&code.hash).await.unwrap();
        assert_eq!(held, Some(CodeWithUser { code, user_status }));
    }
    assert_eq!(harness.begin().await.codes().find_and_lock(&hash(3)).await.unwrap(), None);
}

pub(crate) async fn a_code_is_redeemed_once_with_its_grant_and_event(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    harness.store_code(&code(2)).await;
    let mut unit = harness.begin().await;
    assert!(redeem(&mut unit, 1).await);
    assert!(!redeem(&mut unit, 2).await);
    unit.commit().await.unwrap();
    let mut unit = harness.begin().await;
    assert!(!redeem(&mut unit, 3).await);
    let state = CodeState::Redeemed { grant_id: grant_id(1), at: now() };
    assert_eq!(unit.codes().find(&hash(1)).await.unwrap(), Some(AuthorizationCode { state, ..code(1) }));
    assert_eq!(unit.codes().find(&hash(2)).await.unwrap(), Some(code(2)));
    unit.commit().await.unwrap();
    assert_redeemed(harness, &[1]).await;
}

pub(crate) async fn a_code_is_redeemed_until_just_before_its_end(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    let end = code(1).expires_at;
    let mut unit = harness.begin().await;
    let at = |created_at| Grant { created_at, ..grant(1) };
    for late in [end, seconds(3600)] {
        assert_eq!(try_redeem(&mut unit, &at(late), 1).await.unwrap(), None);
    }
    assert_eq!(try_redeem(&mut unit, &at(end - microsecond()), 1).await.unwrap(), Some(1));
}

pub(crate) async fn an_unknown_code_is_not_redeemed(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    assert!(!redeem(&mut unit, 1).await);
    unit.commit().await.unwrap();
    assert_redeemed(harness, &[]).await;
}

pub(crate) async fn a_redemption_counts_the_live_grants_of_its_client_and_person(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&user(2)).await;
    harness.store_client(&client(2), &secret(2)).await;
    let state = GrantState::Revoked { at: now(), reason: RevocationReason::Person };
    let others = [
        Grant { state, ..grant(11) },
        Grant { client_id: client_id(2), ..grant(12) },
        Grant { user_id: user_id(2), ..grant(13) },
    ];
    harness.store_grants(&others).await;
    for number in 1..=3 {
        harness.store_code(&code(number)).await;
        let mut unit = harness.begin().await;
        let live = unit.codes().redeem(&hash(number), &grant(number), &created(number)).await.unwrap();
        assert_eq!(live, Some(usize::try_from(number).unwrap()));
        unit.commit().await.unwrap();
    }
}

pub(crate) async fn a_redemption_whose_grant_or_token_is_taken_is_a_conflict(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&user(2)).await;
    harness.store_code(&code(1)).await;
    harness.store_grants(&[Grant { user_id: user_id(2), ..grant(8) }, grant(9)]).await;
    let same_id = Grant { refresh_token_hash: hash(1), ..grant(9) };
    let same_token = |other| Grant { refresh_token_hash: hash(other), ..grant(1) };
    for taken in [same_id, same_token(8), same_token(9)] {
        let mut unit = harness.begin().await;
        assert_eq!(conflict(try_redeem(&mut unit, &taken, 1).await), UniqueKey::Grant);
        unit.rollback().await.unwrap();
    }
    assert!(redeem_in_a_task(harness, 1).await.unwrap());
}

pub(crate) async fn exactly_one_of_fifty_concurrent_tasks_redeems_a_code(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    let tasks: Vec<_> = (1..=50).map(|grant| (grant, redeem_in_a_task(harness, grant))).collect();
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
    unit.rollback().await.unwrap();
    assert_redeemed(harness, &winners).await;
}

/// Commits after 150 ms, because no event shows that the other task does not finish.
pub(crate) async fn a_loser_waits_for_the_winner_to_commit(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    let mut unit = harness.begin().await;
    assert!(redeem(&mut unit, 1).await);
    let loser = redeem_in_a_task(harness, 2);
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert!(!loser.is_finished());
    unit.commit().await.unwrap();
    assert!(!loser.await.unwrap());
}

/// Rolls back after 50 ms, because no event shows that the other task waits.
pub(crate) async fn a_rolled_back_winner_leaves_the_code_to_the_next(harness: &Harness) {
    prepare(harness).await;
    harness.store_code(&code(1)).await;
    let mut unit = harness.begin().await;
    assert!(redeem(&mut unit, 1).await);
    let next = redeem_in_a_task(harness, 2);
    tokio::time::sleep(Duration::from_millis(50)).await;
    unit.rollback().await.unwrap();
    assert!(next.await.unwrap());
}

/// Returns which of the codes 1 to 6 exist.
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
    // The third was redeemed, the fourth issued exactly at the cutoff.
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
        assert_eq!(commit!(harness, codes().discard_unredeemed(user_id, seconds(before))), expected);
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
    // Codes that expire at the cutoff stay.
    assert_eq!(unit.codes().delete_expired(seconds(1), 10).await.unwrap(), 0);
    assert_eq!(unit.codes().delete_expired(seconds(4), 2).await.unwrap(), 2);
    assert_eq!(unit.codes().delete_expired(seconds(4), 2).await.unwrap(), 1);
    assert_eq!(unit.codes().delete_expired(seconds(4), 2).await.unwrap(), 0);
    for (number, is_there) in [(1, false), (2, false), (3, false), (4, true), (5, true)] {
        assert_eq!(unit.codes().find(&hash(number)).await.unwrap().is_some(), is_there, "{number}");
    }
}
