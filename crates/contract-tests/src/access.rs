//! The access check.

use crate::Harness;
use crate::fixture::{
    client, client_id, grant, grant_id, hash, now, personal_token, seconds, secret, token_id, user, user_id,
};
use application::ports::storage::{AccessState, GrantFilter, PersonalAccess};
use domain::client::{Client, ClientStatus};
use domain::grant::{Grant, RevocationReason};
use domain::personal_token::PersonalToken;
use domain::scope::Scope;
use domain::time::TimeZone;
use domain::user::{User, UserStatus};

fn zone() -> TimeZone {
    TimeZone::parse("Pacific/Chatham").unwrap()
}

/// Stores grant 1 of client 1 by person 1, and a second person.
async fn prepare(harness: &Harness) {
    harness.store_user(&User { home_timezone: zone(), ..user(1) }).await;
    harness.store_user(&user(2)).await;
    harness.store_client(&client(1), &secret(1)).await;
    harness.store_grants(&[Grant { scopes: [Scope::Sleep].into_iter().collect(), ..grant(1) }]).await;
}

/// Returns whether the grant is live; checks the end time of one that is not.
async fn is_live(harness: &Harness) -> bool {
    let state = harness.access.find_access(user_id(1), grant_id(1)).await.unwrap().unwrap();
    assert_eq!(state.ended_at, (!state.is_live).then(now));
    state.is_live
}

pub(crate) async fn a_live_grant_gives_access_with_its_client_scopes_and_zone(harness: &Harness) {
    prepare(harness).await;
    let expected = AccessState {
        client_id: client_id(1),
        scopes: [Scope::Sleep].into_iter().collect(),
        is_live: true,
        ended_at: None,
        home_timezone: zone(),
    };
    assert_eq!(harness.access.find_access(user_id(1), grant_id(1)).await.unwrap(), Some(expected));
}

pub(crate) async fn a_grant_of_another_person_gives_no_access(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(harness.access.find_access(user_id(2), grant_id(1)).await.unwrap(), None);
    assert_eq!(harness.access.find_access(user_id(3), grant_id(1)).await.unwrap(), None);
    assert_eq!(harness.access.find_access(user_id(1), grant_id(2)).await.unwrap(), None);
}

pub(crate) async fn a_revoked_grant_gives_no_access(harness: &Harness) {
    prepare(harness).await;
    commit!(harness, grants().revoke(GrantFilter::default(), now(), RevocationReason::Person));
    assert!(!is_live(harness).await);
}

pub(crate) async fn a_disabled_client_gives_no_access(harness: &Harness) {
    prepare(harness).await;
    let disabled = Client { status: ClientStatus::Disabled { at: now() }, ..client(1) };
    harness.update_client(&disabled).await;
    assert!(!is_live(harness).await);
}

pub(crate) async fn a_locked_person_gives_no_access(harness: &Harness) {
    prepare(harness).await;
    commit!(harness, users().update(&User { status: UserStatus::Locked { at: now() }, ..user(1) }));
    assert!(!is_live(harness).await);
}

/// Stores personal token 1 of person 1.
async fn prepare_token(harness: &Harness, token: PersonalToken) {
    prepare(harness).await;
    harness.store_personal_tokens(&[token]).await;
}

async fn personal_access(harness: &Harness) -> PersonalAccess {
    harness.access.find_personal_access(&hash(1)).await.unwrap().unwrap()
}

pub(crate) async fn a_personal_token_gives_access_with_its_person_scopes_end_and_zone(harness: &Harness) {
    let scopes = [Scope::Supplements].into_iter().collect();
    let ends = PersonalToken { scopes, expires_at: Some(seconds(-60)), ..personal_token(1) };
    prepare_token(harness, ends).await;
    let expected = PersonalAccess {
        token_id: token_id(1),
        user_id: user_id(1),
        scopes,
        // The caller checks the expiry.
        is_live: true,
        ended_at: None,
        expires_at: Some(seconds(-60)),
        home_timezone: zone(),
    };
    assert_eq!(personal_access(harness).await, expected);
}

pub(crate) async fn a_personal_token_without_an_end_has_none(harness: &Harness) {
    prepare_token(harness, personal_token(1)).await;
    assert_eq!(personal_access(harness).await.expires_at, None);
}

pub(crate) async fn an_unknown_personal_token_gives_no_access(harness: &Harness) {
    prepare_token(harness, personal_token(1)).await;
    assert_eq!(harness.access.find_personal_access(&hash(2)).await.unwrap(), None);
}

pub(crate) async fn a_revoked_personal_token_gives_no_access(harness: &Harness) {
    prepare_token(harness, personal_token(1)).await;
    assert!(personal_access(harness).await.is_live);
    assert_eq!(commit!(harness, personal_tokens().revoke(user_id(1), None, now())), 1);
    let access = personal_access(harness).await;
    assert_eq!((access.is_live, access.ended_at), (false, Some(now())));
}

pub(crate) async fn a_personal_token_of_a_locked_person_gives_no_access(harness: &Harness) {
    prepare_token(harness, personal_token(1)).await;
    commit!(harness, users().update(&User { status: UserStatus::Locked { at: now() }, ..user(1) }));
    let access = personal_access(harness).await;
    assert_eq!((access.is_live, access.ended_at), (false, Some(now())));
}
