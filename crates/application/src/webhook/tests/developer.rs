//! Endpoints of a developer's app.

use crate::account::SignedInPerson;
use crate::client::AppDeveloper;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{
    ClientWithSecrets, FailureCount, MockClientReader, MockFailureCounter, MockWebhookReader, StorageError,
};
use crate::ports::system::MockWebhookSigner;
use crate::testing::{ADDRESS, app, client_id, endpoint as stored, signed_in, store, units, user_id};
use crate::webhook::{WebhookActor, WebhookError, Webhooks};
use chrono::TimeDelta;
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{Client, Review};
use domain::id::WebhookEndpointId;
use domain::outbound::{OutboundPolicy, OutboundUrl};
use domain::webhook::{EventKind, SealedWebhookSecret, WebhookEndpoint};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use uuid::Uuid;

fn endpoint_id(number: u128) -> WebhookEndpointId {
    WebhookEndpointId::from_uuid(Uuid::from_u128(number))
}

/// Endpoint 1, of the app of user 1.
fn endpoint() -> WebhookEndpoint {
    WebhookEndpoint { id: endpoint_id(1), contact: None, ..stored() }
}

fn approved() -> Client {
    Client { review: Review::Approved { owner: Some(user_id(1)) }, ..app() }
}

fn url(text: &str) -> OutboundUrl {
    OutboundUrl::parse(text).unwrap()
}

fn webhooks(units: &Arc<PreparedUnitsOfWork>) -> Webhooks {
    counting(units, counters(|_| 1))
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

/// Webhooks of one app, of user 1, with its endpoint.
fn counting(units: &Arc<PreparedUnitsOfWork>, failures: MockFailureCounter) -> Webhooks {
    let mut clients = MockClientReader::new();
    clients.expect_find_with_secrets().returning(|id| {
        let found = ClientWithSecrets { client: approved(), secrets: Vec::new() };
        Ok((id == client_id(1)).then_some(found))
    });
    let mut reader = MockWebhookReader::new();
    reader
        .expect_list_endpoints()
        .withf(|client| *client == Some(client_id(1)))
        .returning(|_| Ok(vec![endpoint()]));
    reader.expect_list_deliveries().returning(|_, _| Ok(Vec::new()));
    let mut signer = MockWebhookSigner::new();
    signer.expect_seal().returning(|_, _| Ok(SealedWebhookSecret::new(vec![2])));
    Webhooks {
        store: store(units),
        reader: Arc::new(reader),
        clients: Arc::new(clients),
        failures: Arc::new(failures),
        signer: Arc::new(signer),
        policy: OutboundPolicy::default(),
    }
}

fn of(person: &SignedInPerson) -> AppDeveloper<'_> {
    AppDeveloper { person, app: client_id(1) }
}

fn by(person: &SignedInPerson) -> WebhookActor<'_> {
    WebhookActor::Developer(of(person))
}

/// A unit of work that finds the app and the endpoint.
fn unit() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().returning(|_| Ok(Some(approved())));
    unit.webhooks.expect_find().withf(|id| *id == endpoint_id(1)).returning(|_| Ok(Some(endpoint())));
    unit.webhooks.expect_queue().returning(|_, _| Ok(()));
    unit
}

/// Asserts that one unit of work was committed, with one event of user 1.
fn assert_committed(units: &PreparedUnitsOfWork, kind: AuditKind) -> AuditEvent {
    assert_eq!((units.endings().opened(), units.endings().committed()), (1, 1));
    let [event] = units.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor, event.user_id), (kind, AuditActor::Person, Some(user_id(1))));
    assert_eq!(event.address, Some(AddressBlock::containing(ADDRESS)));
    event
}

fn assert_nothing_stored(units: &PreparedUnitsOfWork) {
    let endings = units.endings();
    assert_eq!((endings.committed(), endings.rolled_back()), (0, endings.opened()));
    assert_eq!(units.events().all(), []);
}

#[tokio::test]
async fn a_developers_endpoint_stores_no_contact_and_is_audited_for_them() {
    let mut unit = unit();
    unit.webhooks
        .expect_insert()
        .times(1)
        .withf(|one| one.contact.is_none() && !one.is_reviewed)
        .returning(|_| Ok(()));
    unit.webhooks.expect_list().returning(|_| Ok(Vec::new()));
    let units = units([unit]);
    webhooks(&units).create(of(&signed_in(299)), url("https://hooks.example/y")).await.unwrap();
    let event = assert_committed(&units, AuditKind::WebhookCreated);
    assert_eq!(event.client_id, Some(client_id(1)));
}

#[tokio::test]
async fn an_app_that_was_deleted_in_the_meantime_is_not_found() {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().returning(|_| Ok(None));
    let units = units([unit]);
    let created = webhooks(&units).create(of(&signed_in(0)), url("https://hooks.example/y")).await;
    assert!(matches!(created, Err(WebhookError::NotFound)), "{created:?}");
    assert_nothing_stored(&units);
}

#[tokio::test]
async fn an_endpoint_is_rotated_tested_replayed_and_deleted() {
    let person = signed_in(0);
    let mut rotated = unit();
    rotated.webhooks.expect_update().times(1).returning(|_| Ok(true));
    let store = units([rotated]);
    let current = endpoint().secret.id();
    webhooks(&store).rotate(of(&person), endpoint_id(1), current).await.unwrap();
    assert_committed(&store, AuditKind::WebhookSecretRotated);
    let mut deleted = unit();
    deleted.webhooks.expect_delete().times(1).returning(|_| Ok(true));
    let store = units([deleted]);
    webhooks(&store).delete(by(&person), endpoint_id(1)).await.unwrap();
    assert_committed(&store, AuditKind::WebhookDeleted);
    let store = units([unit()]);
    let tested = webhooks(&store).test(by(&person), endpoint_id(1)).await.unwrap();
    assert_eq!(tested, EventKind::EndpointTest);
    assert_committed(&store, AuditKind::WebhookTested);
    let store = units([unit()]);
    let replayed = webhooks(&store).replay(by(&person), endpoint_id(1), TimeDelta::days(1)).await;
    assert_eq!(replayed.unwrap(), 0);
    assert_committed(&store, AuditKind::WebhookReplayed);
}

#[tokio::test]
async fn what_is_sent_is_limited_per_endpoint_developer_and_host() {
    let person = signed_in(0);
    for (place, limit) in [(0, 10), (1, 30), (2, 60)] {
        for (count, is_sent) in [(limit, true), (limit + 1, false)] {
            let failures = || counters(move |nth| if nth == place { count } else { 1 });
            let store = || Arc::new(PreparedUnitsOfWork::new(is_sent.then(unit)));
            let is_limited = |refused: Option<WebhookError>| match refused {
                None => false,
                Some(WebhookError::TooManyMessages { retry_after_seconds: 90 }) => true,
                Some(error) => panic!("{error:?}"),
            };
            let tested = counting(&store(), failures()).test(by(&person), endpoint_id(1)).await;
            assert_eq!(is_limited(tested.err()), !is_sent, "{limit}");
            let (webhooks, day) = (counting(&store(), failures()), TimeDelta::days(1));
            let replayed = webhooks.replay(by(&person), endpoint_id(1), day).await;
            assert_eq!(is_limited(replayed.err()), !is_sent, "{limit}");
        }
    }
    // A new endpoint has no counter yet.
    for (place, limit) in [(0, 30), (1, 60)] {
        let failures = counters(move |nth| if nth == place { limit + 1 } else { 1 });
        let webhooks = counting(&units([]), failures);
        let created = webhooks.create(of(&person), url("https://hooks.example/y")).await;
        assert!(matches!(created, Err(WebhookError::TooManyMessages { .. })), "{limit}: {created:?}");
    }
}

#[tokio::test]
async fn a_failed_count_sends_nothing() {
    let mut failures = MockFailureCounter::new();
    failures.expect_record_failure().returning(|_, _, _| Err(StorageError::Unavailable));
    let tested = counting(&units([]), failures).test(by(&signed_in(0)), endpoint_id(1)).await;
    assert!(matches!(tested, Err(WebhookError::Storage(StorageError::Unavailable))), "{tested:?}");
}

#[tokio::test]
async fn a_developer_never_creates_an_endpoint_on_a_private_network() {
    let policy = OutboundPolicy { allow_private_networks: true, ..OutboundPolicy::default() };
    let webhooks = Webhooks { policy, ..webhooks(&units([])) };
    let refused = webhooks.create(of(&signed_in(0)), url("https://10.0.0.1/")).await;
    assert!(matches!(refused, Err(WebhookError::Forbidden)), "{refused:?}");
}

#[tokio::test]
async fn a_form_for_a_new_webhook_secret_that_is_sent_again_creates_none() {
    let units = units([unit()]);
    let replaced = SealedWebhookSecret::new(vec![9]).id();
    let refused = webhooks(&units).rotate(of(&signed_in(0)), endpoint_id(1), replaced).await;
    assert!(matches!(refused, Err(WebhookError::SecretChanged)));
    assert_nothing_stored(&units);
}

#[tokio::test]
async fn an_endpoint_or_an_app_of_someone_else_is_not_found() {
    let current = endpoint().secret.id();
    let own = signed_in(0);
    let other = SignedInPerson { user_id: user_id(2), ..signed_in(0) };
    let units = units([]);
    let webhooks = webhooks(&units);
    let is_missing = |refused: Option<WebhookError>| matches!(refused, Some(WebhookError::NotFound));
    let unknown = AppDeveloper { person: &own, app: client_id(2) };
    for (developer, endpoint) in
        [(of(&own), endpoint_id(2)), (of(&other), endpoint_id(1)), (unknown, endpoint_id(1))]
    {
        let actor = WebhookActor::Developer(developer);
        assert!(is_missing(webhooks.test(actor, endpoint).await.err()));
        assert!(is_missing(webhooks.rotate(developer, endpoint, current).await.err()));
        assert!(is_missing(webhooks.delete(actor, endpoint).await.err()));
        assert!(is_missing(webhooks.replay(actor, endpoint, TimeDelta::days(1)).await.err()));
    }
    let created = webhooks.create(of(&other), url("https://hooks.example/y")).await;
    assert!(is_missing(created.err()));
    assert_eq!(webhooks.list(user_id(2), client_id(1)).await.unwrap(), None);
    let listed = webhooks.list(user_id(1), client_id(1)).await.unwrap().unwrap();
    assert_eq!(listed.endpoints, [(endpoint(), Vec::new())]);
    assert_nothing_stored(&units);
}

#[tokio::test]
async fn a_creation_a_new_secret_and_a_deletion_need_a_fresh_sign_in() {
    let (units, stale) = (units([]), signed_in(300));
    let webhooks = webhooks(&units);
    let is_stale = |refused: Option<WebhookError>| matches!(refused, Some(WebhookError::NotFresh));
    assert!(is_stale(webhooks.create(of(&stale), url("https://hooks.example/y")).await.err()));
    let current = endpoint().secret.id();
    assert!(is_stale(webhooks.rotate(of(&stale), endpoint_id(1), current).await.err()));
    assert!(is_stale(webhooks.delete(by(&stale), endpoint_id(1)).await.err()));
    assert_nothing_stored(&units);
}
