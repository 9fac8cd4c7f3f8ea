//! Revocations of grants by their people and by the operator.

use crate::Harness;
use crate::fixture::{
    client, client_id, code, consent, grant, grant_id, now, seconds, secret, user, user_id,
};
use crate::service::{assert_level, assert_untouched, audited, event_by, event_of_person, prepare, recorded};
use application::grant::{Grants, RevokeGrantsError};
use application::ports::storage::GrantFilter;
use application::session::SignedInPerson;
use domain::audit::{AuditActor, AuditKind};
use domain::code::AuthorizationCode;
use domain::grant::{Grant, GrantState, RevocationReason};

fn grants(harness: &Harness) -> Grants {
    Grants { store: audited(harness), reader: harness.grants.clone(), apps: harness.apps.clone() }
}

pub(crate) async fn a_revocation_that_matches_nothing_opens_no_connection(harness: &Harness) {
    prepare(harness).await;
    let grants = grants(harness);
    let all = GrantFilter::default();
    let names_nothing = |error: &RevokeGrantsError| matches!(error, RevokeGrantsError::NothingNamed);
    for filter in [all, GrantFilter { created_before: Some(now()), ..all }] {
        assert_untouched(harness, "revoke all", names_nothing, async || grants.revoke(filter).await).await;
    }
    for (name, filter) in [
        ("revoke of a person without grants", GrantFilter { user_id: Some(user_id(1)), ..all }),
        ("revoke of an app without grants", GrantFilter { client_id: Some(client_id(1)), ..all }),
        ("revoke an unknown grant", GrantFilter { id: Some(grant_id(9)), ..all }),
    ] {
        assert_level(harness, name, async || match grants.revoke(filter).await {
            Ok(0) => Err(()),
            outcome => Ok(outcome),
        })
        .await;
    }
    assert_eq!(recorded(harness).await, []);
}

/// Stores grants 1 and 2 of person and client 1, 3 of person 1 and client 2, 4 of person 3 and client 1. All
/// consents are remembered, and both people have a code.
async fn connect(harness: &Harness) -> SignedInPerson {
    let person = prepare(harness).await;
    harness.store_user(&user(3)).await;
    harness.store_client(&client(2), &secret(2)).await;
    harness.store_grants(&[1, 2].map(grant)).await;
    harness.store_grants(&[Grant { client_id: client_id(2), ..grant(3) }]).await;
    harness.store_grants(&[Grant { user_id: user_id(3), ..grant(4) }]).await;
    let mut unit = harness.begin().await;
    for (person, app) in [(1, 1), (1, 2), (3, 1)] {
        unit.consents().remember(&consent(person, app)).await.unwrap();
    }
    // From a replica whose clock is ahead.
    let ahead = AuthorizationCode { issued_at: seconds(61), expires_at: seconds(121), ..code(1) };
    unit.codes().insert(&ahead).await.unwrap();
    unit.codes().insert(&AuthorizationCode { user_id: user_id(3), ..code(2) }).await.unwrap();
    unit.commit().await.unwrap();
    person
}

/// Checks which grants are live, which people have a consent for which client, and which codes are left.
async fn assert_left(harness: &Harness, grants: &[u64], consents: &[(u64, u64)], codes: &[u64]) {
    let stored = harness.grants.list_grants(GrantFilter::default(), None, 9).await.unwrap();
    let live: Vec<_> = stored.iter().filter(|grant| grant.is_live()).map(|grant| grant.id).collect();
    assert_eq!(live, grants.iter().copied().map(grant_id).collect::<Vec<_>>());
    let mut unit = harness.begin().await;
    for pair in [(1, 1), (1, 2), (3, 1)] {
        let found = unit.consents().find(user_id(pair.0), client_id(pair.1)).await.unwrap();
        assert_eq!(found.is_some(), consents.contains(&pair), "{pair:?}");
    }
    for number in [1, 2] {
        let found = unit.codes().find(&code(number).hash).await.unwrap();
        assert_eq!(found.is_some(), codes.contains(&number), "{number}");
    }
    unit.rollback().await.unwrap();
}

pub(crate) async fn a_disconnected_app_has_no_access_no_consent_and_no_code(harness: &Harness) {
    let person = connect(harness).await;
    let grants = grants(harness);
    let event = event_of_person(AuditKind::GrantRevoked);
    assert_eq!(grants.disconnect(&person, Some(client_id(1))).await.unwrap(), 2);
    assert_left(harness, &[3, 4], &[(1, 2), (3, 1)], &[2]).await;
    let one = GrantFilter { id: Some(grant_id(1)), ..GrantFilter::default() };
    let revoked = harness.grants.list_grants(one, None, 9).await.unwrap();
    assert_eq!(revoked[0].state, GrantState::Revoked { at: now(), reason: RevocationReason::Person });
    assert_eq!(recorded(harness).await, [event.clone().client(client_id(1)).count(2)]);
    assert_eq!(grants.disconnect(&person, Some(client_id(1))).await.unwrap(), 0);
    assert_eq!(recorded(harness).await, []);
    let apps = grants.list_apps(person.user_id).await.unwrap();
    assert_eq!(apps.iter().map(|app| app.client_id).collect::<Vec<_>>(), [client_id(2)]);
    assert_eq!(grants.disconnect(&person, None).await.unwrap(), 1);
    assert_left(harness, &[4], &[(3, 1)], &[2]).await;
    assert_eq!(recorded(harness).await, [event.count(1)]);
    assert_eq!(grants.list_apps(user_id(3)).await.unwrap().len(), 1);
}

pub(crate) async fn a_consent_that_ends_without_a_grant_is_recorded(harness: &Harness) {
    let person = prepare(harness).await;
    let grants = grants(harness);
    commit!(harness, consents().remember(&consent(1, 1)));
    assert_eq!(grants.disconnect(&person, Some(client_id(1))).await.unwrap(), 0);
    assert_left(harness, &[], &[], &[]).await;
    let event = event_of_person(AuditKind::GrantRevoked).client(client_id(1));
    assert_eq!(recorded(harness).await, [event.count(0)]);
}

/// A person's codes end too, but not those of a client.
pub(crate) async fn the_operator_revokes_what_the_filter_names_with_its_consents(harness: &Harness) {
    connect(harness).await;
    let grants = grants(harness);
    let event = || event_by(AuditActor::Operator, AuditKind::GrantRevoked);
    let all = GrantFilter::default();
    let one = GrantFilter { id: Some(grant_id(1)), ..all };
    assert_eq!(grants.revoke(one).await.unwrap(), 1);
    assert_left(harness, &[2, 3, 4], &[(1, 2), (3, 1)], &[2]).await;
    let about = event().user(user_id(1)).client(client_id(1)).subject(grant_id(1).as_uuid());
    assert_eq!(recorded(harness).await, [about.count(1)]);
    let of_client = GrantFilter { client_id: Some(client_id(1)), ..all };
    assert_eq!(grants.revoke(of_client).await.unwrap(), 2);
    assert_left(harness, &[3], &[(1, 2)], &[2]).await;
    assert_eq!(recorded(harness).await, [event().client(client_id(1)).count(2)]);
    let of_person = GrantFilter { user_id: Some(user_id(1)), ..all };
    assert_eq!(grants.revoke(of_person).await.unwrap(), 1);
    assert_left(harness, &[], &[], &[2]).await;
    assert_eq!(recorded(harness).await, [event().user(user_id(1)).count(1)]);
    let revoked = harness.grants.list_grants(all, None, 9).await.unwrap();
    for grant in revoked {
        let state = GrantState::Revoked { at: now(), reason: RevocationReason::Operator };
        assert_eq!(grant.state, state);
    }
}

pub(crate) async fn codes_and_consents_without_a_grant_are_revoked_by_the_operator(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&user(3)).await;
    commit!(harness, codes().insert(&AuthorizationCode { user_id: user_id(3), ..code(2) }));
    let (grants, all) = (grants(harness), GrantFilter::default());
    let of_person = GrantFilter { user_id: Some(user_id(3)), ..all };
    let event = event_by(AuditActor::Operator, AuditKind::GrantRevoked).user(user_id(3));
    for _ in 0..2 {
        assert_eq!(grants.revoke(of_person).await.unwrap(), 0);
        assert_left(harness, &[], &[], &[]).await;
        assert_eq!(recorded(harness).await, [event.clone().count(0)]);
        commit!(harness, consents().remember(&consent(3, 1)));
    }
}
