use super::{ADDRESS, TestStore, approved, session};
use crate::developer::{AppCommand, AppWebhookPorts, AppWebhooks, DeveloperAppError};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{ClientWithSecrets, EndpointInsertion, MockClientReader, MockWebhookReader};
use crate::ports::system::MockWebhookSigner;
use crate::testing::{client_id, clock, entropy, noon, user_id};
use crate::webhook::{ManageWebhooks, WebhookError};
use chrono::TimeDelta;
use domain::audit::AuditKind;
use domain::id::WebhookEndpointId;
use domain::outbound::{OutboundPolicy, OutboundUrl};
use domain::session::Session;
use domain::webhook::{EndpointStatus, EventKind, MAX_ENDPOINTS, SealedWebhookSecret, WebhookEndpoint};
use std::sync::Arc;
use uuid::Uuid;

fn endpoint_id(number: u128) -> WebhookEndpointId {
    WebhookEndpointId::from_uuid(Uuid::from_u128(number))
}

/// Endpoint 1, of the app of user 1.
fn endpoint() -> WebhookEndpoint {
    WebhookEndpoint {
        id: endpoint_id(1),
        client_id: client_id(1),
        url: url("https://hooks.example/x"),
        contact: None,
        status: EndpointStatus::Active,
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

/// The use case, with one app, of user 1, and its endpoint.
fn webhooks(prepared: &TestStore) -> AppWebhooks {
    let units = || prepared.units.clone();
    let mut clients = MockClientReader::new();
    clients.expect_find_with_secrets().returning(|id| {
        let found = ClientWithSecrets { client: approved(), secrets: Vec::new() };
        Ok((id == client_id(1)).then_some(found))
    });
    AppWebhooks::new(AppWebhookPorts {
        clients: Arc::new(clients),
        webhooks: reader(),
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
        .withf(|one, most| one.contact.is_none() && *most == MAX_ENDPOINTS)
        .returning(|_, _| Ok(EndpointInsertion::Stored));
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
