//! Endpoints that developers and the operator create, test, rotate, replay and delete.

use crate::Harness;
use crate::fixture::{approved, client, client_id, grant, now, seconds, secret, session, user, user_id};
use crate::service::{
    Distinct, assert_rejected, assert_untouched, audited, event_by, event_of_person, prepare, recorded,
    signed_in_ago, stale,
};
use crate::webhook::{delivery, endpoint, endpoint_id, event, pending, settle, store_endpoint};
use application::client::AppDeveloper;
use application::ports::storage::Settlement;
use application::ports::system::{Entropy as _, WebhookSigner, WebhookSignerError};
use application::session::SignedInPerson;
use application::webhook::{CreateWebhookError, WebhookActor, WebhookError, Webhooks};
use chrono::TimeDelta;
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientKind};
use domain::id::{UserId, WebhookEndpointId};
use domain::outbound::{OutboundPolicy, OutboundUrl};
use domain::webhook::{
    Delivery, DisableReason, EndpointStatus, EventKey, EventKind, MAX_ENDPOINTS, SealedWebhookSecret,
    WebhookEndpoint, WebhookSecret,
};
use std::sync::Arc;
use uuid::Uuid;

/// Signer that seals each secret differently, if it has a key, and never signs.
struct Sealing(bool);

impl WebhookSigner for Sealing {
    fn seal(
        &self,
        _: WebhookEndpointId,
        _: &WebhookSecret,
    ) -> Result<SealedWebhookSecret, WebhookSignerError> {
        let sealed = SealedWebhookSecret::new(Distinct.uuid().as_bytes().to_vec());
        self.0.then_some(sealed).ok_or(WebhookSignerError)
    }

    fn sign(
        &self,
        _: WebhookEndpointId,
        _: &SealedWebhookSecret,
        _: &str,
    ) -> Result<String, WebhookSignerError> {
        Err(WebhookSignerError)
    }
}

fn webhooks(harness: &Harness) -> Webhooks {
    Webhooks {
        store: audited(harness),
        reader: harness.webhooks.clone(),
        clients: harness.clients.clone(),
        failures: harness.failures.clone(),
        signer: Arc::new(Sealing(true)),
        policy: OutboundPolicy::default(),
    }
}

fn url(text: &str) -> OutboundUrl {
    OutboundUrl::parse(text).unwrap()
}

fn hook(path: usize) -> OutboundUrl {
    url(&format!("https://hooks.example/{path}"))
}

/// Stores apps 3 of person 1 and 4 of person 3, each with the endpoint of its number, and service 5.
async fn store_apps(harness: &Harness) {
    harness.store_user(&user(3)).await;
    for (number, owner) in [(3, 1), (4, 3)] {
        harness.store_client(&approved(number, owner), &secret(number)).await;
        store_endpoint(harness, &of_app(number, number)).await;
    }
    harness.store_client(&Client { kind: ClientKind::Service, ..client(5) }, &secret(5)).await;
}

fn of_app(number: u64, app: u64) -> WebhookEndpoint {
    WebhookEndpoint { client_id: client_id(app), ..endpoint(number) }
}

const PRIVATE: [&str; 3] = ["http://127.0.0.1/", "https://10.0.0.1/", "https://[fe80::1]/"];

pub(crate) async fn rejected_commands_about_webhooks_open_no_connection(harness: &Harness) {
    prepare(harness).await;
    store_apps(harness).await;
    let (webhooks, operator) = (&webhooks(harness), WebhookActor::Operator);
    let is_missing = |error: &WebhookError| matches!(error, WebhookError::NotFound);
    assert_rejected(harness, "test", is_missing, async || webhooks.test(operator, endpoint_id(9)).await)
        .await;
    assert_rejected(harness, "delete", is_missing, async || webhooks.delete(operator, endpoint_id(9)).await)
        .await;
    assert_rejected(harness, "replay", is_missing, async || {
        webhooks.replay(operator, endpoint_id(9), TimeDelta::seconds(60)).await
    })
    .await;
    assert_rejected(harness, "rotate", is_missing, async || {
        webhooks.rotate_for_client(endpoint_id(9)).await.map(drop)
    })
    .await;
    let keyless = &Webhooks { signer: Arc::new(Sealing(false)), ..self::webhooks(harness) };
    let has_no_key = |error: &WebhookError| matches!(error, WebhookError::Signer(_));
    assert_rejected(harness, "rotate without the key", has_no_key, async || {
        keyless.rotate_for_client(endpoint_id(3)).await.map(drop)
    })
    .await;

    let create = async |client, url| webhooks.create_for_client(client_id(client), url, None).await;
    let is_unknown = |error: &CreateWebhookError| matches!(error, CreateWebhookError::NoClient);
    assert_rejected(harness, "unknown client", is_unknown, async || create(9, hook(0)).await).await;
    let is_service = |error: &CreateWebhookError| matches!(error, CreateWebhookError::ServiceClient);
    assert_rejected(harness, "service", is_service, async || create(5, hook(0)).await).await;
    let is_forbidden =
        |error: &CreateWebhookError| matches!(error, CreateWebhookError::Endpoint(WebhookError::Forbidden));
    for text in PRIVATE {
        assert_rejected(harness, text, is_forbidden, async || create(1, url(text)).await).await;
    }
    assert_eq!(recorded(harness).await, []);
    for path in 0..MAX_ENDPOINTS {
        create(1, hook(path)).await.unwrap();
    }
    let is_taken =
        |error: &CreateWebhookError| matches!(error, CreateWebhookError::Endpoint(WebhookError::UrlTaken));
    assert_rejected(harness, "taken URL", is_taken, async || create(1, hook(0)).await).await;
    let is_full =
        |error: &CreateWebhookError| matches!(error, CreateWebhookError::Endpoint(WebhookError::TooMany));
    assert_rejected(harness, "one too many", is_full, async || create(1, hook(MAX_ENDPOINTS)).await).await;
    assert_eq!(recorded(harness).await.len(), MAX_ENDPOINTS);
}

pub(crate) async fn rejected_forms_about_webhooks_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    store_apps(harness).await;
    let webhooks = &webhooks(harness);
    let other = &SignedInPerson { user_id: user_id(3), ..person.clone() };
    let of = |person, app| AppDeveloper { person, app: client_id(app) };
    let (current, day) = (endpoint(3).secret.id(), TimeDelta::days(1));
    let is_missing = |error: &WebhookError| matches!(error, WebhookError::NotFound);
    let is_stale = |error: &WebhookError| matches!(error, WebhookError::NotFresh);
    let create = async |developer, url| webhooks.create(developer, url).await;
    let rotate = async |developer, id| webhooks.rotate(developer, id, current).await.map(drop);
    let delete = async |developer, id| webhooks.delete(WebhookActor::Developer(developer), id).await;

    // An unknown endpoint, another developer's app, another developer's endpoint, an unknown app.
    for (developer, endpoint) in
        [(of(person, 3), 9), (of(other, 3), 3), (of(person, 3), 4), (of(person, 9), 3)]
    {
        let (actor, id) = (WebhookActor::Developer(developer), endpoint_id(endpoint));
        assert_rejected(harness, "test", is_missing, async || webhooks.test(actor, id).await).await;
        assert_rejected(harness, "replay", is_missing, async || webhooks.replay(actor, id, day).await).await;
        assert_rejected(harness, "rotate", is_missing, async || rotate(developer, id).await).await;
        assert_rejected(harness, "delete", is_missing, async || delete(developer, id).await).await;
    }
    for developer in [of(other, 3), of(person, 9), of(person, 1)] {
        assert_rejected(harness, "create", is_missing, async || create(developer, hook(0)).await).await;
    }
    let stale = stale(person);
    let late = of(&stale, 3);
    assert_untouched(harness, "create late", is_stale, async || create(late, hook(0)).await).await;
    assert_untouched(harness, "rotate late", is_stale, async || rotate(late, endpoint_id(3)).await).await;
    assert_untouched(harness, "delete late", is_stale, async || delete(late, endpoint_id(3)).await).await;
    let policy = OutboundPolicy { allow_private_networks: true, ..OutboundPolicy::default() };
    let private = &Webhooks { policy, ..self::webhooks(harness) };
    let is_forbidden = |error: &WebhookError| matches!(error, WebhookError::Forbidden);
    for text in PRIVATE {
        assert_rejected(harness, text, is_forbidden, async || private.create(of(person, 3), url(text)).await)
            .await;
    }
    let is_taken = |error: &WebhookError| matches!(error, WebhookError::UrlTaken);
    assert_rejected(harness, "taken URL", is_taken, async || create(of(person, 3), hook(3)).await).await;
    let is_replaced = |error: &WebhookError| matches!(error, WebhookError::SecretChanged);
    let former = SealedWebhookSecret::new(vec![9]).id();
    assert_rejected(harness, "rotate again", is_replaced, async || {
        webhooks.rotate(of(person, 3), endpoint_id(3), former).await.map(drop)
    })
    .await;
    assert_eq!(recorded(harness).await, []);
    assert_eq!(webhooks.list(user_id(3), client_id(3)).await.unwrap(), None);
    let listed = webhooks.list(user_id(1), client_id(3)).await.unwrap().unwrap();
    assert_eq!(listed.endpoints, [(of_app(3, 3), Vec::new())]);
}

/// Returns the key of an event that is about no person.
fn about_nobody(id: WebhookEndpointId, kind: EventKind) -> EventKey {
    EventKey { user_id: UserId::from_uuid(Uuid::nil()), endpoint_id: id, kind }
}

/// Checks that this endpoint is stored, and that a challenge is queued for it.
async fn assert_challenged(harness: &Harness, created: &WebhookEndpoint) {
    assert_eq!(harness.webhooks.find_endpoint(created.id).await.unwrap().as_ref(), Some(created));
    let challenge = about_nobody(created.id, EventKind::EndpointChallenge);
    assert!(pending(harness, challenge).await.is_some());
}

/// Checks that the endpoint has another secret, and this one as the previous one.
async fn assert_rotated(harness: &Harness, before: &WebhookEndpoint) {
    let rotated = harness.webhooks.find_endpoint(before.id).await.unwrap().unwrap();
    assert_eq!(rotated.previous_secret.unwrap().sealed, before.secret);
    assert_ne!(rotated.secret, before.secret);
}

pub(crate) async fn changes_of_endpoints_are_recorded(harness: &Harness) {
    let person = signed_in_ago(&prepare(harness).await, 299);
    store_apps(harness).await;
    let webhooks = webhooks(harness);
    let developer = AppDeveloper { person: &person, app: client_id(3) };
    for is_operator in [true, false] {
        let created = if is_operator {
            let contact = Some(user(1).email);
            webhooks.create_for_client(client_id(3), hook(0), contact).await.unwrap().endpoint
        } else {
            webhooks.create(developer, hook(0)).await.unwrap().endpoint
        };
        let expected = WebhookEndpoint {
            id: created.id,
            url: hook(0),
            contact: is_operator.then(|| user(1).email),
            status: EndpointStatus::Unconfirmed,
            is_reviewed: is_operator,
            secret: created.secret.clone(),
            created_at: now(),
            ..of_app(3, 3)
        };
        assert_eq!(created, expected);
        assert_challenged(harness, &created).await;
        let actor = if is_operator { WebhookActor::Operator } else { WebhookActor::Developer(developer) };
        let id = created.id;
        if is_operator {
            webhooks.rotate_for_client(id).await.unwrap();
        } else {
            webhooks.rotate(developer, id, created.secret.id()).await.unwrap();
        }
        assert_rotated(harness, &created).await;
        assert_eq!(webhooks.test(actor, id).await.unwrap(), EventKind::EndpointChallenge);
        assert_eq!(webhooks.replay(actor, id, TimeDelta::days(1)).await.unwrap(), 0);
        webhooks.delete(actor, id).await.unwrap();
        assert_eq!(harness.webhooks.find_endpoint(id).await.unwrap(), None);
        let event = |kind| {
            let event =
                if is_operator { event_by(AuditActor::Operator, kind) } else { event_of_person(kind) };
            event.client(client_id(3)).subject(id.as_uuid())
        };
        let expected = [
            event(AuditKind::WebhookCreated),
            event(AuditKind::WebhookSecretRotated),
            event(AuditKind::WebhookTested),
            event(AuditKind::WebhookReplayed).count(0),
            event(AuditKind::WebhookDeleted),
        ];
        assert_eq!(recorded(harness).await, expected);
    }
}

pub(crate) async fn a_test_is_an_event_if_the_endpoint_is_active_and_else_a_challenge(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    let disabled = EndpointStatus::Disabled { at: now(), reason: DisableReason::Gone };
    for (number, status, kind) in [
        (1, EndpointStatus::Active, EventKind::EndpointTest),
        (2, EndpointStatus::Unconfirmed, EventKind::EndpointChallenge),
        (3, disabled, EventKind::EndpointChallenge),
    ] {
        store_endpoint(harness, &WebhookEndpoint { status, ..endpoint(number) }).await;
        let tested = webhooks(harness).test(WebhookActor::Operator, endpoint_id(number)).await;
        assert_eq!(tested.unwrap(), kind);
        let queued = harness.webhooks.find_pending_event(about_nobody(endpoint_id(number), kind)).await;
        assert!(queued.unwrap().is_some());
    }
}

pub(crate) async fn a_replay_starts_from_the_earliest_delivery_in_the_period(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_client(&client(1), &secret(1)).await;
    store_endpoint(harness, &endpoint(1)).await;
    harness.store_grants(&[grant(1)]).await;
    // Three changes, of which an event was delivered.
    for number in 1..=3 {
        harness.store_sessions(user_id(1), &[session(number, 1_000 * i64::try_from(number).unwrap())]).await;
    }
    let key = event(1, EventKind::RecordsChanged);
    let number = pending(harness, key).await.unwrap().number;
    settle(harness, key, number, Settlement::Announced).await;
    let (changed, test) = (EventKind::RecordsChanged, EventKind::EndpointTest);
    let mut unit = harness.begin().await;
    for (number, kind, announced_before, age) in
        [(1, changed, 3, 10), (2, changed, 2, 20), (3, changed, 1, 31), (4, test, 0, 5)]
    {
        let occurred_at = seconds(-age - 1);
        let event = event(1, kind);
        let logged = Delivery { event, announced_before, occurred_at, ..delivery(number, -age) };
        unit.webhooks().log(&logged).await.unwrap();
    }
    unit.commit().await.unwrap();
    let webhooks = webhooks(harness);
    let replayed = webhooks.replay(WebhookActor::Operator, endpoint_id(1), TimeDelta::seconds(30));
    assert_eq!(replayed.await.unwrap(), 1);
    let queued = pending(harness, key).await.unwrap();
    assert_eq!((queued.announced, queued.occurred_at), (2, seconds(-21)));
    assert_eq!(harness.webhooks.find_pending_event(event(1, test)).await.unwrap(), None);
    assert_eq!(recorded(harness).await[0].count, Some(1));
}

pub(crate) async fn what_is_sent_is_limited_per_endpoint_developer_and_host(harness: &Harness) {
    let person = prepare(harness).await;
    let webhooks = webhooks(harness);
    let is_limited = |error: WebhookError| match error {
        WebhookError::TooManyMessages { retry_after_seconds } => assert_eq!(retry_after_seconds, 600),
        other => panic!("{other:?}"),
    };
    // Developers 1, 3 and 4 have an app each with four endpoints at one host.
    let people = [1, 3, 4].map(|owner| (owner, SignedInPerson { user_id: user_id(owner), ..person.clone() }));
    for (owner, person) in &people {
        if *owner != 1 {
            harness.store_user(&user(*owner)).await;
        }
        harness.store_client(&approved(owner + 10, *owner), &secret(owner + 10)).await;
        for number in 0..4 {
            store_endpoint(harness, &of_app(owner * 10 + number, owner + 10)).await;
        }
        let developer = AppDeveloper { person, app: client_id(owner + 10) };
        let actor = WebhookActor::Developer(developer);
        // Both of the host's 60 messages are from the first two developers, 30 each, 10 for each endpoint.
        let limit = if *owner == 4 { 0 } else { 10 };
        for number in 0..3 {
            let id = endpoint_id(owner * 10 + number);
            for time in 0..limit {
                match time % 2 {
                    0 => drop(webhooks.test(actor, id).await.unwrap()),
                    _ => drop(webhooks.replay(actor, id, TimeDelta::days(1)).await.unwrap()),
                }
            }
            let begun = harness.begun();
            is_limited(webhooks.test(actor, id).await.unwrap_err());
            is_limited(webhooks.replay(actor, id, TimeDelta::days(1)).await.unwrap_err());
            assert_eq!(harness.begun(), begun);
        }
        let begun = harness.begun();
        is_limited(webhooks.test(actor, endpoint_id(owner * 10 + 3)).await.unwrap_err());
        is_limited(webhooks.create(developer, hook(0)).await.unwrap_err());
        assert_eq!(harness.begun(), begun);
    }
}
