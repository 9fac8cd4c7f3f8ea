//! Rotation of refresh tokens.

use crate::Harness;
use crate::fixture::{client, grant, hash, seconds, secret, user, user_id};
use application::ports::storage::GrantFilter;
use chrono::{DateTime, Utc};
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::refresh_token::{Rotation, RotationOutcome, SealedToken};

/// Stores a grant whose newest token has the hash 101.
async fn prepare(harness: &Harness) -> Grant {
    harness.store_user(&user(1)).await;
    harness.store_client(&client(1), &secret(1)).await;
    let rotating = Grant { newest_token_hash: Some(hash(101)), ..grant(1) };
    harness.store_grants(std::slice::from_ref(&rotating)).await;
    rotating
}

fn sealed(number: u64) -> SealedToken {
    SealedToken::from_bytes(&[u8::try_from(number).unwrap(); 22]).unwrap()
}

/// Uses a token, which this next one is to replace.
fn using(presented: u64, next: u64, at: DateTime<Utc>) -> Rotation {
    let Grant { id, user_id, .. } = grant(1);
    let (presented, sealed_next, next) = (hash(presented), sealed(next), hash(next));
    Rotation { user_id, grant_id: id, presented, next, sealed_next, at }
}

async fn rotate(harness: &Harness, rotation: Rotation) -> RotationOutcome {
    commit!(harness, grants().rotate(&rotation))
}

async fn stored(harness: &Harness) -> Grant {
    let Grant { id, user_id, .. } = grant(1);
    let filter = GrantFilter { id: Some(id), user_id: Some(user_id), ..GrantFilter::default() };
    harness.grants.list_grants(filter, None, 10).await.unwrap().remove(0)
}

fn reused_at(at: DateTime<Utc>) -> GrantState {
    GrantState::Revoked { at, reason: RevocationReason::TokenReused }
}

/// RFC 9700 section 4.14.2.
pub(crate) async fn each_newest_token_is_replaced_and_the_grant_stays_live(harness: &Harness) {
    let before = prepare(harness).await;
    assert_eq!(stored(harness).await, before);
    for (number, at) in [(101, 0), (102, 1), (103, 5_000_000)] {
        let outcome = rotate(harness, using(number, number + 1, seconds(at))).await;
        assert_eq!(outcome, RotationOutcome::Replaced);
        let newest_token_hash = Some(hash(number + 1));
        assert_eq!(stored(harness).await, Grant { newest_token_hash, ..before.clone() });
    }
    let found = harness.grants.find_by_refresh_token(&before.refresh_token_hash, None).await.unwrap();
    assert!(found.is_some_and(|found| found.grant.is_live()));
}

/// RFC 9700 section 4.14.2.
pub(crate) async fn a_replaced_token_returns_its_successor_for_thirty_seconds(harness: &Harness) {
    prepare(harness).await;
    rotate(harness, using(101, 102, seconds(0))).await;
    let before = stored(harness).await;
    for at in [0, 1, 30] {
        let outcome = rotate(harness, using(101, 110, seconds(at))).await;
        assert_eq!(outcome, RotationOutcome::Repeated(sealed(102)), "after {at} s");
        assert_eq!(stored(harness).await, before);
    }
    // The successor that was returned is the newest token.
    assert_eq!(rotate(harness, using(102, 103, seconds(31))).await, RotationOutcome::Replaced);
}

/// RFC 9700 section 4.14.2.
pub(crate) async fn a_replaced_token_revokes_the_grant_after_thirty_one_seconds(harness: &Harness) {
    prepare(harness).await;
    rotate(harness, using(101, 102, seconds(0))).await;
    assert_eq!(rotate(harness, using(101, 103, seconds(31))).await, RotationOutcome::Reused);
    assert_eq!(stored(harness).await.state, reused_at(seconds(31)));
    for (presented, at) in [(101, 32), (102, 32), (101, 1)] {
        let outcome = rotate(harness, using(presented, 104, seconds(at))).await;
        assert_eq!(outcome, RotationOutcome::NotLive);
    }
    assert_eq!(stored(harness).await.state, reused_at(seconds(31)));
}

/// RFC 9700 section 4.14.2.
pub(crate) async fn a_replaced_token_revokes_the_grant_once_its_successor_was_used(harness: &Harness) {
    prepare(harness).await;
    rotate(harness, using(101, 102, seconds(0))).await;
    rotate(harness, using(102, 103, seconds(1))).await;
    assert_eq!(rotate(harness, using(101, 104, seconds(2))).await, RotationOutcome::Reused);
    assert_eq!(stored(harness).await.state, reused_at(seconds(2)));
}

/// RFC 9700 section 4.14.2.
pub(crate) async fn a_token_that_the_family_never_had_revokes_the_grant(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(rotate(harness, using(99, 102, seconds(0))).await, RotationOutcome::Reused);
    assert_eq!(stored(harness).await.state, reused_at(seconds(0)));
}

/// RFC 9700 section 4.14.2.
pub(crate) async fn a_fixed_token_another_person_and_a_revoked_grant_change_nothing(harness: &Harness) {
    let rotating = prepare(harness).await;
    let other = Rotation { user_id: user_id(2), ..using(101, 102, seconds(0)) };
    assert_eq!(rotate(harness, other).await, RotationOutcome::NotLive);
    let fixed = grant(2);
    harness.store_grants(std::slice::from_ref(&fixed)).await;
    let of_fixed = Rotation { grant_id: fixed.id, ..using(2, 102, seconds(0)) };
    assert_eq!(rotate(harness, of_fixed).await, RotationOutcome::NotLive);
    assert_eq!(stored(harness).await, rotating);
    let mut unit = harness.begin().await;
    let all = GrantFilter::default();
    unit.grants().revoke(all, seconds(1), RevocationReason::Person).await.unwrap();
    unit.commit().await.unwrap();
    let revoked = stored(harness).await;
    assert_eq!(rotate(harness, using(101, 102, seconds(2))).await, RotationOutcome::NotLive);
    assert_eq!(stored(harness).await, revoked);
}

/// RFC 9700 section 4.14.2.
pub(crate) async fn of_racing_uses_one_replaces_the_token_and_the_others_get_its_successor(
    harness: &Harness,
) {
    prepare(harness).await;
    let uses = (102..122).map(|next| {
        let harness = harness.clone();
        tokio::spawn(async move { (next, rotate(&harness, using(101, next, seconds(0))).await) })
    });
    let mut outcomes = Vec::new();
    for using in uses.collect::<Vec<_>>() {
        outcomes.push(using.await.unwrap());
    }
    let replaced = |(_, outcome): &&(u64, RotationOutcome)| *outcome == RotationOutcome::Replaced;
    let winners: Vec<u64> = outcomes.iter().filter(replaced).map(|(next, _)| *next).collect();
    assert_eq!(winners.len(), 1, "{outcomes:?}");
    for (next, outcome) in outcomes.iter().filter(|(next, _)| *next != winners[0]) {
        assert_eq!(*outcome, RotationOutcome::Repeated(sealed(winners[0])), "{next}");
    }
    let grant = stored(harness).await;
    assert_eq!((grant.state, grant.newest_token_hash), (GrantState::Live, Some(hash(winners[0]))));
}
