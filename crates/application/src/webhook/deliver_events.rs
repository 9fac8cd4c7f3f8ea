//! Delivers events.

use super::disabled_notice::DisabledNotice;
use super::endpoints::without_person;
use super::event_message::{EventData, body, cursor, position, signed_text};
use super::receipt::{is_challenge, retry_after};
use crate::ports::storage::{
    ChangePageQuery, ChangeReader, PendingEvent, Settlement, StorageError, UnitOfWork, WebhookReader,
};
use crate::ports::system::{Fetcher, OutboundRequest, WebhookSigner};
use crate::store::{Store, transact};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::data_kind::DataKind;
use domain::id::WebhookEndpointId;
use domain::webhook::{
    Delivery, DeliveryResult, DisableReason, EndpointStatus, EventKey, EventKind, MessageId, WebhookEndpoint,
    retry_delay,
};
use std::sync::Arc;
use std::time::Duration;

/// Maximum duration of an attempt.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of response bytes that are read; the longest challenge is shorter.
const MAX_RESPONSE_BYTES: usize = 1_024;

/// How the delivery of an event ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The endpoint was notified.
    Delivered,
    /// The event will be tried again.
    Postponed,
    /// The endpoint was disabled, or did not return its challenge.
    GivenUp,
    /// There was nothing left to send, or nothing that the client may receive.
    Nothing,
}

/// Delivers the events of endpoints. Each is delivered at least once.
pub struct DeliverEvents {
    /// The store.
    pub store: Store,
    /// Reader of endpoints and events.
    pub webhooks: Arc<dyn WebhookReader>,
    /// Reader of changes of records.
    pub changes: Arc<dyn ChangeReader>,
    /// Signs messages.
    pub signer: Arc<dyn WebhookSigner>,
    /// Sends messages.
    pub fetcher: Arc<dyn Fetcher>,
    /// Notifies people whose endpoint was disabled; `None` if no email is sent.
    pub notice: Option<DisabledNotice>,
}

/// An attempt and its consequences.
struct Attempt {
    event: PendingEvent,
    delivery: Delivery,
    outcome: DeliveryOutcome,
    disabled: Option<DisableReason>,
}

impl DeliverEvents {
    /// Lists the endpoints of enabled clients.
    pub async fn list_endpoints(&self) -> Result<Vec<WebhookEndpoint>, StorageError> {
        self.webhooks.list_endpoints(None).await
    }

    /// Lists at most `limit` due events that these endpoints may be sent: an endpoint that is not active is
    /// sent challenges only.
    pub async fn list_due(
        &self,
        endpoints: &[&WebhookEndpoint],
        limit: u32,
    ) -> Result<Vec<EventKey>, StorageError> {
        let (webhooks, now) = (&self.webhooks, self.store.now());
        let (active, others): (Vec<&WebhookEndpoint>, _) =
            endpoints.iter().partition(|endpoint| endpoint.status == EndpointStatus::Active);
        let active: Vec<WebhookEndpointId> = active.into_iter().map(|endpoint| endpoint.id).collect();
        let mut due = if active.is_empty() {
            Vec::new()
        } else {
            webhooks.list_due_events(&active, now, limit).await?
        };
        for endpoint in others {
            let challenge = without_person(endpoint.id, EventKind::EndpointChallenge);
            if webhooks.find_pending_event(challenge).await?.is_some_and(|event| event.due_at <= now) {
                due.push(challenge);
            }
        }
        Ok(due)
    }

    /// Returns how many events are due, including those of disabled endpoints.
    pub async fn count_due(&self) -> Result<u64, StorageError> {
        self.webhooks.count_due_events(self.store.now()).await
    }

    /// Attempts to deliver an event as it is now. Nothing is sent to an endpoint that was disabled.
    pub async fn run(&self, key: EventKey) -> Result<DeliveryOutcome, StorageError> {
        let needs_active = key.kind != EventKind::EndpointChallenge;
        let endpoint = self.webhooks.find_endpoint(key.endpoint_id).await?;
        let Some(endpoint) =
            endpoint.filter(|endpoint| !needs_active || endpoint.status == EndpointStatus::Active)
        else {
            return Ok(DeliveryOutcome::Nothing);
        };
        let Some(event) = self.webhooks.find_pending_event(key).await? else {
            return Ok(DeliveryOutcome::Nothing);
        };
        let challenge = self.store.entropy().uuid().simple().to_string();
        let data = match self.data(&endpoint, &event, &challenge).await? {
            Ok(data) => data,
            Err(settlement) => {
                transact!(self.store, |tx| { tx.webhooks().settle(&event, settlement).await }).await?;
                return Ok(DeliveryOutcome::Nothing);
            }
        };
        let began = self.store.now();
        let (result, asked_for) = match self.request(&endpoint, &event, &data, began) {
            Some(request) => self.send(request, &data, began).await,
            None => (DeliveryResult::NotSigned, None),
        };
        let mut ended = self.store.now();
        if !endpoint.is_reviewed && matches!(result, DeliveryResult::Failed(_)) {
            // Otherwise the next attempt would show developers how the connection failed.
            ended = began + TIMEOUT;
        }
        let attempt = self.attempt(event, (began, ended), result, asked_for);
        self.record(attempt).await
    }

    /// Sends a message; returns the result, and the pause that the receiver asks for.
    async fn send(
        &self,
        request: OutboundRequest,
        data: &EventData,
        began: DateTime<Utc>,
    ) -> (DeliveryResult, Option<TimeDelta>) {
        let response = match self.fetcher.fetch(request).await {
            Ok(response) => response,
            Err(error) => return (DeliveryResult::Failed(error), None),
        };
        let result = match data {
            EventData::Challenge(challenge)
                if is_success(response.status) && !is_challenge(&response.body, challenge) =>
            {
                DeliveryResult::WrongChallenge
            }
            _ => DeliveryResult::Status(response.status),
        };
        (result, retry_after(&response, began))
    }

    /// Records a failed attempt at a delivery that panicked.
    pub async fn record_panic(&self, key: EventKey) -> Result<DeliveryOutcome, StorageError> {
        let Some(event) = self.webhooks.find_pending_event(key).await? else {
            return Ok(DeliveryOutcome::Nothing);
        };
        let now = self.store.now();
        self.record(self.attempt(event, (now, now), DeliveryResult::InternalError, None)).await
    }

    /// Returns the data to send, or how to settle an event that the client may not receive.
    async fn data(
        &self,
        endpoint: &WebhookEndpoint,
        event: &PendingEvent,
        challenge: &str,
    ) -> Result<Result<EventData, Settlement>, StorageError> {
        let user_id = event.key.user_id;
        let scopes = async || self.webhooks.list_live_scopes(endpoint.client_id, user_id).await;
        Ok(match event.key.kind {
            EventKind::EndpointTest => Ok(EventData::Nothing),
            EventKind::EndpointChallenge => Ok(EventData::Challenge(challenge.to_owned())),
            // The person may have granted access again in the meantime.
            EventKind::GrantRevoked if !scopes().await?.is_empty() => Err(Settlement::Dropped),
            EventKind::GrantRevoked | EventKind::PersonErased => Ok(EventData::Person(user_id)),
            EventKind::RecordsChanged => {
                let scopes = scopes().await?;
                if scopes.is_empty() {
                    return Ok(Err(Settlement::Paused));
                }
                let mut kinds = DataKind::ALL.to_vec();
                kinds.retain(|kind| scopes.contains(kind.scope()));
                let kinds = self.changed(event, kinds).await?;
                if kinds.is_empty() {
                    Err(Settlement::Announced)
                } else {
                    Ok(EventData::Changes { user_id, kinds, cursor: cursor(event) })
                }
            }
        })
    }

    /// Returns those of the kinds that have changed since the endpoint was notified.
    async fn changed(
        &self,
        event: &PendingEvent,
        kinds: Vec<DataKind>,
    ) -> Result<Vec<DataKind>, StorageError> {
        let mut changed = Vec::new();
        for kind in kinds {
            let query = ChangePageQuery {
                user_id: event.key.user_id,
                after: Some(position(event.announced)),
                kinds: vec![kind],
                limit: 1,
            };
            if !self.changes.changes(query).await?.changes.is_empty() {
                changed.push(kind);
            }
        }
        Ok(changed)
    }

    /// Returns the message, signed with each secret that can be opened; `None` if none can.
    fn request(
        &self,
        endpoint: &WebhookEndpoint,
        event: &PendingEvent,
        data: &EventData,
        now: DateTime<Utc>,
    ) -> Option<OutboundRequest> {
        let id = MessageId::new(event.key, event.announced, event.number);
        let body = body(event.key.kind, event.occurred_at, data);
        let text = signed_text(&id, now, &body);
        let mut signatures = Vec::new();
        for secret in endpoint.signing_secrets(now) {
            match self.signer.sign(endpoint.id, secret, &text) {
                Ok(signature) => signatures.push(format!("v1,{signature}")),
                Err(error) => tracing::warn!(endpoint_id = %endpoint.id, %error, "a signature is missing"),
            }
        }
        (!signatures.is_empty()).then(|| OutboundRequest {
            url: endpoint.url.clone(),
            is_reviewed: endpoint.is_reviewed,
            headers: vec![
                ("webhook-id", id.to_string()),
                ("webhook-timestamp", now.timestamp().to_string()),
                ("webhook-signature", signatures.join(" ")),
            ],
            json: Some(body),
            max_body_bytes: MAX_RESPONSE_BYTES,
            timeout: TIMEOUT,
        })
    }

    /// Returns an attempt with what follows from its result.
    fn attempt(
        &self,
        event: PendingEvent,
        (began, ended): (DateTime<Utc>, DateTime<Utc>),
        result: DeliveryResult,
        asked_for: Option<TimeDelta>,
    ) -> Attempt {
        let [jitter, ..] = self.store.entropy().uuid().into_bytes();
        let retry = retry_delay(event.failed.saturating_add(1), jitter, asked_for).map(|pause| ended + pause);
        let (outcome, next_attempt_at, disabled) = match result {
            DeliveryResult::Status(status) if is_success(status) => (DeliveryOutcome::Delivered, None, None),
            DeliveryResult::Status(410) => (DeliveryOutcome::GivenUp, None, Some(DisableReason::Gone)),
            _ if retry.is_some() => (DeliveryOutcome::Postponed, retry, None),
            _ => (DeliveryOutcome::GivenUp, None, Some(DisableReason::Failing)),
        };
        let delivery = Delivery {
            id: self.store.entropy().uuid(),
            event: event.key,
            number: event.number,
            announced_before: event.announced,
            occurred_at: event.occurred_at,
            at: began,
            milliseconds: u32::try_from((ended - began).num_milliseconds()).unwrap_or_default(),
            result,
            next_attempt_at,
        };
        Attempt { event, delivery, outcome, disabled }
    }

    /// Stores an attempt with its consequences.
    async fn record(&self, attempt: Attempt) -> Result<DeliveryOutcome, StorageError> {
        let Attempt { event, delivery, outcome, disabled } = attempt;
        let key = event.key;
        let is_challenge = key.kind == EventKind::EndpointChallenge;
        let settlement = match (outcome, delivery.next_attempt_at) {
            (DeliveryOutcome::Delivered, _) => Settlement::Announced,
            (_, Some(at)) => Settlement::Retry(at),
            (_, None) if is_challenge => Settlement::Dropped,
            (_, None) => Settlement::Kept,
        };
        transact!(self.store, |tx| {
            let is_about_no_user = match key.kind {
                EventKind::PersonErased | EventKind::GrantRevoked => true,
                // The person may have been erased during the delivery.
                EventKind::RecordsChanged => tx.users().find(key.user_id).await?.is_none(),
                EventKind::EndpointTest | EventKind::EndpointChallenge => false,
            };
            match disabled {
                None if is_challenge && outcome == DeliveryOutcome::Delivered => {
                    if let Some(mut endpoint) = tx.webhooks().find(key.endpoint_id).await? {
                        endpoint.status = EndpointStatus::Active;
                        tx.webhooks().update(&endpoint).await?;
                    }
                }
                Some(reason) if !is_challenge => self.disable(tx, &delivery, reason).await?,
                _ => {}
            }
            tx.webhooks().settle(&event, settlement).await?;
            let logged_key = if is_about_no_user { without_person(key.endpoint_id, key.kind) } else { key };
            tx.webhooks().log(&Delivery { event: logged_key, ..delivery }).await?;
            Ok(outcome)
        })
        .await
    }

    /// Disables an active endpoint, and notifies its contact.
    async fn disable(
        &self,
        tx: &mut dyn UnitOfWork,
        delivery: &Delivery,
        reason: DisableReason,
    ) -> Result<(), StorageError> {
        let Some(mut endpoint) = tx.webhooks().find(delivery.event.endpoint_id).await? else {
            return Ok(());
        };
        if endpoint.status != EndpointStatus::Active {
            return Ok(());
        }
        let now = self.store.now();
        endpoint.status = EndpointStatus::Disabled { at: now, reason };
        tx.webhooks().update(&endpoint).await?;
        let event = self.store.event(AuditActor::Server, AuditKind::WebhookDisabled);
        tx.record(event.client(endpoint.client_id).subject(endpoint.id.as_uuid())).await?;
        match &self.notice {
            Some(notice) => notice.queue(tx, &endpoint, (reason, now)).await,
            None => Ok(()),
        }
    }
}

const fn is_success(status: u16) -> bool {
    matches!(status, 200..=299)
}
