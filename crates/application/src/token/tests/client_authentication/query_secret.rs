//! Secrets in the query string (T04).

use super::*;
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::test_support::{MockUnitOfWork, RecordedEvents};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};

fn in_query(secret: &str) -> PresentedCredentials<'_> {
    let credentials = credentials("00000000-0000-0000-0000-0000c11e0001", secret);
    PresentedCredentials { in_query: QuerySecrets::ClientSecret, ..credentials }
}

#[tokio::test]
async fn a_secret_in_the_query_is_accepted_where_both_switches_allow_it() {
    let authentication = authentication(known_client(app()), MockFailureCounter::new());
    let right = secret(SecretKind::ClientSecret, 3);
    assert_eq!(authentication.authenticate(in_query(right.expose())).await.unwrap(), app());
}

#[tokio::test]
async fn a_wrong_secret_does_not_reveal_the_clients_query_setting() {
    let strict = Client { allow_query_secrets: false, ..app() };
    let authentication = authentication(known_client(strict), one_failure());
    let wrong = secret(SecretKind::ClientSecret, 9);
    assert_invalid_client(authentication.authenticate(in_query(wrong.expose())).await);
}

fn strict() -> Client {
    Client { allow_query_secrets: false, ..app() }
}

/// Presents the secret with this number; returns the outcome and the audit events.
async fn refuse(
    clients: MockClientReader,
    allow_query_secrets: bool,
    number: u8,
    in_query: QuerySecrets,
) -> (Outcome, RecordedEvents) {
    let units = PreparedUnitsOfWork::new([MockUnitOfWork::default()]);
    let events = units.events();
    let authentication = authentication_with(clients, MockFailureCounter::new(), units, allow_query_secrets);
    let (id, secret) = (own_id(), secret(SecretKind::ClientSecret, number));
    let presented = PresentedCredentials { in_query, ..credentials(&id, secret.expose()) };
    (authentication.authenticate(presented).await, events)
}

fn assert_refused(outcome: &Outcome) {
    assert!(matches!(outcome, Err(ClientAuthenticationError::SecretInQuery(_))), "{outcome:?}");
}

#[tokio::test]
async fn t04_a_correct_secret_in_a_forbidden_query_is_flagged_for_rotation() {
    for (client, allowed) in [(strict(), true), (app(), false), (strict(), false)] {
        for number in [2, 3] {
            let known = known_client(client.clone());
            let (outcome, events) = refuse(known, allowed, number, QuerySecrets::ClientSecret).await;
            assert_refused(&outcome);
            let expected_event =
                event(AuditActor::Client, AuditKind::ClientSecretExposed).client(client_id(1));
            let expected_event = expected_event.subject(stored_secret(number, None).id.as_uuid());
            assert_events(
                &events,
                &[expected_event.from(AddressBlock::containing("192.0.2.1".parse().unwrap()))],
            );
        }
    }
}

#[tokio::test]
async fn t04_a_code_or_token_in_the_query_does_not_expose_the_clients_secret() {
    for (client, allowed) in [(strict(), true), (app(), false)] {
        let (outcome, events) = refuse(known_client(client), allowed, 3, QuerySecrets::Others).await;
        assert_refused(&outcome);
        assert_events(&events, &[]);
    }
}

#[tokio::test]
async fn the_global_switch_refuses_any_client_and_counts_nothing() {
    // An expired secret, an unknown one, an unknown and a disabled client, and a failing store.
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..app() };
    let silent = client_reader(.., |_| Err(StorageError::Unavailable));
    for (clients, number) in [
        (known_client(app()), 1),
        (known_client(app()), 9),
        (no_client(client_id(1)), 3),
        (known_client(disabled), 3),
        (silent, 3),
    ] {
        let (outcome, events) = refuse(clients, false, number, QuerySecrets::ClientSecret).await;
        assert_refused(&outcome);
        assert_events(&events, &[]);
    }
}

#[tokio::test]
async fn the_rejection_is_the_same_if_the_audit_trail_fails() {
    for allowed in [true, false] {
        let units = PreparedUnitsOfWork::new([]);
        let endings = units.endings();
        let authentication =
            authentication_with(known_client(strict()), MockFailureCounter::new(), units, allowed);
        let right = secret(SecretKind::ClientSecret, 3);
        assert_refused(&authentication.authenticate(in_query(right.expose())).await);
        assert_eq!(endings.opened(), 1);
    }
}
