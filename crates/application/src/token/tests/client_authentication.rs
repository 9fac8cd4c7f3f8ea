mod metadata;
mod query_secret;

use crate::ports::storage::test_support::PreparedUnitsOfWork;
use crate::ports::storage::{
    ClientWithSecrets, FailureCount, FailureKey, MockClientReader, MockFailureCounter, StorageError,
};
use crate::testing::{
    app, client_id, client_reader, counters, noon, seconds, secret, store, stored_secret, without_secrets,
};
use crate::token::{
    AuthenticationLimits, ClientAuthentication, ClientAuthenticationError, PresentedCredentials, QuerySecrets,
};
use chrono::TimeDelta;
use domain::client::{Client, ClientKind, ClientStatus, MetadataPolicy};
use domain::id::ClientId;
use domain::secret::SecretKind;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

type Outcome = Result<Client, ClientAuthenticationError>;

fn authentication(clients: MockClientReader, failures: MockFailureCounter) -> ClientAuthentication {
    authentication_with(clients, failures, PreparedUnitsOfWork::new([]), true)
}

fn authentication_with(
    clients: MockClientReader,
    failures: MockFailureCounter,
    units: PreparedUnitsOfWork,
    allow_query_secrets: bool,
) -> ClientAuthentication {
    ClientAuthentication {
        store: store(&Arc::new(units)),
        clients: Arc::new(clients),
        failures: Arc::new(failures),
        limits: AuthenticationLimits::default(),
        allow_query_secrets,
        metadata_policy: MetadataPolicy::Off,
    }
}

/// Presents the secret with this number from one address, not in the query string.
async fn present(authentication: ClientAuthentication, id: &str, number: u8) -> Outcome {
    let client_secret = secret(SecretKind::ClientSecret, number);
    authentication.authenticate(credentials(id, client_secret.expose())).await
}

fn credentials<'a>(client_id: &'a str, client_secret: &'a str) -> PresentedCredentials<'a> {
    let address = "192.0.2.1".parse().unwrap();
    PresentedCredentials {
        client_id,
        client_secret: Some(client_secret),
        address,
        in_query: QuerySecrets::None,
    }
}

fn own_id() -> String {
    client_id(1).to_string()
}

/// A store with the app and its secrets 1 (expired a second ago), 2 (expires in a second) and 3.
fn known_client(client: Client) -> MockClientReader {
    let secrets = vec![
        stored_secret(1, Some(noon() - seconds(1))),
        stored_secret(2, Some(noon() + seconds(1))),
        stored_secret(3, None),
    ];
    client_reader(1, move |id| {
        assert_eq!(id, client_id(1));
        Ok(Some(ClientWithSecrets { client: client.clone(), secrets: secrets.clone() }))
    })
}

fn no_client(asked_for: ClientId) -> MockClientReader {
    client_reader(1, move |id| {
        assert_eq!(id, asked_for);
        Ok(None)
    })
}

/// Failure counters that expect one failure and return these counts for the client and the address.
fn counting(for_client: FailureCount, for_address: FailureCount) -> MockFailureCounter {
    counters(1, move |keys, at, window| {
        assert_eq!((keys.len(), at, window), (2, noon(), TimeDelta::minutes(10)));
        Ok(vec![for_client, for_address])
    })
}

fn count(count: u32, seconds_left: i64) -> FailureCount {
    FailureCount { count, window_ends_at: noon() + seconds(seconds_left) }
}

fn one_failure() -> MockFailureCounter {
    counting(count(1, 600), count(1, 600))
}

fn assert_invalid_client(outcome: Outcome) {
    let error = outcome.unwrap_err();
    assert!(matches!(error, ClientAuthenticationError::InvalidClient(_)), "{error}");
    assert_eq!(error.to_string(), "client authentication failed");
}

fn retry_after(outcome: Outcome) -> u32 {
    match outcome {
        Err(ClientAuthenticationError::TooManyFailures { retry_after_seconds, .. }) => retry_after_seconds,
        other => panic!("not refused for too many failures: {other:?}"),
    }
}

// Counters without expectations fail the test when called: a success must not touch them.

#[tokio::test]
async fn the_right_secret_proves_the_client_and_is_not_counted() {
    let outcome = present(authentication(known_client(app()), MockFailureCounter::new()), &own_id(), 3).await;
    assert_eq!(outcome.unwrap(), app());
}

#[tokio::test]
async fn a_rotated_secret_is_valid_until_its_expiry() {
    let outcome = present(authentication(known_client(app()), MockFailureCounter::new()), &own_id(), 2).await;
    assert_eq!(outcome.unwrap(), app());
}

#[tokio::test]
async fn the_client_id_is_accepted_in_any_letter_case() {
    let id = own_id().to_uppercase();
    let outcome = present(authentication(known_client(app()), MockFailureCounter::new()), &id, 3).await;
    assert_eq!(outcome.unwrap(), app());
}

// The following cases are rejected alike, with one store request and one counted failure (T44).

#[tokio::test]
async fn an_expired_secret_is_refused_and_counted() {
    assert_invalid_client(present(authentication(known_client(app()), one_failure()), &own_id(), 1).await);
}

#[tokio::test]
async fn a_wrong_secret_is_refused_and_counted() {
    assert_invalid_client(present(authentication(known_client(app()), one_failure()), &own_id(), 9).await);
}

#[tokio::test]
async fn a_malformed_secret_is_rejected_and_counted() {
    let authentication = authentication(known_client(app()), one_failure());
    assert_invalid_client(authentication.authenticate(credentials(&own_id(), "hunter2")).await);
}

#[tokio::test]
async fn an_unknown_client_is_refused_and_counted() {
    let id = client_id(8);
    assert_invalid_client(present(authentication(no_client(id), one_failure()), &id.to_string(), 3).await);
}

#[tokio::test]
async fn a_malformed_client_id_causes_the_same_lookup() {
    let nobody = ClientId::from_uuid(Uuid::nil());
    assert_invalid_client(present(authentication(no_client(nobody), one_failure()), "no-uuid", 3).await);
}

#[tokio::test]
async fn a_disabled_client_is_refused_with_its_right_secret() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..app() };
    assert_invalid_client(present(authentication(known_client(disabled), one_failure()), &own_id(), 3).await);
}

#[tokio::test]
async fn the_secret_of_another_kind_is_refused_even_when_its_bytes_are_right() {
    let as_refresh_token = secret(SecretKind::RefreshToken, 3);
    let authentication = authentication(known_client(app()), one_failure());
    assert_invalid_client(
        authentication.authenticate(credentials(&own_id(), as_refresh_token.expose())).await,
    );
}

fn public_app() -> Client {
    Client { kind: ClientKind::PublicApp, require_pkce: true, ..app() }
}

/// A store with only this client, which has no secrets.
fn known_without_secrets(client: Client) -> MockClientReader {
    client_reader(1, move |_| Ok(Some(without_secrets(client.clone()))))
}

fn without_secret(in_query: QuerySecrets, id: &str) -> PresentedCredentials<'_> {
    PresentedCredentials { client_secret: None, in_query, ..credentials(id, "") }
}

#[tokio::test]
async fn a_public_app_names_itself_without_a_secret() {
    let authentication = authentication(known_without_secrets(public_app()), MockFailureCounter::new());
    let outcome = authentication.authenticate(without_secret(QuerySecrets::Others, &own_id())).await;
    assert_eq!(outcome.unwrap(), public_app());
}

#[tokio::test]
async fn a_public_app_that_sends_a_secret_is_refused_and_counted() {
    let authentication = authentication(known_without_secrets(public_app()), one_failure());
    assert_invalid_client(present(authentication, &own_id(), 3).await);
}

#[tokio::test]
async fn a_disabled_public_app_is_refused() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..public_app() };
    let authentication = authentication(known_without_secrets(disabled), MockFailureCounter::new());
    assert_invalid_client(authentication.authenticate(without_secret(QuerySecrets::None, &own_id())).await);
}

#[tokio::test]
async fn a_confidential_or_unknown_client_without_a_secret_is_not_counted() {
    let stores = [
        known_client(app()),
        known_client(Client { kind: ClientKind::Service, ..app() }),
        no_client(client_id(1)),
    ];
    for store in stores {
        let authentication = authentication(store, MockFailureCounter::new());
        let outcome =
            authentication.authenticate(without_secret(QuerySecrets::ClientSecret, &own_id())).await;
        assert!(matches!(outcome, Err(ClientAuthenticationError::SecretMissing(_))), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_public_app_may_be_denied_codes_and_tokens_in_the_query_string() {
    let strict = Client { allow_query_secrets: false, ..public_app() };
    for (client, allowed) in [(strict, true), (public_app(), false)] {
        let units = PreparedUnitsOfWork::new([]);
        let failures = MockFailureCounter::new();
        let authentication = authentication_with(known_without_secrets(client), failures, units, allowed);
        let outcome = authentication.authenticate(without_secret(QuerySecrets::Others, &own_id())).await;
        assert!(matches!(outcome, Err(ClientAuthenticationError::SecretInQuery(_))), "{outcome:?}");
    }
}

#[tokio::test]
async fn failures_beyond_a_limit_are_rejected_until_the_later_window_ends() {
    // 20 per client and address, and 100 per address; a window that has ended counts as a second.
    for (for_client, for_address, retry_after_seconds) in [
        (count(20, 600), count(20, 600), None),
        (count(21, 90), count(21, 500), Some(90)),
        (count(1, 600), count(100, 600), None),
        (count(1, 600), count(101, 7), Some(7)),
        (count(21, 30), count(101, 300), Some(300)),
        (count(21, -5), count(1, 600), Some(1)),
    ] {
        let authentication = authentication(known_client(app()), counting(for_client, for_address));
        let outcome = present(authentication, &own_id(), 9).await;
        match retry_after_seconds {
            Some(seconds) => assert_eq!(retry_after(outcome), seconds),
            None => assert_invalid_client(outcome),
        }
    }
}

#[tokio::test]
async fn a_counter_that_fails_does_not_fail_open() {
    let failures = counters(1, |_, _, _| Err(StorageError::Unavailable));
    let outcome = present(authentication(known_client(app()), failures), &own_id(), 9).await;
    assert!(matches!(outcome, Err(ClientAuthenticationError::Storage(StorageError::Unavailable))));
}

/// Returns the counter keys of a failure of this client from this address.
async fn keys(id: &str, address: &str) -> Vec<FailureKey> {
    let clients = client_reader(1, |_| Ok(None));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let failures = counters(1, move |keys, _, _| {
        noted.lock().unwrap().extend_from_slice(keys);
        Ok(vec![count(1, 600), count(1, 600)])
    });
    let presented = PresentedCredentials { address: address.parse().unwrap(), ..credentials(id, "wrong") };
    assert_invalid_client(authentication(clients, failures).authenticate(presented).await);
    let keys = seen.lock().unwrap().clone();
    assert_eq!(keys.len(), 2);
    keys
}

#[tokio::test]
async fn the_same_client_and_address_share_both_counters_in_any_spelling() {
    let (lower, upper) = (own_id(), own_id().to_uppercase());
    assert_eq!(keys(&lower, "192.0.2.1").await, keys(&upper, "::ffff:192.0.2.1").await);
}

#[tokio::test]
async fn another_client_at_the_same_address_shares_the_counter_of_the_address_only() {
    let (one, other) = (keys("one", "192.0.2.1").await, keys("other", "192.0.2.1").await);
    assert_ne!(one[0], other[0]);
    assert_eq!(one[1], other[1]);
}

#[tokio::test]
async fn another_address_shares_no_counter() {
    let (one, other) = (keys("one", "192.0.2.1").await, keys("one", "192.0.2.2").await);
    assert_ne!(one[0], other[0]);
    assert_ne!(one[1], other[1]);
}

#[tokio::test]
async fn the_addresses_of_one_ipv6_64_share_their_counters() {
    let one = keys("one", "2001:db8:1:2::1").await;
    assert_eq!(one, keys("one", "2001:db8:1:2:ffff::9").await);
    assert_ne!(one, keys("one", "2001:db8:1:3::1").await);
}

#[tokio::test]
async fn the_two_counters_of_one_failure_differ() {
    let keys = keys("", "192.0.2.1").await;
    assert_ne!(keys[0], keys[1]);
}
