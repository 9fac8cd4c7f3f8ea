//! The access check.

use crate::Harness;
use crate::fixture::{client, client_id, grant, grant_id, now, secret, user, user_id};
use application::ports::storage::{AccessState, GrantFilter};
use domain::client::{Client, ClientStatus};
use domain::grant::{Grant, RevocationReason};
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

async fn is_live(harness: &Harness) -> bool {
    harness.access.find_access(user_id(1), grant_id(1)).await.unwrap().unwrap().is_live
}

pub(crate) async fn a_live_grant_gives_access_with_its_client_scopes_and_zone(harness: &Harness) {
    prepare(harness).await;
    let expected = AccessState {
        client_id: client_id(1),
        scopes: [Scope::Sleep].into_iter().collect(),
        is_live: true,
        home_timezone: zone(),
    };
    assert_eq!(harness.access.find_access(user_id(1), grant_id(1)).await.unwrap(), Some(expected));
}

pub(crate) async fn a_grant_of_another_person_gives_nothing(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(harness.access.find_access(user_id(2), grant_id(1)).await.unwrap(), None);
    assert_eq!(harness.access.find_access(user_id(3), grant_id(1)).await.unwrap(), None);
    assert_eq!(harness.access.find_access(user_id(1), grant_id(2)).await.unwrap(), None);
}

pub(crate) async fn a_revoked_grant_gives_no_access(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    unit.grants().revoke(GrantFilter::default(), now(), RevocationReason::Person).await.unwrap();
    unit.commit().await.unwrap();
    assert!(!is_live(harness).await);
}

pub(crate) async fn a_disabled_client_gives_no_access(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    let disabled = Client { status: ClientStatus::Disabled { at: now() }, ..client(1) };
    unit.clients().update(&disabled).await.unwrap();
    unit.commit().await.unwrap();
    assert!(!is_live(harness).await);
}

pub(crate) async fn a_locked_person_gives_no_access(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    unit.users().update(&User { status: UserStatus::Locked { at: now() }, ..user(1) }).await.unwrap();
    unit.commit().await.unwrap();
    assert!(!is_live(harness).await);
}
