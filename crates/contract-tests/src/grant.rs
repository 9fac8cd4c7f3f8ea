//! Grants and their refresh tokens.

use crate::Harness;
use crate::fixture::{
    client, client_id, conflict, full_user, grant, grant_id, hash, microsecond, now, seconds, secret,
    used_from, user, user_id,
};
use application::ports::storage::{GrantFilter, GrantWithUser, UniqueKey};
use chrono::{DateTime, Utc};
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::resource::Resource;
use domain::scope::{Scope, ScopeSet};
use domain::user::UserStatus;

/// Stores people 1 and 2 and clients 1 and 2.
async fn prepare(harness: &Harness) {
    for number in [1, 2] {
        harness.store_user(&user(number)).await;
        harness.store_client(&client(number), &secret(number)).await;
    }
}

fn grant_of(number: u64, client: u64, user: u64) -> Grant {
    Grant { client_id: client_id(client), user_id: user_id(user), ..grant(number) }
}

fn revoked(number: u64, reason: RevocationReason) -> Grant {
    Grant { state: GrantState::Revoked { at: seconds(5), reason }, ..grant(number) }
}

async fn list(harness: &Harness, filter: GrantFilter) -> Vec<Grant> {
    harness.grants.list_grants(filter, None, 1000).await.unwrap()
}

/// Lists the numbers of the live grants in ascending order.
async fn live(harness: &Harness) -> Vec<u64> {
    let grants = list(harness, GrantFilter::default()).await;
    let live = grants.iter().filter(|grant| grant.is_live());
    live.map(|grant| (1..100).find(|number| grant_id(*number) == grant.id).unwrap()).collect()
}

pub(crate) async fn a_grant_reads_back_as_stored(harness: &Harness) {
    prepare(harness).await;
    let scopes: ScopeSet = [Scope::Sleep, Scope::TokensIntrospect].into_iter().collect();
    let used = |number, last_used_from| Grant {
        last_used_at: Some(seconds(-3)),
        last_used_from,
        scopes,
        resource: Resource::Mcp,
        ..grant(number)
    };
    // Used with a user agent, without one, and before uses were recorded.
    let mut grants = vec![grant(1), used(2, Some(used_from(1))), used(3, Some(used_from(2))), used(4, None)];
    let reasons = RevocationReason::ALL.into_iter();
    grants.extend((5..).zip(reasons).map(|(number, reason)| revoked(number, reason)));
    harness.store_grants(&grants).await;
    assert_eq!(list(harness, GrantFilter::default()).await, grants);
}

pub(crate) async fn a_taken_id_is_a_conflict(harness: &Harness) {
    prepare(harness).await;
    harness.store_grants(&[grant(1)]).await;
    let mut unit = harness.begin().await;
    let same_id = Grant { refresh_token_hash: hash(2), ..grant(1) };
    assert_eq!(conflict(unit.grants().insert(&same_id).await), UniqueKey::Grant);
    unit.grants().insert(&grant(2)).await.unwrap();
}

pub(crate) async fn a_taken_refresh_token_is_a_conflict(harness: &Harness) {
    prepare(harness).await;
    harness.store_grants(&[grant(1)]).await;
    let mut unit = harness.begin().await;
    let same_token = Grant { refresh_token_hash: hash(1), ..grant(2) };
    assert_eq!(conflict(unit.grants().insert(&same_token).await), UniqueKey::Grant);
    unit.grants().insert(&grant(3)).await.unwrap();
}

pub(crate) async fn a_taken_refresh_token_is_a_conflict_for_any_grant(harness: &Harness) {
    prepare(harness).await;
    harness.store_grants(&[grant_of(1, 1, 1)]).await;
    let mut unit = harness.begin().await;
    let same_token = Grant { refresh_token_hash: hash(1), ..grant_of(2, 2, 2) };
    assert_eq!(conflict(unit.grants().insert(&same_token).await), UniqueKey::Grant);
    unit.grants().insert(&grant_of(2, 2, 2)).await.unwrap();
}

pub(crate) async fn a_refresh_token_is_free_again_with_its_grant_or_its_person(harness: &Harness) {
    prepare(harness).await;
    let ended = Grant { refresh_token_hash: hash(1), ..revoked(1, RevocationReason::Person) };
    harness.store_grants(&[ended, grant_of(2, 1, 2)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.grants().delete_revoked(seconds(6), 10).await.unwrap(), 1);
    assert!(unit.users().delete(user_id(2)).await.unwrap());
    unit.commit().await.unwrap();
    let again = [3, 4].map(|number| Grant { refresh_token_hash: hash(number - 2), ..grant(number) });
    harness.store_grants(&again).await;
    assert_eq!(live(harness).await, [3, 4]);
}

pub(crate) async fn a_refresh_token_finds_its_grant_whatever_person_is_named(harness: &Harness) {
    prepare(harness).await;
    let known = revoked(1, RevocationReason::Operator);
    harness.store_grants(&[known.clone(), grant_of(2, 1, 2)]).await;
    for named in [None, Some(user_id(1)), Some(user_id(2)), Some(user_id(3))] {
        let found = harness.grants.find_by_refresh_token(&hash(1), named).await.unwrap();
        assert_eq!(found, Some(GrantWithUser { grant: known.clone(), user_status: UserStatus::Active }));
    }
}

pub(crate) async fn a_refresh_token_reads_back_with_the_account_state(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&full_user(3)).await;
    harness.store_grants(&[grant_of(1, 1, 3)]).await;
    let found = harness.grants.find_by_refresh_token(&hash(1), None).await.unwrap().unwrap();
    assert_eq!(found.user_status, full_user(3).status);
    assert!(!found.user_status.is_active());
}

pub(crate) async fn an_unknown_refresh_token_is_absent(harness: &Harness) {
    prepare(harness).await;
    harness.store_grants(&[grant(1)]).await;
    for named in [None, Some(user_id(1))] {
        assert_eq!(harness.grants.find_by_refresh_token(&hash(2), named).await.unwrap(), None);
    }
}

pub(crate) async fn grants_are_listed_by_filter_and_ascending_id_in_pages(harness: &Harness) {
    prepare(harness).await;
    let grants =
        [grant_of(4, 1, 1), grant_of(1, 2, 1), grant_of(3, 1, 2), grant_of(2, 2, 2), grant_of(5, 1, 1)];
    harness.store_grants(&grants).await;
    let ids = |grants: Vec<Grant>| grants.into_iter().map(|grant| grant.id).collect::<Vec<_>>();
    let none = GrantFilter::default();
    let of_user = GrantFilter { user_id: Some(user_id(1)), ..none };
    let of_client = GrantFilter { client_id: Some(client_id(1)), ..none };
    let of_both = GrantFilter { user_id: Some(user_id(1)), ..of_client };
    let one = GrantFilter { id: Some(grant_id(3)), ..none };
    let nothing = GrantFilter { id: Some(grant_id(3)), ..of_user };
    let cases: [(GrantFilter, &[u64]); 6] = [
        (none, &[1, 2, 3, 4, 5]),
        (of_user, &[1, 4, 5]),
        (of_client, &[3, 4, 5]),
        (of_both, &[4, 5]),
        (one, &[3]),
        (nothing, &[]),
    ];
    for (filter, expected) in cases {
        let expected: Vec<_> = expected.iter().copied().map(grant_id).collect();
        assert_eq!(ids(list(harness, filter).await), expected, "{filter:?}");
    }
    let page = async |filter, after, limit| {
        ids(harness.grants.list_grants(filter, Some(grant_id(after)), limit).await.unwrap())
    };
    assert_eq!(page(of_user, 1, 1).await, [grant_id(4)]);
    assert_eq!(page(none, 2, 2).await, [grant_id(3), grant_id(4)]);
    assert_eq!(page(of_user, 5, 9).await, []);
}

pub(crate) async fn a_later_use_wins_with_its_address(harness: &Harness) {
    prepare(harness).await;
    harness.store_grants(&[grant(1), grant(2)]).await;
    // Time and place of the use, then the expected latest time and place; even places have no user agent.
    for (used_at, place, latest, kept) in [(10, 1, 10, 1), (5, 3, 10, 1), (10, 3, 10, 1), (11, 2, 11, 2)] {
        let mut unit = harness.begin().await;
        let from = used_from(place);
        unit.grants().record_use(user_id(1), grant_id(1), seconds(used_at), &from).await.unwrap();
        unit.commit().await.unwrap();
        let expected =
            Grant { last_used_at: Some(seconds(latest)), last_used_from: Some(used_from(kept)), ..grant(1) };
        assert_eq!(list(harness, GrantFilter::default()).await, [expected, grant(2)]);
    }
    commit!(harness, grants().record_use(user_id(2), grant_id(2), seconds(10), &used_from(1)));
    assert_eq!(list(harness, GrantFilter::default()).await[1], grant(2));
}

pub(crate) async fn grants_made_before_a_moment_are_listed_and_revoked(harness: &Harness) {
    prepare(harness).await;
    let at = |grant: Grant, second| Grant { created_at: seconds(second), ..grant };
    let grants = [at(grant_of(1, 1, 1), 9), at(grant_of(2, 2, 2), 9), at(grant_of(3, 1, 1), 10)];
    harness.store_grants(&grants).await;
    let before = GrantFilter { created_before: Some(seconds(10)), ..GrantFilter::default() };
    let of_user = GrantFilter { user_id: Some(user_id(1)), ..before };
    let [first, second, _] = grants;
    assert_eq!(list(harness, before).await, [first.clone(), second]);
    assert_eq!(list(harness, of_user).await, [first]);
    for (filter, expected, still_live) in
        [(of_user, 1, vec![2, 3]), (before, 1, vec![3]), (before, 0, vec![3])]
    {
        let mut unit = harness.begin().await;
        let count = unit.grants().revoke(filter, seconds(20), RevocationReason::Operator).await.unwrap();
        assert_eq!(count, expected);
        unit.commit().await.unwrap();
        assert_eq!(live(harness).await, still_live);
    }
}

pub(crate) async fn grants_made_before_a_moment_are_revoked_of_a_range_of_people(harness: &Harness) {
    prepare(harness).await;
    let at = |grant: Grant, second| Grant { created_at: seconds(second), ..grant };
    let gone = GrantState::Revoked { at: seconds(9), reason: RevocationReason::Person };
    let others = Grant { state: gone, ..at(grant_of(4, 2, 2), 9) };
    let grants =
        [at(grant_of(1, 1, 1), 9), at(grant_of(2, 2, 2), 9), at(grant_of(3, 1, 1), 10), others.clone()];
    harness.store_grants(&grants).await;
    let steps: [(u64, u64, u64, &[u64]); 4] =
        [(3, 9, 0, &[1, 2, 3]), (2, 9, 1, &[1, 3]), (1, 2, 1, &[3]), (1, 2, 0, &[3])];
    for (first, last, expected, still_live) in steps {
        let people = user_id(first)..=user_id(last);
        let mut unit = harness.begin().await;
        let count = unit.grants().revoke_created_before(people, seconds(10), seconds(20)).await.unwrap();
        assert_eq!(count, expected, "{first} to {last}");
        unit.commit().await.unwrap();
        assert_eq!(live(harness).await, still_live);
    }
    let reported = GrantState::Revoked { at: seconds(20), reason: RevocationReason::Operator };
    let states: Vec<_> =
        list(harness, GrantFilter::default()).await.into_iter().map(|grant| grant.state).collect();
    assert_eq!(states, [reported, reported, GrantState::Live, gone]);
}

pub(crate) async fn revoking_counts_the_live_grants_that_match(harness: &Harness) {
    prepare(harness).await;
    let grants =
        [grant_of(1, 1, 1), grant_of(2, 1, 1), grant_of(3, 2, 1), grant_of(4, 1, 2), grant_of(5, 2, 2)];
    harness.store_grants(&grants).await;
    let none = GrantFilter::default();
    let of_both = GrantFilter { user_id: Some(user_id(1)), client_id: Some(client_id(1)), ..none };
    let steps: [(GrantFilter, u64, &[u64]); 6] = [
        (GrantFilter { id: Some(grant_id(2)), ..none }, 1, &[1, 3, 4, 5]),
        (GrantFilter { id: Some(grant_id(3)), ..of_both }, 0, &[1, 3, 4, 5]),
        (of_both, 1, &[3, 4, 5]),
        (GrantFilter { user_id: Some(user_id(1)), ..none }, 1, &[4, 5]),
        (GrantFilter { client_id: Some(client_id(2)), ..none }, 1, &[4]),
        (none, 1, &[]),
    ];
    for (filter, expected, still_live) in steps {
        let mut unit = harness.begin().await;
        let revoked = unit.grants().revoke(filter, seconds(1), RevocationReason::Person).await.unwrap();
        assert_eq!(revoked, expected, "{filter:?}");
        unit.commit().await.unwrap();
        assert_eq!(live(harness).await, still_live);
    }
    let state = GrantState::Revoked { at: seconds(1), reason: RevocationReason::Person };
    assert!(list(harness, none).await.iter().all(|grant| grant.state == state));
}

pub(crate) async fn a_revoked_grant_keeps_its_first_reason(harness: &Harness) {
    prepare(harness).await;
    let known = revoked(1, RevocationReason::CodeReplayed);
    harness.store_grants(std::slice::from_ref(&known)).await;
    let mut unit = harness.begin().await;
    let count = unit.grants().revoke(GrantFilter::default(), now(), RevocationReason::Client).await.unwrap();
    assert_eq!(count, 0);
    unit.commit().await.unwrap();
    assert_eq!(list(harness, GrantFilter::default()).await, [known]);
}

pub(crate) async fn the_least_recently_used_grants_are_revoked_beyond_the_number_to_keep(harness: &Harness) {
    prepare(harness).await;
    let of = |number, created_at: DateTime<Utc>, last_used_at: Option<DateTime<Utc>>| Grant {
        created_at,
        last_used_at,
        ..grant(number)
    };
    harness
        .store_grants(&[
            // An unused grant is ranked by its creation, the others by their last use.
            of(1, seconds(50), None),
            of(2, seconds(1), Some(seconds(60))),
            of(3, seconds(2), Some(seconds(40))),
            of(4, seconds(3), None),
            // Of two with the same time, the greater id is ranked as the later one.
            of(5, seconds(4), Some(seconds(45))),
            of(6, seconds(4), Some(seconds(45))),
            Grant { last_used_at: Some(seconds(99)), ..revoked(7, RevocationReason::Person) },
        ])
        .await;
    let steps: [(usize, u64, &[u64]); 5] = [
        (6, 0, &[1, 2, 3, 4, 5, 6]),
        (5, 1, &[1, 2, 3, 5, 6]),
        (3, 2, &[1, 2, 6]),
        (1, 2, &[2]),
        (0, 1, &[]),
    ];
    for (keep, expected, still_live) in steps {
        let mut unit = harness.begin().await;
        let count = unit.grants().revoke_excess(client_id(1), user_id(1), keep, now()).await.unwrap();
        assert_eq!(count, expected, "keep {keep}");
        unit.commit().await.unwrap();
        assert_eq!(live(harness).await, still_live, "keep {keep}");
    }
    let state = GrantState::Revoked { at: now(), reason: RevocationReason::TooManyGrants };
    assert_eq!(list(harness, GrantFilter::default()).await[0].state, state);
}

pub(crate) async fn excess_is_counted_for_one_client_and_person(harness: &Harness) {
    prepare(harness).await;
    harness.store_grants(&[grant_of(1, 1, 1), grant_of(2, 2, 1), grant_of(3, 1, 2), grant_of(4, 1, 1)]).await;
    let mut unit = harness.begin().await;
    unit.grants().record_use(user_id(1), grant_id(1), now() + microsecond(), &used_from(1)).await.unwrap();
    assert_eq!(unit.grants().revoke_excess(client_id(1), user_id(1), 1, now()).await.unwrap(), 1);
    unit.commit().await.unwrap();
    assert_eq!(live(harness).await, [1, 2, 3]);
}

pub(crate) async fn grants_that_were_revoked_long_ago_are_deleted_up_to_the_limit(harness: &Harness) {
    prepare(harness).await;
    let at = |number, second| Grant {
        state: GrantState::Revoked { at: seconds(second), reason: RevocationReason::Person },
        ..grant(number)
    };
    let other = Grant { user_id: user_id(2), ..at(3, 3) };
    harness.store_grants(&[grant(1), at(2, 2), other, at(4, 4), at(5, 5)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.grants().delete_revoked(seconds(2), 10).await.unwrap(), 0);
    assert_eq!(unit.grants().delete_revoked(seconds(5), 2).await.unwrap(), 2);
    assert_eq!(unit.grants().delete_revoked(seconds(5), 2).await.unwrap(), 1);
    assert_eq!(unit.grants().delete_revoked(seconds(5), 2).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(list(harness, GrantFilter::default()).await, [grant(1), at(5, 5)]);
}
