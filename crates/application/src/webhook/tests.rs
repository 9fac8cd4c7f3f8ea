mod challenge;
mod developer;
mod response;

use super::event_message::{EventData, body};
use super::{DeliverEvents, DeliveryOutcome, DisabledNotice};
use crate::mail::{PublicLinks, QueueMail};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{
    Change, ChangePage, MockChangeReader, MockClientReader, MockWebhookReader, PendingEvent, Settlement,
};
use crate::ports::system::{
    Mail, MockFetcher, MockMailSealer, MockWebhookSigner, OutboundError, OutboundResponse, WebhookSignerError,
};
use crate::store::AuditTrail;
use crate::store::Store;
use crate::testing::{
    CountingEntropy, app, client_reader, clock, endpoint, noon, person, profile_reader, scopes, seconds,
    store, user_id, without_secrets,
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::AuditKind;
use domain::change::{ChangeCursor, ChangePosition, UserFingerprint};
use domain::client::{Client, Review};
use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::webhook::{
    Delivery, DeliveryResult, DisableReason, EndpointSecret, EndpointStatus, EventKey, EventKind,
    MAX_ATTEMPTS, MessageId, SealedWebhookSecret, WebhookEndpoint,
};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

fn event(kind: EventKind) -> PendingEvent {
    let is_about_a_person =
        matches!(kind, EventKind::RecordsChanged | EventKind::GrantRevoked | EventKind::PersonErased);
    let user_id = if is_about_a_person { user_id(1) } else { UserId::from_uuid(Uuid::nil()) };
    let key = EventKey { user_id, endpoint_id: endpoint().id, kind };
    PendingEvent {
        key,
        number: 42,
        announced: 40,
        occurred_at: noon() - seconds(300),
        failed: 0,
        due_at: DateTime::UNIX_EPOCH,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it is the return type of the fetcher")]
fn responds(status: u16, headers: &[(&str, &str)]) -> Result<OutboundResponse, OutboundError> {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Ok(OutboundResponse { status, headers, ..OutboundResponse::default() })
}

/// What a delivery did.
#[derive(Default)]
struct Seen {
    outcome: Option<DeliveryOutcome>,
    settled: Vec<Settlement>,
    logged: Vec<Delivery>,
    updated: Vec<EndpointStatus>,
    locked: Vec<&'static str>,
    mails: Vec<Mail>,
    audited: Vec<AuditKind>,
    posted: Option<(String, Vec<(&'static str, String)>)>,
    timeout: Option<Duration>,
}

/// The byte of a secret that cannot be opened.
const UNOPENABLE: u8 = 0;

fn signer() -> MockWebhookSigner {
    let mut signer = MockWebhookSigner::new();
    signer.expect_sign().returning(|_, secret, _| match secret.as_bytes()[0] {
        UNOPENABLE => Err(WebhookSignerError),
        number => Ok(format!("signed-{number}")),
    });
    signer
}

/// A use case with these stores, which may sign and send nothing.
fn sends_nothing<const N: usize>(units: [MockUnitOfWork; N], webhooks: MockWebhookReader) -> DeliverEvents {
    DeliverEvents {
        store: store(&Arc::new(PreparedUnitsOfWork::new(units))),
        webhooks: Arc::new(webhooks),
        changes: Arc::new(MockChangeReader::new()),
        signer: Arc::new(MockWebhookSigner::new()),
        fetcher: Arc::new(MockFetcher::new()),
        notice: None,
    }
}

/// Delivers an event to the endpoint, whose client has these scopes; of these kinds there are changes.
async fn deliver(
    endpoint: WebhookEndpoint,
    event: PendingEvent,
    granted: &str,
    changed: &'static [DataKind],
    answer: impl Fn(&str) -> Result<OutboundResponse, OutboundError> + Send + Sync + 'static,
) -> Seen {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let unit = unit(&endpoint, &seen);
    let store = Arc::new(PreparedUnitsOfWork::new([unit]));
    let mut webhooks = pending(event);
    let found = endpoint.clone();
    webhooks.expect_find_endpoint().returning(move |_| Ok(Some(found.clone())));
    let granted = scopes(granted);
    webhooks.expect_list_live_scopes().returning(move |_, _| Ok(granted));
    let mut feed = MockChangeReader::new();
    feed.expect_changes().returning(move |query| {
        let [kind] = query.kinds[..] else { panic!("one kind at a time") };
        assert_eq!(query.after.unwrap().number, 40);
        let position = ChangePosition { number: 42, kind, id: Uuid::nil() };
        let found = changed.contains(&kind).then_some((position, Change::Deleted));
        Ok(ChangePage { changes: found.into_iter().collect(), ..ChangePage::default() })
    });
    let (mut fetcher, posted) = (MockFetcher::new(), Arc::clone(&seen));
    fetcher.expect_fetch().returning(move |request| {
        let json = request.json.clone().unwrap();
        let mut seen = posted.lock().unwrap();
        (seen.posted, seen.timeout) = (Some((json.clone(), request.headers)), Some(request.timeout));
        drop(seen);
        answer(&json)
    });
    let mut sealer = MockMailSealer::new();
    let mailed = Arc::clone(&seen);
    sealer.expect_seal().returning(move |_, mail| {
        mailed.lock().unwrap().mails.push(mail.clone());
        Ok(vec![1])
    });
    let entropy = Arc::new(CountingEntropy::default());
    let links = PublicLinks::new("https://sleep.example.org");
    let trail = AuditTrail::new(entropy.clone(), clock());
    let use_case = DeliverEvents {
        store: Store { units: store.clone(), trail },
        webhooks: Arc::new(webhooks),
        changes: Arc::new(feed),
        signer: Arc::new(signer()),
        fetcher: Arc::new(fetcher),
        notice: Some(DisabledNotice {
            mail: QueueMail::new(Arc::new(sealer), entropy, links),
            clients: Arc::new(clients()),
            profiles: profile_reader(|id| Ok((id == user_id(1)).then(person))),
            self_service: true,
        }),
    };
    let outcome = use_case.run(event.key).await.unwrap();
    drop(use_case);
    let audited = store.events().all().iter().map(|event| event.kind).collect();
    drop(store);
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    Seen { outcome: Some(outcome), audited, ..seen }
}

/// A reader of endpoints that finds this pending event by its kind.
fn pending(event: PendingEvent) -> MockWebhookReader {
    let mut webhooks = MockWebhookReader::new();
    let is_asked = move |key: &EventKey| key.kind == event.key.kind;
    webhooks.expect_find_pending_event().withf(is_asked).returning(move |_| Ok(Some(event)));
    webhooks
}

/// The app, which user 1 registered.
fn clients() -> MockClientReader {
    client_reader(.., |_| {
        let client = Client { review: Review::Approved { owner: Some(user_id(1)) }, ..app() };
        Ok(Some(without_secrets(client)))
    })
}

fn unit(endpoint: &WebhookEndpoint, seen: &Arc<Mutex<Seen>>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    let (stored, settled, logged) = (endpoint.clone(), Arc::clone(seen), Arc::clone(seen));
    let (updated, found, known) = (Arc::clone(seen), Arc::clone(seen), Arc::clone(seen));
    unit.webhooks.expect_find().returning(move |_| {
        found.lock().unwrap().locked.push("endpoint");
        Ok(Some(stored.clone()))
    });
    unit.users.expect_find().returning(move |id| {
        known.lock().unwrap().locked.push("user");
        Ok((id == user_id(1)).then(person))
    });
    unit.webhooks.expect_settle().returning(move |event, settlement| {
        assert_eq!(event.number, 42);
        let mut seen = settled.lock().unwrap();
        seen.locked.push("event");
        seen.settled.push(settlement);
        Ok(())
    });
    unit.webhooks.expect_log().returning(move |delivery| {
        logged.lock().unwrap().logged.push(delivery.clone());
        Ok(())
    });
    unit.webhooks.expect_update().returning(move |endpoint| {
        updated.lock().unwrap().updated.push(endpoint.status);
        Ok(true)
    });
    unit.outbox.expect_insert().returning(|_| Ok(()));
    unit
}

const ALL: &[DataKind] = &DataKind::ALL;

async fn after(event: PendingEvent, answer: Result<OutboundResponse, OutboundError>) -> Seen {
    deliver(endpoint(), event, "profile sleep", ALL, move |_| answer.clone()).await
}

/// Standard Webhooks, Payload structure.
#[test]
fn bodies_hold_ids_kinds_and_a_cursor_and_nothing_else() {
    let at: DateTime<Utc> = "2026-03-10T12:00:00Z".parse().unwrap();
    let user_id = UserId::parse("3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48").unwrap();
    let cursor = ChangeCursor { after: None, issued_at: at, user: UserFingerprint::new(user_id) };
    let changes = EventData::Changes { user_id, kinds: vec![DataKind::Profile, DataKind::Sleep], cursor };
    assert_eq!(
        body(EventKind::RecordsChanged, at, &changes),
        format!(
            r#"{{"type":"records.changed","timestamp":"2026-03-10T12:00:00Z","data":{{"user_id":"{user_id}","kinds":["profile","sleep"],"cursor":"{cursor}"}}}}"#
        )
    );
    assert_eq!(
        body(EventKind::EndpointChallenge, at, &EventData::Challenge("c1".to_owned())),
        r#"{"type":"endpoint.challenge","timestamp":"2026-03-10T12:00:00Z","data":{"challenge":"c1"}}"#
    );
    assert_eq!(
        body(EventKind::EndpointTest, at, &EventData::Nothing),
        r#"{"type":"endpoint.test","timestamp":"2026-03-10T12:00:00Z","data":{}}"#
    );
}

#[tokio::test]
async fn a_delivered_event_is_settled_and_logged() {
    let seen = after(event(EventKind::RecordsChanged), responds(204, &[])).await;
    assert_eq!(seen.outcome, Some(DeliveryOutcome::Delivered));
    assert_eq!(seen.settled, [Settlement::Announced]);
    let [
        Delivery {
            number: 42,
            announced_before: 40,
            result: DeliveryResult::Status(204),
            next_attempt_at: None,
            ..
        },
    ] = seen.logged[..]
    else {
        panic!("{:?}", seen.logged)
    };
    assert_eq!((seen.updated, seen.mails), (vec![], vec![]));
}

#[tokio::test]
async fn a_delivery_locks_the_person_then_the_endpoint_then_the_event() {
    let delivered = after(event(EventKind::RecordsChanged), responds(204, &[])).await;
    assert_eq!(delivered.locked, ["user", "event"]);
    let gone = after(event(EventKind::RecordsChanged), responds(410, &[])).await;
    assert_eq!(gone.locked, ["user", "endpoint", "event"]);
}

/// Standard Webhooks, Webhook Headers.
#[tokio::test]
async fn a_message_names_only_the_kinds_that_changed_and_are_granted() {
    let seen = deliver(
        endpoint(),
        event(EventKind::RecordsChanged),
        "sleep",
        &[DataKind::Profile, DataKind::Sleep],
        |_| responds(200, &[]),
    )
    .await;
    let (json, headers) = seen.posted.unwrap();
    assert!(json.contains(r#""kinds":["sleep"]"#), "{json}");
    assert!(json.contains(r#""timestamp":"2026-03-10T11:55:00.250Z""#), "{json}");
    let id = MessageId::new(event(EventKind::RecordsChanged).key, 40, 42);
    assert_eq!(headers[0], ("webhook-id", id.to_string()));
    assert_eq!(headers[1], ("webhook-timestamp", noon().timestamp().to_string()));
    assert_eq!(headers[2], ("webhook-signature", "v1,signed-1".to_owned()));
}

/// Standard Webhooks, Webhook Headers.
#[tokio::test]
async fn two_secrets_sign_while_the_previous_one_is_live() {
    let mut rotated = endpoint();
    rotated.previous_secret =
        Some(EndpointSecret { sealed: SealedWebhookSecret::new(vec![9]), expires_at: noon() + seconds(1) });
    let seen = deliver(rotated, event(EventKind::EndpointTest), "", &[], |_| responds(200, &[])).await;
    assert_eq!(seen.posted.unwrap().1[2].1, "v1,signed-1 v1,signed-9");
}

#[tokio::test]
async fn without_a_live_grant_nothing_is_sent_and_the_event_is_paused() {
    let seen = deliver(endpoint(), event(EventKind::RecordsChanged), "", ALL, |_| responds(200, &[])).await;
    assert_eq!((seen.outcome, seen.posted.is_some()), (Some(DeliveryOutcome::Nothing), false));
    assert_eq!(seen.settled, [Settlement::Paused]);
}

#[tokio::test]
async fn an_endpoint_that_was_disabled_meanwhile_is_sent_nothing() {
    let status = EndpointStatus::Disabled { at: noon(), reason: DisableReason::Gone };
    let disabled = WebhookEndpoint { status, ..endpoint() };
    let seen =
        deliver(disabled, event(EventKind::RecordsChanged), "sleep", ALL, |_| responds(200, &[])).await;
    assert_eq!((seen.outcome, seen.posted.is_some()), (Some(DeliveryOutcome::Nothing), false));
    assert_eq!(seen.settled, []);
}

#[tokio::test]
async fn a_delivery_about_a_person_erased_since_is_logged_without_the_person() {
    let mut erased = event(EventKind::RecordsChanged);
    erased.key.user_id = user_id(2);
    for event in [erased, event(EventKind::PersonErased)] {
        let seen = after(event, responds(200, &[])).await;
        assert_eq!(seen.logged[0].event.user_id, UserId::from_uuid(Uuid::nil()));
    }
    let revoked = deliver(endpoint(), event(EventKind::GrantRevoked), "", &[], |_| responds(200, &[])).await;
    assert_eq!(revoked.logged[0].event.user_id, UserId::from_uuid(Uuid::nil()));
}

#[tokio::test]
async fn changes_that_the_client_may_not_read_are_settled_without_a_message() {
    let seen = deliver(endpoint(), event(EventKind::RecordsChanged), "profile", &[DataKind::Sleep], |_| {
        responds(200, &[])
    })
    .await;
    assert_eq!((seen.settled, seen.posted.is_some()), (vec![Settlement::Announced], false));
}

#[tokio::test]
async fn a_revocation_is_sent_unless_access_was_granted_again() {
    let revoked = deliver(endpoint(), event(EventKind::GrantRevoked), "", &[], |_| responds(200, &[])).await;
    assert!(revoked.posted.unwrap().0.contains(&format!(r#""user_id":"{}""#, user_id(1))));
    let again =
        deliver(endpoint(), event(EventKind::GrantRevoked), "sleep", &[], |_| responds(200, &[])).await;
    assert_eq!((again.settled, again.posted.is_some()), (vec![Settlement::Dropped], false));
}

#[tokio::test]
async fn an_erasure_is_sent_without_a_grant_and_logged_without_the_person() {
    let seen = after(event(EventKind::PersonErased), responds(200, &[])).await;
    let (json, _) = seen.posted.unwrap();
    assert!(json.contains("person.erased") && json.contains(&user_id(1).to_string()), "{json}");
    assert_eq!(seen.logged[0].event.user_id, UserId::from_uuid(Uuid::nil()));
}

/// Standard Webhooks, Delivery success and failure.
#[tokio::test]
async fn status_410_and_the_last_failed_attempt_disable_the_endpoint_with_a_notice() {
    let last = PendingEvent { failed: MAX_ATTEMPTS - 1, ..event(EventKind::RecordsChanged) };
    for (event, status, reason) in
        [(event(EventKind::RecordsChanged), 410, DisableReason::Gone), (last, 500, DisableReason::Failing)]
    {
        let seen = after(event, responds(status, &[])).await;
        assert_eq!(seen.outcome, Some(DeliveryOutcome::GivenUp));
        assert_eq!(seen.settled, [Settlement::Kept]);
        assert_eq!(seen.updated, [EndpointStatus::Disabled { at: noon(), reason }]);
        assert_eq!(seen.audited, [AuditKind::WebhookDisabled]);
        let [mail] = &seen.mails[..] else { panic!("one email: {:?}", seen.mails) };
        assert_eq!(Some(&mail.to), endpoint().contact.as_ref());
        assert!(mail.text.contains("ask the operator to test it."), "{}", mail.text);
    }
}

#[tokio::test]
async fn without_a_contact_the_owner_of_the_app_is_sent_the_address_of_the_page() {
    let (endpoint, event) =
        (WebhookEndpoint { contact: None, ..endpoint() }, event(EventKind::RecordsChanged));
    let seen = deliver(endpoint, event, "profile sleep", ALL, |_| responds(410, &[])).await;
    let [mail] = &seen.mails[..] else { panic!("one email: {:?}", seen.mails) };
    assert_eq!(mail.to, person().email);
    let page = format!("\nhttps://sleep.example.org/developer/webhooks/{}\n", app().id);
    assert!(mail.text.contains(&page), "{}", mail.text);
}
