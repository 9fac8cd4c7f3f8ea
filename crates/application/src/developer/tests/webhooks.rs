use super::{ADDRESS, TestStore, approved, session};
use crate::developer::{AppCommand, AppWebhookPorts, AppWebhooks, DeveloperAppError};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{
    ClientWithSecrets, FailureCount, MockClientReader, MockFailureCounter, MockWebhookReader, StorageError,
};
use crate::ports::system::MockWebhookSigner;
use crate::testing::{client_id, clock, entropy, noon, user_id};
use crate::webhook::{ManageWebhooks, WebhookError};
use chrono::TimeDelta;
use domain::audit::AuditKind;
use domain::id::WebhookEndpointId;
use domain::outbound::{OutboundPolicy, OutboundUrl};
use domain::session::Session;
use domain::webhook::{EndpointStatus, EventKind, SealedWebhookSecret, WebhookEndpoint};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use uuid::Uuid;

fn endpoint_id(number: u128) -> WebhookEndpointId {
    WebhookEndpointId::from_uuid(Uuid::from_u128(number))
}

/// Endpoint 1, of the app of user 1.
pub(super) fn endpoint() -> WebhookEndpoint {
    WebhookEndpoint {
        id: endpoint_id(1),
        client_id: client_id(1),
        url: url("https://hooks.example/x"),
        contact: None,
        status: EndpointStatus::Active,
        is_reviewed: false,
        secret: SealedWebhookSecret::new(vec![1]),
        previous_secret: None,
        created_at: noon(),
    }
}

fn url(text: &str) -> OutboundUrl {
    OutboundUrl::parse(text).unwrap()
}

fn signer() -> MockWebhookSigner {
    let mut signer = MockWebhookSigner::new();
    signer.expect_seal().returning(|_, _| Ok(SealedWebhookSecret::new(vec![2])));
    signer
}

fn reader() -> Arc<MockWebhookReader> {
    let mut reader = MockWebhookReader::new();
    reader
        .expect_list_endpoints()
        .withf(|client| *client == Some(client_id(1)))
        .returning(|_| Ok(vec![endpoint()]));
    reader.expect_list_deliveries().returning(|_, _| Ok(Vec::new()));
    Arc::new(reader)
}

fn webhooks(prepared: &TestStore) -> AppWebhooks {
    counting(prepared, Arc::new(counters(|_| 1)))
}

/// Counters that return this count for the nth counted key.
fn counters(count: impl Fn(usize) -> u32 + Send + Sync + 'static) -> MockFailureCounter {
    let calls = AtomicUsize::new(0);
    let mut failures = MockFailureCounter::new();
    failures.expect_record_failure().returning(move |keys, at, window| {
        assert_eq!((keys.len(), window), (1, TimeDelta::minutes(10)));
        let count = count(calls.fetch_add(1, Ordering::Relaxed));
        Ok(vec![FailureCount { count, window_ends_at: at + TimeDelta::seconds(90) }])
    });
    failures
}

/// The use case, with one app, of user 1, and its endpoint.
fn counting(prepared: &TestStore, failures: Arc<MockFailureCounter>) -> AppWebhooks {
    let units = || prepared.units.clone();
    let mut clients = MockClientReader::new();
    clients.expect_find_with_secrets().returning(|id| {
        let found = ClientWithSecrets { client: approved(), secrets: Vec::new() };
        Ok((id == client_id(1)).then_some(found))
    });
    AppWebhooks::new(AppWebhookPorts {
        clients: Arc::new(clients),
        webhooks: reader(),
        failures,
        manage: ManageWebhooks::new(units(), reader(), Arc::new(signer()), entropy(), clock()),
        clock: clock(),
        policy: OutboundPolicy::default(),
    })
}

fn session_command(session: &Session) -> AppCommand<'_> {
    AppCommand { session, id: client_id(1), address: ADDRESS }
}

/// A unit of work that finds the app and the endpoint.
fn unit() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().returning(|_| Ok(Some(approved())));
    unit.webhooks.expect_find().withf(|id| *id == endpoint_id(1)).returning(|_| Ok(Some(endpoint())));
    unit.webhooks.expect_queue().returning(|_, _| Ok(()));
    unit
}

#[tokio::test]
async fn an_endpoint_of_an_own_app_stores_no_contact_and_is_audited_for_the_developer() {
    let mut unit = unit();
    unit.webhooks
        .expect_insert()
        .times(1)
        .withf(|one| one.contact.is_none() && !one.is_reviewed)
        .returning(|_| Ok(()));
    unit.webhooks.expect_list().returning(|_| Ok(Vec::new()));
    let prepared = TestStore::new([unit]);
    let session = session(299);
    webhooks(&prepared).create(session_command(&session), url("https://hooks.example/y")).await.unwrap();
    let event = prepared.assert_committed(AuditKind::WebhookCreated);
    assert_eq!(event.client_id, Some(client_id(1)));
}

#[tokio::test]
async fn an_endpoint_is_rotated_tested_replayed_and_deleted() {
    let session = session(0);
    let mut rotated = unit();
    rotated.webhooks.expect_update().times(1).returning(|_| Ok(true));
    let prepared = TestStore::new([rotated]);
    let current = endpoint().secret.id();
    webhooks(&prepared).rotate(session_command(&session), endpoint_id(1), current).await.unwrap();
    prepared.assert_committed(AuditKind::WebhookSecretRotated);
    let mut deleted = unit();
    deleted.webhooks.expect_delete().times(1).returning(|_| Ok(true));
    let prepared = TestStore::new([deleted]);
    webhooks(&prepared).delete(session_command(&session), endpoint_id(1)).await.unwrap();
    prepared.assert_committed(AuditKind::WebhookDeleted);
    let prepared = TestStore::new([unit()]);
    let tested = webhooks(&prepared).test(session_command(&session), endpoint_id(1)).await.unwrap();
    assert_eq!(tested, EventKind::EndpointTest);
    prepared.assert_committed(AuditKind::WebhookTested);
    let prepared = TestStore::new([unit()]);
    let replayed =
        webhooks(&prepared).replay(session_command(&session), endpoint_id(1), TimeDelta::days(1)).await;
    assert_eq!(replayed.unwrap(), 0);
    prepared.assert_committed(AuditKind::WebhookReplayed);
}

#[tokio::test]
async fn what_is_sent_is_limited_per_endpoint_developer_and_host() {
    let session = session(0);
    let command = session_command(&session);
    for (place, limit) in [(0, 10), (1, 30), (2, 60)] {
        for (count, is_sent) in [(limit, true), (limit + 1, false)] {
            let failures = || Arc::new(counters(move |nth| if nth == place { count } else { 1 }));
            let store = || TestStore::new(is_sent.then(unit));
            let is_limited = |refused: Option<DeveloperAppError>| match refused {
                None => false,
                Some(DeveloperAppError::TooManyMessages { retry_after_seconds: 90 }) => true,
                Some(error) => panic!("{error:?}"),
            };
            let prepared = store();
            let tested = counting(&prepared, failures()).test(command, endpoint_id(1)).await;
            assert_eq!(is_limited(tested.err()), !is_sent, "{limit}");
            let prepared = store();
            let replayed =
                counting(&prepared, failures()).replay(command, endpoint_id(1), TimeDelta::days(1)).await;
            assert_eq!(is_limited(replayed.err()), !is_sent, "{limit}");
        }
    }
    // A new endpoint has no counter yet.
    for (place, limit) in [(0, 30), (1, 60)] {
        let failures = Arc::new(counters(move |nth| if nth == place { limit + 1 } else { 1 }));
        let prepared = TestStore::new([]);
        let created = counting(&prepared, failures).create(command, url("https://hooks.example/y")).await;
        assert!(matches!(created, Err(DeveloperAppError::TooManyMessages { .. })), "{limit}: {created:?}");
    }
}

#[tokio::test]
async fn a_failed_count_sends_nothing() {
    let mut failures = MockFailureCounter::new();
    failures.expect_record_failure().returning(|_, _, _| Err(StorageError::Unavailable));
    let (prepared, session) = (TestStore::new([]), session(0));
    let tested =
        counting(&prepared, Arc::new(failures)).test(session_command(&session), endpoint_id(1)).await;
    assert!(matches!(tested, Err(DeveloperAppError::Storage(StorageError::Unavailable))), "{tested:?}");
}

#[tokio::test]
async fn a_developer_never_creates_an_endpoint_on_a_private_network() {
    let prepared = TestStore::new([]);
    let mut webhooks = webhooks(&prepared);
    webhooks.ports.policy = OutboundPolicy { allow_private_networks: true, ..OutboundPolicy::default() };
    let refused = webhooks.create(session_command(&session(0)), url("https://10.0.0.1/")).await;
    assert!(matches!(refused, Err(DeveloperAppError::Webhook(WebhookError::Forbidden))), "{refused:?}");
}

#[tokio::test]
async fn a_form_for_a_new_webhook_secret_that_is_sent_again_creates_none() {
    let prepared = TestStore::new([unit()]);
    let replaced = SealedWebhookSecret::new(vec![9]).id();
    let refused = webhooks(&prepared).rotate(session_command(&session(0)), endpoint_id(1), replaced).await;
    assert!(matches!(refused, Err(DeveloperAppError::SecretChanged)));
    prepared.assert_nothing_stored();
}

#[tokio::test]
async fn an_endpoint_or_an_app_of_someone_else_is_not_found() {
    let current = endpoint().secret.id();
    let (own, other) = (session(0), Session { user_id: user_id(2), ..session(0) });
    let prepared = TestStore::new([]);
    let webhooks = webhooks(&prepared);
    let is_missing =
        |refused: Option<DeveloperAppError>| matches!(refused, Some(DeveloperAppError::NotFound));
    let unknown = AppCommand { id: client_id(2), ..session_command(&own) };
    for (command, endpoint) in [
        (session_command(&own), endpoint_id(2)),
        (session_command(&other), endpoint_id(1)),
        (unknown, endpoint_id(1)),
    ] {
        assert!(is_missing(webhooks.test(command, endpoint).await.err()));
        assert!(is_missing(webhooks.rotate(command, endpoint, current).await.err()));
        assert!(is_missing(webhooks.delete(command, endpoint).await.err()));
        assert!(is_missing(webhooks.replay(command, endpoint, TimeDelta::days(1)).await.err()));
    }
    let created = webhooks.create(session_command(&other), url("https://hooks.example/y")).await;
    assert!(is_missing(created.err()));
    assert_eq!(webhooks.list(user_id(2), client_id(1)).await.unwrap(), None);
    let listed = webhooks.list(user_id(1), client_id(1)).await.unwrap().unwrap();
    assert_eq!(listed.endpoints, [(endpoint(), Vec::new())]);
    prepared.assert_nothing_stored();
}

#[tokio::test]
async fn a_secret_and_a_deletion_need_a_fresh_sign_in_and_a_private_address_is_refused() {
    let (prepared, stale) = (TestStore::new([]), session(300));
    let webhooks = webhooks(&prepared);
    let is_stale = |refused: Option<DeveloperAppError>| matches!(refused, Some(DeveloperAppError::NotFresh));
    assert!(is_stale(webhooks.create(session_command(&stale), url("https://hooks.example/y")).await.err()));
    let current = endpoint().secret.id();
    assert!(is_stale(webhooks.rotate(session_command(&stale), endpoint_id(1), current).await.err()));
    assert!(is_stale(webhooks.delete(session_command(&stale), endpoint_id(1)).await.err()));
    let refused = webhooks.create(session_command(&session(0)), url("https://10.0.0.1/")).await;
    assert!(matches!(refused, Err(DeveloperAppError::Webhook(WebhookError::Forbidden))), "{refused:?}");
    prepared.assert_nothing_stored();
}
