//! Rows of endpoints, events and deliveries.

use crate::error::corrupt;
use crate::schema::{webhook_delivery, webhook_endpoint};
use application::ports::storage::{PendingEvent, StorageError};
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::{ClientId, UserId, WebhookEndpointId};
use domain::outbound::OutboundUrl;
use domain::user::Email;
use domain::webhook::{
    Delivery, DeliveryResult, EndpointSecret, EventKey, EventKind, SealedWebhookSecret, WebhookEndpoint,
};
use store_shared::{endpoint_status_parts, parse_endpoint_status};
use uuid::Uuid;

const ENDPOINT: &str = "webhook_endpoint";
const EVENT: &str = "webhook_event";
const DELIVERY: &str = "webhook_delivery";

/// A row of `webhook_endpoint`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = webhook_endpoint, check_for_backend(Pg), treat_none_as_null = true)]
pub(super) struct EndpointRow {
    id: Uuid,
    client_id: Uuid,
    url: String,
    contact: Option<String>,
    status: String,
    disabled_at: Option<DateTime<Utc>>,
    is_reviewed: bool,
    secret: Vec<u8>,
    previous_secret: Option<Vec<u8>>,
    previous_secret_expires_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

impl From<&WebhookEndpoint> for EndpointRow {
    fn from(endpoint: &WebhookEndpoint) -> Self {
        let WebhookEndpoint {
            id,
            client_id,
            url,
            contact,
            status,
            is_reviewed,
            secret,
            previous_secret,
            created_at,
        } = endpoint;
        let (status, disabled_at) = endpoint_status_parts(*status);
        Self {
            id: id.as_uuid(),
            client_id: client_id.as_uuid(),
            url: url.as_str().to_owned(),
            contact: contact.as_ref().map(|email| email.as_str().to_owned()),
            status: status.to_owned(),
            disabled_at,
            is_reviewed: *is_reviewed,
            secret: secret.as_bytes().to_vec(),
            previous_secret: previous_secret.as_ref().map(|previous| previous.sealed.as_bytes().to_vec()),
            previous_secret_expires_at: previous_secret.as_ref().map(|previous| previous.expires_at),
            created_at: *created_at,
        }
    }
}

impl EndpointRow {
    pub(super) fn into_endpoint(self) -> Result<WebhookEndpoint, StorageError> {
        let Self {
            id,
            client_id,
            url,
            contact,
            status,
            disabled_at,
            is_reviewed,
            secret,
            previous_secret,
            previous_secret_expires_at,
            created_at,
        } = self;
        let contact = contact.map(|text| Email::parse(&text)).transpose();
        let status = parse_endpoint_status(&status, disabled_at).ok_or(());
        let previous_secret = previous_secret.zip(previous_secret_expires_at).map(|(bytes, expires_at)| {
            EndpointSecret { sealed: SealedWebhookSecret::new(bytes), expires_at }
        });
        Ok(WebhookEndpoint {
            id: WebhookEndpointId::from_uuid(id),
            client_id: ClientId::from_uuid(client_id),
            url: OutboundUrl::parse(&url).map_err(corrupt(ENDPOINT, "url", id))?,
            contact: contact.map_err(corrupt(ENDPOINT, "contact", id))?,
            status: status.map_err(corrupt(ENDPOINT, "status", id))?,
            is_reviewed,
            secret: SealedWebhookSecret::new(secret),
            previous_secret,
            created_at,
        })
    }
}

/// Key columns of `webhook_event`.
pub(super) type KeyRow = (Uuid, Uuid, String);

pub(super) fn key((user_id, endpoint_id, kind): KeyRow) -> Result<EventKey, StorageError> {
    parse_key(EVENT, user_id, endpoint_id, &kind)
}

fn parse_key(
    table: &'static str,
    user_id: Uuid,
    endpoint_id: Uuid,
    kind: &str,
) -> Result<EventKey, StorageError> {
    let kind = EventKind::parse(kind).ok_or(()).map_err(corrupt(table, "kind", endpoint_id))?;
    Ok(EventKey {
        user_id: UserId::from_uuid(user_id),
        endpoint_id: WebhookEndpointId::from_uuid(endpoint_id),
        kind,
    })
}

/// Columns number, announced, `occurred_at`, failed and `due_at` of `webhook_event`.
pub(super) type EventRow = (i64, i64, DateTime<Utc>, i32, DateTime<Utc>);

pub(super) fn event(
    key: EventKey,
    (number, announced, occurred_at, failed, due_at): EventRow,
) -> Result<PendingEvent, StorageError> {
    let failed = u32::try_from(failed).map_err(corrupt(EVENT, "failed", key.endpoint_id))?;
    Ok(PendingEvent { key, number, announced, occurred_at, failed, due_at })
}

/// A row of `webhook_delivery`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = webhook_delivery, check_for_backend(Pg))]
pub(super) struct DeliveryRow {
    id: Uuid,
    endpoint_id: Uuid,
    user_id: Uuid,
    kind: String,
    number: i64,
    announced_before: i64,
    occurred_at: DateTime<Utc>,
    at: DateTime<Utc>,
    milliseconds: i64,
    result: String,
    next_attempt_at: Option<DateTime<Utc>>,
}

impl From<&Delivery> for DeliveryRow {
    fn from(delivery: &Delivery) -> Self {
        let Delivery {
            id,
            event,
            number,
            announced_before,
            occurred_at,
            at,
            milliseconds,
            result,
            next_attempt_at,
        } = delivery;
        Self {
            id: *id,
            endpoint_id: event.endpoint_id.as_uuid(),
            user_id: event.user_id.as_uuid(),
            kind: event.kind.as_str().to_owned(),
            number: *number,
            announced_before: *announced_before,
            occurred_at: *occurred_at,
            at: *at,
            milliseconds: i64::from(*milliseconds),
            result: result.to_name(),
            next_attempt_at: *next_attempt_at,
        }
    }
}

impl DeliveryRow {
    pub(super) fn into_delivery(self) -> Result<Delivery, StorageError> {
        let Self {
            id,
            endpoint_id,
            user_id,
            kind,
            number,
            announced_before,
            occurred_at,
            at,
            milliseconds,
            result,
            next_attempt_at,
        } = self;
        Ok(Delivery {
            id,
            event: parse_key(DELIVERY, user_id, endpoint_id, &kind)?,
            number,
            announced_before,
            occurred_at,
            at,
            milliseconds: u32::try_from(milliseconds).map_err(corrupt(DELIVERY, "milliseconds", id))?,
            result: DeliveryResult::parse(&result).ok_or(()).map_err(corrupt(DELIVERY, "result", id))?,
            next_attempt_at,
        })
    }
}
