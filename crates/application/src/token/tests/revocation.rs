use super::tokens;
use crate::access::TokenCheck;
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{GrantFilter, GrantWithUser, MockGrantReader};
use crate::ports::system::{InvalidToken, MockTokenVerifier};
use crate::testing::{
    access_claims, app, checking_with, client_id, grant, grant_id, grant_reader, locked, noon, secret,
    service, unknown_keys, user_id,
};
use crate::token::{RevokeTokenError, Tokens};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::id::ClientId;
use domain::secret::SecretKind;
use domain::user::UserStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const ACCESS: &str = "an access token";

fn refresh_token() -> String {
    secret(SecretKind::RefreshToken, 7).expose().to_owned()
}

fn reader(found: Option<(Grant, UserStatus)>) -> MockGrantReader {
    let known = secret(SecretKind::RefreshToken, 7).hash();
    grant_reader(1, move |hash, named| {
        assert_eq!((*hash, named), (known, None));
        found.clone().map(|(grant, user_status)| GrantWithUser { grant, user_status })
    })
}

/// A verifier that accepts one text as a token with these claims.
fn verifier(of: ClientId, subject: TokenSubject) -> MockTokenVerifier {
    crate::testing::verifier(1, move |token| {
        assert_eq!(token, ACCESS);
        Ok(claims(of, subject))
    })
}

fn claims(client_id: ClientId, subject: TokenSubject) -> AccessClaims {
    AccessClaims { subject, client_id, ..access_claims() }
}

fn of_person() -> TokenSubject {
    TokenSubject::Person { user_id: user_id(1), grant_id: grant_id(1) }
}

/// Units of work that expect the client's revocation of its grant.
fn revoking() -> PreparedUnitsOfWork {
    revoking_live(1)
}

/// Like [`revoking`], with `live` matching grants (0 or 1).
fn revoking_live(live: u64) -> PreparedUnitsOfWork {
    let mut unit = MockUnitOfWork::default();
    let one = GrantFilter {
        user_id: Some(user_id(1)),
        client_id: Some(client_id(1)),
        id: Some(grant_id(1)),
        ..GrantFilter::default()
    };
    unit.grants
        .expect_revoke()
        .times(1)
        .withf(move |filter, at, reason| {
            *filter == one && *at == noon() && *reason == RevocationReason::Client
        })
        .returning(move |_, _, _| Ok(live));
    PreparedUnitsOfWork::new([unit])
}

fn nothing_to_write() -> PreparedUnitsOfWork {
    PreparedUnitsOfWork::new([])
}

/// Revokes a token; returns the outcome and how the units of work ended.
async fn revoke(
    client: &Client,
    token: &str,
    ports: (MockGrantReader, MockTokenVerifier, PreparedUnitsOfWork),
) -> (Result<(), RevokeTokenError>, Arc<Endings>) {
    let (grants, verifier, units) = ports;
    let endings = units.endings();
    let tokens =
        Tokens { check: checking_with(verifier), grants: Arc::new(grants), ..tokens(&Arc::new(units)) };
    (tokens.revoke(client, token).await, endings)
}

#[tokio::test]
async fn an_access_token_signed_with_another_replicas_key_revokes_its_grant() {
    let is_loaded = Arc::new(AtomicBool::new(false));
    let is_known = Arc::clone(&is_loaded);
    let verifier = crate::testing::verifier(2, move |_| {
        is_known.load(Ordering::SeqCst).then(|| claims(client_id(1), of_person())).ok_or(InvalidToken)
    });
    let unknown_keys = unknown_keys(1, move |token| {
        assert_eq!(token, ACCESS);
        is_loaded.store(true, Ordering::SeqCst);
        Ok(true)
    });
    let units = revoking();
    let endings = units.endings();
    let check = TokenCheck::new(Arc::new(verifier), Arc::new(unknown_keys));
    Tokens { check, ..tokens(&Arc::new(units)) }.revoke(&app(), ACCESS).await.unwrap();
    assert_eq!(endings.committed(), 1);
}

#[tokio::test]
async fn a_clients_refresh_token_revokes_its_grant() {
    let ports = (reader(Some((grant(), UserStatus::Active))), MockTokenVerifier::new(), revoking());
    let (outcome, endings) = revoke(&app(), &refresh_token(), ports).await;
    assert!(outcome.is_ok() && endings.committed() == 1, "{outcome:?}");
}

#[tokio::test]
async fn t55_a_revocation_by_a_client_is_audited_once() {
    for (live, committed) in [(1, 1), (0, 0)] {
        let units = revoking_live(live);
        let events = units.events();
        let ports = (MockGrantReader::new(), verifier(client_id(1), of_person()), units);
        let (outcome, endings) = revoke(&app(), ACCESS, ports).await;
        assert!(outcome.is_ok() && endings.committed() == committed, "{outcome:?}");
        let expected_event =
            event(AuditActor::Client, AuditKind::GrantRevoked).user(user_id(1)).client(client_id(1));
        let expected_event = expected_event.subject(grant_id(1).as_uuid()).count(1);
        assert_events(&events, (live > 0).then_some(expected_event).as_slice());
    }
}

#[tokio::test]
async fn the_refresh_token_of_a_locked_person_is_revoked_too() {
    let ports = (reader(Some((grant(), locked()))), MockTokenVerifier::new(), revoking());
    let (outcome, endings) = revoke(&app(), &refresh_token(), ports).await;
    assert!(outcome.is_ok() && endings.committed() == 1, "{outcome:?}");
}

#[tokio::test]
async fn a_clients_access_token_revokes_its_grant() {
    let ports = (MockGrantReader::new(), verifier(client_id(1), of_person()), revoking());
    let (outcome, endings) = revoke(&app(), ACCESS, ports).await;
    assert!(outcome.is_ok() && endings.committed() == 1, "{outcome:?}");
}

#[tokio::test]
async fn a_refresh_token_that_is_unknown_revoked_or_anothers_has_no_effect() {
    let revoked = GrantState::Revoked { at: noon(), reason: RevocationReason::Operator };
    let found =
        [None, Some(Grant { state: revoked, ..grant() }), Some(Grant { client_id: client_id(2), ..grant() })];
    for found in found {
        let found = found.map(|grant| (grant, UserStatus::Active));
        let ports = (reader(found), MockTokenVerifier::new(), nothing_to_write());
        let (outcome, endings) = revoke(&app(), &refresh_token(), ports).await;
        assert!(outcome.is_ok() && endings.opened() == 0, "{outcome:?}");
    }
}

#[tokio::test]
async fn the_access_token_of_another_client_has_no_effect() {
    for subject in [of_person(), TokenSubject::Service] {
        let ports = (MockGrantReader::new(), verifier(client_id(2), subject), nothing_to_write());
        let (outcome, endings) = revoke(&app(), ACCESS, ports).await;
        assert!(outcome.is_ok() && endings.opened() == 0, "{outcome:?}");
    }
}

#[tokio::test]
async fn revoking_a_malformed_token_has_no_effect() {
    for text in ["nonsense", "rwr_too-short", "rwp_x", " ", "a.b.c"] {
        let verifier = crate::testing::verifier(1, |_| Err(InvalidToken));
        let (outcome, endings) =
            revoke(&app(), text, (MockGrantReader::new(), verifier, nothing_to_write())).await;
        assert!(outcome.is_ok() && endings.opened() == 0, "{outcome:?}");
    }
}

#[tokio::test]
async fn a_service_token_is_not_reported_as_revoked() {
    let ports = (MockGrantReader::new(), verifier(client_id(1), TokenSubject::Service), nothing_to_write());
    let (outcome, endings) = revoke(&service(), ACCESS, ports).await;
    assert!(matches!(outcome, Err(RevokeTokenError::UnsupportedTokenType)), "{outcome:?}");
    assert_eq!(endings.opened(), 0);
}
