//! Rows of endpoints, events and deliveries.

use crate::row::{Cells, blob, micros};
use crate::schema::{webhook_delivery, webhook_endpoint};
use application::ports::storage::{PendingEvent, StorageError};
use diesel::prelude::*;
use domain::id::{ClientId, UserId, WebhookEndpointId};
use domain::outbound::OutboundUrl;
use domain::user::Email;
use domain::webhook::{
    Delivery, DeliveryResult, EndpointSecret, EventKey, EventKind, SealedWebhookSecret, WebhookEndpoint,
};
use store_shared::{endpoint_status_parts, parse_endpoint_status};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = webhook_endpoint, treat_none_as_null = true)]
pub(super) struct EndpointRow {
    id: Vec<u8>,
    client_id: Vec<u8>,
    url: String,
    contact: Option<String>,
    status: String,
    disabled_at: Option<i64>,
    is_reviewed: bool,
    secret: Vec<u8>,
    previous_secret: Option<Vec<u8>>,
    previous_secret_expires_at: Option<i64>,
    created_at: i64,
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
            id: blob(id.as_uuid()),
            client_id: blob(client_id.as_uuid()),
            url: url.as_str().to_owned(),
            contact: contact.as_ref().map(|email| email.as_str().to_owned()),
            status: status.to_owned(),
            disabled_at: disabled_at.map(micros),
            is_reviewed: *is_reviewed,
            secret: secret.as_bytes().to_vec(),
            previous_secret: previous_secret.as_ref().map(|previous| previous.sealed.as_bytes().to_vec()),
            previous_secret_expires_at: previous_secret.as_ref().map(|previous| micros(previous.expires_at)),
            created_at: micros(*created_at),
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
        let cells = Cells::new("webhook_endpoint", &id);
        let contact = contact.map(|text| Email::parse(&text)).transpose();
        let disabled_at = cells.optional_instant("disabled_at", disabled_at)?;
        let expires_at = cells.optional_instant("previous_secret_expires_at", previous_secret_expires_at)?;
        let previous_secret = previous_secret.zip(expires_at).map(|(bytes, expires_at)| EndpointSecret {
            sealed: SealedWebhookSecret::new(bytes),
            expires_at,
        });
        Ok(WebhookEndpoint {
            id: WebhookEndpointId::from_uuid(cells.uuid("id", &id)?),
            client_id: ClientId::from_uuid(cells.uuid("client_id", &client_id)?),
            url: cells.valid("url", OutboundUrl::parse(&url))?,
            contact: cells.valid("contact", contact)?,
            status: cells.present("status", parse_endpoint_status(&status, disabled_at))?,
            is_reviewed,
            secret: SealedWebhookSecret::new(secret),
            previous_secret,
            created_at: cells.instant("created_at", created_at)?,
        })
    }
}

/// Key columns of `webhook_event`.
pub(super) type KeyRow = (Vec<u8>, Vec<u8>, String);

pub(super) fn key((user_id, endpoint_id, kind): KeyRow) -> Result<EventKey, StorageError> {
    parse_key(Cells::new("webhook_event", &endpoint_id), &user_id, &endpoint_id, &kind)
}

fn parse_key(
    cells: Cells<'_>,
    user_id: &[u8],
    endpoint_id: &[u8],
    kind: &str,
) -> Result<EventKey, StorageError> {
    Ok(EventKey {
        user_id: UserId::from_uuid(cells.uuid("user_id", user_id)?),
        endpoint_id: WebhookEndpointId::from_uuid(cells.uuid("endpoint_id", endpoint_id)?),
        kind: cells.present("kind", EventKind::parse(kind))?,
    })
}

/// Columns number, announced, `occurred_at`, failed and `due_at` of `webhook_event`.
pub(super) type EventRow = (i64, i64, i64, i64, i64);

pub(super) fn event(
    key: EventKey,
    (number, announced, occurred_at, failed, due_at): EventRow,
) -> Result<PendingEvent, StorageError> {
    let endpoint = key.endpoint_id.as_uuid();
    let cells = Cells::new("webhook_event", endpoint.as_bytes());
    Ok(PendingEvent {
        key,
        number,
        announced,
        occurred_at: cells.instant("occurred_at", occurred_at)?,
        failed: cells.valid("failed", u32::try_from(failed))?,
        due_at: cells.instant("due_at", due_at)?,
    })
}

#[derive(Queryable, Insertable)]
#[diesel(table_name = webhook_delivery)]
pub(super) struct DeliveryRow {
    id: Vec<u8>,
    endpoint_id: Vec<u8>,
    user_id: Vec<u8>,
    kind: String,
    number: i64,
    announced_before: i64,
    occurred_at: i64,
    at: i64,
    milliseconds: i64,
    result: String,
    next_attempt_at: Option<i64>,
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
            id: blob(*id),
            endpoint_id: blob(event.endpoint_id.as_uuid()),
            user_id: blob(event.user_id.as_uuid()),
            kind: event.kind.as_str().to_owned(),
            number: *number,
            announced_before: *announced_before,
            occurred_at: micros(*occurred_at),
            at: micros(*at),
            milliseconds: i64::from(*milliseconds),
            result: result.to_name(),
            next_attempt_at: next_attempt_at.map(micros),
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
        let cells = Cells::new("webhook_delivery", &id);
        Ok(Delivery {
            id: cells.uuid("id", &id)?,
            event: parse_key(cells, &user_id, &endpoint_id, &kind)?,
            number,
            announced_before,
            occurred_at: cells.instant("occurred_at", occurred_at)?,
            at: cells.instant("at", at)?,
            milliseconds: cells.valid("milliseconds", u32::try_from(milliseconds))?,
            result: cells.present("result", DeliveryResult::parse(&result))?,
            next_attempt_at: cells.optional_instant("next_attempt_at", next_attempt_at)?,
        })
    }
}
