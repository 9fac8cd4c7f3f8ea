//! Personal access tokens.

use crate::Harness;
use crate::fixture::{conflict, hash, personal_token, seconds, token_id, user_id};
use application::ports::storage::UniqueKey;
use domain::personal_token::PersonalToken;
use domain::scope::{Scope, ScopeSet};

/// Stores people 1 and 2 and tokens.
async fn prepare(harness: &Harness, tokens: &[PersonalToken]) {
    harness.store_users([1, 2]).await;
    harness.store_personal_tokens(tokens).await;
}

fn token_of(number: u64, user: u64) -> PersonalToken {
    PersonalToken { user_id: user_id(user), ..personal_token(number) }
}

fn revoked(number: u64, second: i64) -> PersonalToken {
    PersonalToken { revoked_at: Some(seconds(second)), ..personal_token(number) }
}

async fn list(harness: &Harness, user: u64) -> Vec<PersonalToken> {
    harness.personal_tokens.list_personal_tokens(user_id(user)).await.unwrap()
}

pub(crate) async fn a_token_reads_back_as_stored(harness: &Harness) {
    let scopes: ScopeSet = [Scope::Supplements].into_iter().collect();
    let full = PersonalToken {
        scopes,
        expires_at: Some(seconds(86_400)),
        last_used_at: Some(seconds(60)),
        revoked_at: Some(seconds(61)),
        ..personal_token(2)
    };
    let tokens = [personal_token(1), full];
    prepare(harness, &tokens).await;
    assert_eq!(list(harness, 1).await, tokens);
}

pub(crate) async fn a_taken_id_or_hash_is_a_conflict(harness: &Harness) {
    prepare(harness, &[personal_token(1)]).await;
    let mut unit = harness.begin().await;
    let same_id = PersonalToken { token_hash: hash(2), ..personal_token(1) };
    let same_hash = PersonalToken { token_hash: hash(1), ..token_of(2, 2) };
    for taken in [same_id, same_hash] {
        assert_eq!(conflict(unit.personal_tokens().insert(&taken).await), UniqueKey::PersonalToken);
    }
    unit.personal_tokens().insert(&personal_token(3)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(list(harness, 1).await, [personal_token(1), personal_token(3)]);
    assert_eq!(list(harness, 2).await, []);
}

pub(crate) async fn a_persons_tokens_are_listed_youngest_first(harness: &Harness) {
    let at = |number, second| PersonalToken { created_at: seconds(second), ..personal_token(number) };
    let ended = PersonalToken { expires_at: Some(seconds(-1)), ..at(2, 9) };
    prepare(harness, &[at(4, 5), at(1, 3), at(3, 5), ended.clone(), token_of(5, 2)]).await;
    assert_eq!(list(harness, 1).await, [ended, at(3, 5), at(4, 5), at(1, 3)]);
    assert_eq!(list(harness, 3).await, []);
}

pub(crate) async fn one_token_or_all_of_a_person_are_revoked_and_counted(harness: &Harness) {
    prepare(harness, &[personal_token(1), personal_token(2), personal_token(3), token_of(4, 2)]).await;
    let steps = [
        // Neither another person's token nor a nonexistent one.
        (user_id(2), Some(token_id(1)), 0),
        (user_id(1), Some(token_id(5)), 0),
        (user_id(1), Some(token_id(2)), 1),
        (user_id(1), Some(token_id(2)), 0),
    ];
    let mut unit = harness.begin().await;
    for (user_id, id, expected) in steps {
        let count = unit.personal_tokens().revoke(user_id, id, seconds(1)).await.unwrap();
        assert_eq!(count, expected, "{id:?}");
    }
    unit.commit().await.unwrap();
    assert_eq!(list(harness, 1).await, [personal_token(1), revoked(2, 1), personal_token(3)]);
    let mut unit = harness.begin().await;
    assert_eq!(unit.personal_tokens().revoke(user_id(1), None, seconds(2)).await.unwrap(), 2);
    assert_eq!(unit.personal_tokens().revoke(user_id(1), None, seconds(3)).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(list(harness, 1).await, [revoked(1, 2), revoked(2, 1), revoked(3, 2)]);
    assert_eq!(list(harness, 2).await, [token_of(4, 2)]);
}

pub(crate) async fn concurrent_revocations_count_each_token_once(harness: &Harness) {
    prepare(harness, &[personal_token(1), personal_token(2)]).await;
    let tasks: Vec<_> = (0..20)
        .map(|task| {
            let harness = harness.clone();
            let id = (task % 2 == 0).then(|| token_id(1));
            tokio::spawn(
                async move { commit!(harness, personal_tokens().revoke(user_id(1), id, seconds(task))) },
            )
        })
        .collect();
    let mut counted = 0;
    for task in tasks {
        counted += task.await.unwrap();
    }
    assert_eq!(counted, 2);
}

pub(crate) async fn tokens_made_before_a_moment_are_revoked_of_a_range_of_people(harness: &Harness) {
    let at = |token: PersonalToken, second| PersonalToken { created_at: seconds(second), ..token };
    let first = at(personal_token(1), 1);
    let gone = at(revoked(2, 2), 1);
    let others = at(token_of(3, 2), 9);
    let young = at(personal_token(4), 10);
    prepare(harness, &[first.clone(), gone.clone(), others.clone(), young.clone()]).await;
    for (first, last, expected) in [(3, 9, 0), (2, 9, 1), (1, 2, 1), (1, 2, 0)] {
        let people = user_id(first)..=user_id(last);
        let mut unit = harness.begin().await;
        let count = unit.personal_tokens().revoke_created_before(people, seconds(10), seconds(20)).await;
        assert_eq!(count.unwrap(), expected, "{first} to {last}");
        unit.commit().await.unwrap();
    }
    let now_revoked = |token| PersonalToken { revoked_at: Some(seconds(20)), ..token };
    assert_eq!(list(harness, 1).await, [young, now_revoked(first), gone]);
    assert_eq!(list(harness, 2).await, [now_revoked(others)]);
}

pub(crate) async fn tokens_that_were_revoked_or_ended_long_ago_are_deleted_up_to_the_limit(
    harness: &Harness,
) {
    let ended =
        |number, second| PersonalToken { expires_at: Some(seconds(second)), ..personal_token(number) };
    let other = PersonalToken { revoked_at: Some(seconds(2)), ..token_of(3, 2) };
    let live = [personal_token(4), ended(5, 10), revoked(6, 10)];
    prepare(harness, &[revoked(1, 1), ended(2, 9), other]).await;
    harness.store_personal_tokens(&live).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.personal_tokens().delete_ended(seconds(1), 10).await.unwrap(), 0);
    assert_eq!(unit.personal_tokens().delete_ended(seconds(10), 2).await.unwrap(), 2);
    assert_eq!(unit.personal_tokens().delete_ended(seconds(10), 2).await.unwrap(), 1);
    assert_eq!(unit.personal_tokens().delete_ended(seconds(10), 2).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(list(harness, 1).await.len(), 3);
    assert_eq!(list(harness, 2).await, []);
}
