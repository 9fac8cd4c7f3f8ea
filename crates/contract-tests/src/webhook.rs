//! Webhook endpoints, events and deliveries.

mod settlement;

pub(crate) use settlement::*;

use crate::Harness;
use crate::fixture::{
    catalogue_key, client, client_id, erasure_id, full_user, grant, grant_id, log, log_id, now, seconds,
    secret, session, session_id, supplement, supplement_id, user, user_id,
};
use crate::service::audited;
use application::intake::{Intakes, NewIntake};
use application::night::Nights;
use application::ports::storage::{Erasure, GrantFilter, PendingEvent, Settlement};
use chrono::DateTime;
use domain::client::{Client, ClientStatus};
use domain::grant::{Grant, RevocationReason};
use domain::id::{FormId, UserId, WebhookEndpointId};
use domain::outbound::{OutboundError, OutboundUrl};
use domain::refresh_token::{Rotation, SealedToken};
use domain::scope::{Scope, ScopeSet};
use domain::supplement::Servings;
use domain::user::{Email, User, UserStatus};
use domain::webhook::{
    Delivery, DeliveryResult, DisableReason, EndpointSecret, EndpointStatus, EventKey, EventKind,
    SealedWebhookSecret, WebhookEndpoint,
};
use uuid::Uuid;

pub(crate) fn endpoint_id(number: u64) -> WebhookEndpointId {
    WebhookEndpointId::from_uuid(Uuid::from_u128(u128::from(number)))
}

/// An active endpoint of client 1.
pub(crate) fn endpoint(number: u64) -> WebhookEndpoint {
    WebhookEndpoint {
        id: endpoint_id(number),
        client_id: client_id(1),
        url: OutboundUrl::parse(&format!("https://hooks.example/{number}")).unwrap(),
        contact: None,
        status: EndpointStatus::Active,
        is_reviewed: false,
        secret: SealedWebhookSecret::new(vec![1]),
        previous_secret: None,
        created_at: seconds(i64::try_from(number).unwrap()),
    }
}

pub(crate) fn event(user: u64, kind: EventKind) -> EventKey {
    EventKey { user_id: user_id(user), endpoint_id: endpoint_id(1), kind }
}

const CHANGED: EventKind = EventKind::RecordsChanged;
const REVOKED: EventKind = EventKind::GrantRevoked;
const ERASED: EventKind = EventKind::PersonErased;

pub(crate) async fn store_endpoint(harness: &Harness, endpoint: &WebhookEndpoint) {
    commit!(harness, webhooks().insert(endpoint));
}

/// Stores person 1 with a grant of client 1, which has endpoint 1.
async fn prepare(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_client(&client(1), &secret(1)).await;
    store_endpoint(harness, &endpoint(1)).await;
    harness.store_grants(&[grant(1)]).await;
}

pub(crate) async fn pending(harness: &Harness, key: EventKey) -> Option<PendingEvent> {
    harness.webhooks.find_pending_event(key).await.unwrap()
}

async fn due_events(harness: &Harness) -> Vec<EventKey> {
    harness.webhooks.list_due_events(&[endpoint_id(1)], now(), 99).await.unwrap()
}

pub(crate) async fn settle(harness: &Harness, key: EventKey, number: i64, settlement: Settlement) {
    let announced = pending(harness, key).await.map_or(0, |event| event.announced);
    let (occurred_at, due_at) = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH);
    let event = PendingEvent { key, number, announced, occurred_at, failed: 0, due_at };
    commit!(harness, webhooks().settle(&event, settlement));
}

async fn revoke(harness: &Harness, filter: GrantFilter) -> u64 {
    commit!(harness, grants().revoke(filter, seconds(9), RevocationReason::Person))
}

const fn of_user(user_id: UserId) -> GrantFilter {
    GrantFilter { user_id: Some(user_id), client_id: None, id: None, created_before: None }
}

pub(crate) async fn an_endpoint_reads_back_as_stored_and_updated(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    let stored = endpoint(1);
    store_endpoint(harness, &stored).await;
    store_endpoint(harness, &endpoint(2)).await;
    assert_eq!(
        harness.webhooks.list_endpoints(Some(client_id(1))).await.unwrap(),
        [stored.clone(), endpoint(2)]
    );
    assert_eq!(harness.webhooks.list_endpoints(Some(client_id(2))).await.unwrap(), []);
    let changed = WebhookEndpoint {
        contact: Some(Email::parse("dev@example.org").unwrap()),
        status: EndpointStatus::Disabled { at: seconds(5), reason: DisableReason::Gone },
        is_reviewed: true,
        secret: SealedWebhookSecret::new(vec![2, 3]),
        previous_secret: Some(EndpointSecret { sealed: stored.secret.clone(), expires_at: seconds(60) }),
        ..stored
    };
    let mut unit = harness.begin().await;
    assert!(unit.webhooks().update(&changed).await.unwrap());
    assert!(!unit.webhooks().update(&endpoint(3)).await.unwrap());
    assert_eq!(unit.webhooks().find(endpoint_id(1)).await.unwrap(), Some(changed.clone()));
    assert_eq!(unit.webhooks().find(endpoint_id(3)).await.unwrap(), None);
    assert_eq!(unit.webhooks().list(client_id(1)).await.unwrap(), [changed, endpoint(2)]);
    assert_eq!(unit.webhooks().list(client_id(2)).await.unwrap(), []);
}

pub(crate) async fn endpoints_of_disabled_clients_are_listed_by_client_only(harness: &Harness) {
    let disabled = Client { status: ClientStatus::Disabled { at: now() }, ..client(1) };
    harness.store_client(&disabled, &secret(1)).await;
    store_endpoint(harness, &endpoint(1)).await;
    assert_eq!(harness.webhooks.list_endpoints(None).await.unwrap(), []);
    assert_eq!(harness.webhooks.find_endpoint(endpoint_id(1)).await.unwrap(), None);
    assert_eq!(harness.webhooks.list_endpoints(Some(client_id(1))).await.unwrap().len(), 1);
}

pub(crate) async fn changes_of_records_queue_one_event(harness: &Harness) {
    prepare(harness).await;
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    assert_eq!(due_events(harness).await, []);
    harness.store_sessions(user_id(1), &[session(1, 0), session(2, 1_000)]).await;
    let first = pending(harness, event(1, CHANGED)).await.unwrap();
    assert_eq!((first.announced, first.failed, first.due_at), (first.number - 1, 0, DateTime::UNIX_EPOCH));
    harness.store_logs(user_id(1), &[log(1, 1, now())]).await;
    let second = pending(harness, event(1, CHANGED)).await.unwrap();
    assert_eq!((second.number, second.announced), (first.number + 1, first.announced));
    assert_eq!(due_events(harness).await, [event(1, CHANGED)]);
    assert_eq!(harness.webhooks.count_due_events(now()).await.unwrap(), 1);
}

pub(crate) async fn a_deletion_queues_an_event_unless_it_is_rolled_back(harness: &Harness) {
    prepare(harness).await;
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    harness.store_logs(user_id(1), &[log(1, 1, now())]).await;
    let before = pending(harness, event(1, CHANGED)).await.unwrap();
    for is_kept in [false, true] {
        let mut unit = harness.begin().await;
        assert_eq!(unit.intake_logs().delete(user_id(1), &[log_id(1)]).await.unwrap(), 1);
        if is_kept {
            unit.commit().await.unwrap();
        } else {
            unit.rollback().await.unwrap();
            assert_eq!(pending(harness, event(1, CHANGED)).await, Some(before));
        }
    }
    assert_eq!(pending(harness, event(1, CHANGED)).await.unwrap().number, before.number + 1);
}

pub(crate) async fn a_form_or_deletion_that_changes_no_record_queues_no_event(harness: &Harness) {
    prepare(harness).await;
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    let (person, client) = (user_id(1), Some(client_id(1)));
    let intakes = Intakes { store: audited(harness), reader: harness.supplements.clone() };
    let nights =
        Nights { store: audited(harness), reader: harness.sleep.clone(), imports: harness.imports.clone() };
    let (form, servings) = (FormId::from_uuid(Uuid::nil()), Servings::new(1.0).unwrap());
    let new = NewIntake { form, supplement_id: supplement_id(1), taken_at: now(), servings };
    intakes.log(person, new).await.unwrap();
    let before = pending(harness, event(1, CHANGED)).await;
    assert!(before.is_some());
    intakes.log(person, new).await.unwrap();
    assert!(!intakes.delete(client, person, log_id(9)).await.unwrap());
    assert!(!nights.delete(client, person, session_id(9)).await.unwrap());
    assert_eq!(pending(harness, event(1, CHANGED)).await, before);
}

pub(crate) async fn a_changed_profile_queues_an_event(harness: &Harness) {
    prepare(harness).await;
    assert!(commit!(harness, users().update(&User { id: user_id(1), ..full_user(1) })));
    assert_eq!(due_events(harness).await, [event(1, CHANGED)]);
}

pub(crate) async fn only_endpoints_of_clients_with_a_live_grant_are_notified(harness: &Harness) {
    prepare(harness).await;
    harness.store_user(&user(2)).await;
    harness.store_client(&client(2), &secret(2)).await;
    let other = WebhookEndpoint { client_id: client_id(2), ..endpoint(2) };
    store_endpoint(harness, &other).await;
    revoke(harness, of_user(user_id(1))).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    harness.store_sessions(user_id(2), &[session(2, 0)]).await;
    let ids = [endpoint_id(1), endpoint_id(2)];
    assert_eq!(harness.webhooks.list_due_events(&ids, now(), 9).await.unwrap(), [event(1, REVOKED)]);
}

pub(crate) async fn the_end_of_the_last_live_grant_queues_an_event(harness: &Harness) {
    prepare(harness).await;
    harness.store_grants(&[grant(2)]).await;
    let one = GrantFilter { id: Some(grant_id(1)), ..of_user(user_id(1)) };
    assert_eq!(revoke(harness, one).await, 1);
    assert_eq!(due_events(harness).await, []);
    assert_eq!(revoke(harness, of_user(user_id(1))).await, 1);
    assert_eq!(due_events(harness).await, [event(1, REVOKED)]);
    assert_eq!(pending(harness, event(1, REVOKED)).await.unwrap().number, seconds(9).timestamp_micros());
    assert_eq!(revoke(harness, of_user(user_id(1))).await, 0);
}

pub(crate) async fn an_invalidation_queues_events(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    let everybody = user_id(0)..=user_id(9);
    assert_eq!(unit.grants().revoke_created_before(everybody, seconds(5), seconds(9)).await.unwrap(), 1);
    unit.commit().await.unwrap();
    assert_eq!(due_events(harness).await, [event(1, REVOKED)]);
}

pub(crate) async fn a_reused_token_queues_an_event(harness: &Harness) {
    prepare(harness).await;
    let rotating = Grant { newest_token_hash: Some(crate::fixture::hash(101)), ..grant(2) };
    revoke(harness, of_user(user_id(1))).await;
    settle(harness, event(1, REVOKED), seconds(9).timestamp_micros(), Settlement::Announced).await;
    harness.store_grants(std::slice::from_ref(&rotating)).await;
    let sealed_next = SealedToken::from_bytes(&[1; 22]).unwrap();
    let rotation = Rotation {
        user_id: user_id(1),
        grant_id: rotating.id,
        presented: crate::fixture::hash(999),
        next: crate::fixture::hash(102),
        sealed_next,
        at: seconds(20),
    };
    commit!(harness, grants().rotate(&rotation));
    assert_eq!(due_events(harness).await, [event(1, REVOKED)]);
}

pub(crate) async fn an_erasure_queues_an_event_and_forgets_the_others(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let mut unit = harness.begin().await;
    unit.webhooks().log(&delivery(1, 0)).await.unwrap();
    assert!(unit.erasures().erase(user_id(1), Erasure { id: erasure_id(1), at: seconds(7) }).await.unwrap());
    unit.commit().await.unwrap();
    assert_eq!(due_events(harness).await, [event(1, ERASED)]);
    assert_eq!(pending(harness, event(1, ERASED)).await.unwrap().number, seconds(7).timestamp_micros());
    assert_eq!(harness.webhooks.list_deliveries(endpoint_id(1), 9).await.unwrap(), []);
}

pub(crate) async fn an_erasure_queues_no_event_for_an_app_whose_last_grant_was_revoked(harness: &Harness) {
    prepare(harness).await;
    revoke(harness, of_user(user_id(1))).await;
    assert!(commit!(harness, erasures().erase(user_id(1), Erasure { id: erasure_id(1), at: seconds(10) })));
    assert_eq!(due_events(harness).await, [event(1, REVOKED)]);
}

pub(crate) async fn live_scopes_are_those_of_all_live_grants_of_a_person_who_is_not_locked(
    harness: &Harness,
) {
    prepare(harness).await;
    let of_scope = |number, scope| Grant { scopes: ScopeSet::from_iter([scope]), ..grant(number) };
    let live = async || harness.webhooks.list_live_scopes(client_id(1), user_id(1)).await.unwrap();
    harness.store_grants(&[of_scope(2, Scope::Sleep), of_scope(3, Scope::Profile)]).await;
    assert_eq!(live().await, ScopeSet::CONSENTABLE);
    revoke(harness, GrantFilter { id: Some(grant_id(1)), ..of_user(user_id(1)) }).await;
    assert_eq!(live().await, ScopeSet::from_iter([Scope::Sleep, Scope::Profile]));
    assert!(harness.webhooks.list_live_scopes(client_id(2), user_id(1)).await.unwrap().is_empty());
    commit!(harness, users().update(&User { status: UserStatus::Locked { at: now() }, ..user(1) }));
    assert!(live().await.is_empty());
}

pub(crate) fn delivery(number: u64, at: i64) -> Delivery {
    Delivery {
        id: Uuid::from_u128(u128::from(number)),
        event: event(1, CHANGED),
        number: 7,
        announced_before: 3,
        occurred_at: seconds(5),
        at: seconds(at),
        milliseconds: 120,
        result: DeliveryResult::Failed(OutboundError::TimedOut),
        next_attempt_at: Some(seconds(at + 5)),
    }
}

pub(crate) async fn deliveries_are_listed_latest_first_and_old_ones_deleted(harness: &Harness) {
    prepare(harness).await;
    let announced =
        Delivery { result: DeliveryResult::Status(204), next_attempt_at: None, ..delivery(3, 30) };
    let mut unit = harness.begin().await;
    for delivery in [delivery(1, 10), delivery(2, 20), announced.clone()] {
        unit.webhooks().log(&delivery).await.unwrap();
    }
    unit.commit().await.unwrap();
    let listed = harness.webhooks.list_deliveries(endpoint_id(1), 2).await.unwrap();
    assert_eq!(listed, [announced.clone(), delivery(2, 20)]);
    let mut unit = harness.begin().await;
    assert_eq!(unit.webhooks().delete_old(seconds(30), 1).await.unwrap(), (1, 0));
    assert_eq!(unit.webhooks().delete_old(seconds(30), 9).await.unwrap(), (1, 0));
    unit.commit().await.unwrap();
    assert_eq!(harness.webhooks.list_deliveries(endpoint_id(1), 9).await.unwrap(), [announced]);
}

pub(crate) async fn events_about_revocations_and_erasures_are_deleted_after_their_time(harness: &Harness) {
    prepare(harness).await;
    let (early, late) = (event(1, EventKind::PersonErased), event(2, EventKind::PersonErased));
    let mut unit = harness.begin().await;
    for (key, at) in [(early, 10), (late, 30), (event(3, REVOKED), 10), (event(4, CHANGED), 10)] {
        unit.webhooks().queue(key, seconds(at).timestamp_micros()).await.unwrap();
    }
    unit.commit().await.unwrap();
    assert_eq!(commit!(harness, webhooks().delete_old(seconds(30), 1)), (0, 2));
    assert!(pending(harness, early).await.is_none() && pending(harness, event(3, REVOKED)).await.is_none());
    assert!(pending(harness, late).await.is_some() && pending(harness, event(4, CHANGED)).await.is_some());
}

pub(crate) async fn a_replay_makes_the_event_due_from_the_given_number(harness: &Harness) {
    prepare(harness).await;
    let key = event(1, CHANGED);
    for number in 1..=3 {
        harness.store_sessions(user_id(1), &[session(number, i64::try_from(number).unwrap() * 1_000)]).await;
    }
    let number = pending(harness, key).await.unwrap().number;
    settle(harness, key, number, Settlement::Announced).await;
    for (announced, occurred_at) in [(1, seconds(10)), (2, seconds(20))] {
        let mut unit = harness.begin().await;
        unit.webhooks().replay(key, announced, occurred_at).await.unwrap();
        unit.webhooks().replay(event(2, CHANGED), announced, occurred_at).await.unwrap();
        unit.commit().await.unwrap();
        let event = pending(harness, key).await.unwrap();
        assert_eq!((event.number, event.announced, event.occurred_at), (number, 1, seconds(10)));
    }
    assert_eq!(due_events(harness).await, [key]);
}

pub(crate) async fn a_deleted_endpoint_leaves_no_events_and_no_deliveries(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let mut unit = harness.begin().await;
    unit.webhooks().log(&delivery(1, 0)).await.unwrap();
    assert!(unit.webhooks().delete(endpoint_id(1)).await.unwrap());
    assert!(!unit.webhooks().delete(endpoint_id(1)).await.unwrap());
    unit.commit().await.unwrap();
    assert_eq!(pending(harness, event(1, CHANGED)).await, None);
    assert_eq!(harness.webhooks.list_deliveries(endpoint_id(1), 9).await.unwrap(), []);
}

pub(crate) async fn events_are_listed_up_to_the_limit_and_of_the_given_endpoints(harness: &Harness) {
    prepare(harness).await;
    store_endpoint(harness, &endpoint(2)).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let both = [endpoint_id(1), endpoint_id(2)];
    let list = async |ids: &[WebhookEndpointId], limit| {
        harness.webhooks.list_due_events(ids, now(), limit).await.unwrap().len()
    };
    assert_eq!((list(&both, 9).await, list(&both, 1).await, list(&both[1..], 9).await), (2, 1, 1));
    assert_eq!(list(&[], 9).await, 0);
}
