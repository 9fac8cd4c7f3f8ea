//! Webhooks in a unit of work.

use super::row::{DeliveryRow, EndpointRow};
use crate::error::StorageResult as _;
use crate::row::{blob, micros};
use crate::schema::{webhook_delivery, webhook_endpoint};
use crate::statement::{delete_oldest, execute};
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{PendingEvent, Settlement, StorageError, WebhookRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::{ClientId, WebhookEndpointId};
use domain::webhook::{Delivery, EventKey, EventKind, WebhookEndpoint};
use store_shared::Raw;

const QUEUE: &str = "INSERT INTO webhook_event (number, user_id, endpoint_id, kind, announced, failed, due_at) \
     VALUES (?, ?, ?, ?, 0, 0, 0) \
     ON CONFLICT (user_id, endpoint_id, kind) DO UPDATE \
     SET number = excluded.number, occurred_at = excluded.occurred_at, failed = 0, due_at = excluded.due_at";

const REPLAY: &str = "UPDATE webhook_event \
     SET announced = min(announced, ?), occurred_at = min(occurred_at, ?), failed = 0, due_at = 0 \
     WHERE user_id = ? AND endpoint_id = ? AND kind = ?";

const ANNOUNCED: &str = "UPDATE webhook_event SET announced = ?, failed = 0, due_at = CASE WHEN number > ? THEN 0 END \
     WHERE announced = ? AND user_id = ? AND endpoint_id = ? AND kind = ?";

const PAUSE: &str = "UPDATE webhook_event SET failed = 0, due_at = CASE WHEN number > ? THEN 0 END \
     WHERE user_id = ? AND endpoint_id = ? AND kind = ?";

const DROP: &str =
    "DELETE FROM webhook_event WHERE number = ? AND user_id = ? AND endpoint_id = ? AND kind = ?";

const RETRY: &str = "UPDATE webhook_event SET failed = failed + 1, due_at = ? \
     WHERE user_id = ? AND endpoint_id = ? AND kind = ?";

const KEEP: &str =
    "UPDATE webhook_event SET failed = 0, due_at = 0 WHERE user_id = ? AND endpoint_id = ? AND kind = ?";

/// The number of such an event is its time.
const DELETE_ENDINGS: &str =
    "DELETE FROM webhook_event WHERE kind IN ('grant.revoked', 'person.erased') AND number < ?";

/// Binds the last three `?` of a statement to the key of an event.
fn about(statement: Raw<()>, key: EventKey) -> Raw<()> {
    statement
        .blob(key.user_id.as_uuid().as_bytes())
        .blob(key.endpoint_id.as_uuid().as_bytes())
        .text(key.kind.as_str())
}

#[async_trait]
impl WebhookRepository for SqliteUnitOfWork {
    async fn insert(&mut self, endpoint: &WebhookEndpoint) -> Result<(), StorageError> {
        let row = EndpointRow::from(endpoint);
        self.run(execute(diesel::insert_into(webhook_endpoint::table).values(row))).await.map(drop)
    }

    async fn list(&mut self, client_id: ClientId) -> Result<Vec<WebhookEndpoint>, StorageError> {
        self.run(move |connection| {
            let rows: Vec<EndpointRow> = webhook_endpoint::table
                .filter(webhook_endpoint::client_id.eq(blob(client_id.as_uuid())))
                .order((webhook_endpoint::created_at, webhook_endpoint::id))
                .load(connection)
                .storage()?;
            rows.into_iter().map(EndpointRow::into_endpoint).collect()
        })
        .await
    }

    async fn find(&mut self, id: WebhookEndpointId) -> Result<Option<WebhookEndpoint>, StorageError> {
        self.run(move |connection| {
            let row: Option<EndpointRow> =
                webhook_endpoint::table.find(blob(id.as_uuid())).first(connection).optional().storage()?;
            row.map(EndpointRow::into_endpoint).transpose()
        })
        .await
    }

    async fn update(&mut self, endpoint: &WebhookEndpoint) -> Result<bool, StorageError> {
        let stored = webhook_endpoint::table.find(blob(endpoint.id.as_uuid()));
        let query = diesel::update(stored).set(EndpointRow::from(endpoint));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn delete(&mut self, id: WebhookEndpointId) -> Result<bool, StorageError> {
        let id = blob(id.as_uuid());
        let deliveries = webhook_delivery::table.filter(webhook_delivery::endpoint_id.eq(id.clone()));
        self.run(execute(diesel::delete(deliveries))).await?;
        Ok(self.run(execute(diesel::delete(webhook_endpoint::table.find(id)))).await? > 0)
    }

    async fn queue(&mut self, key: EventKey, number: i64) -> Result<(), StorageError> {
        self.run(execute(about(Raw::same(QUEUE).bind(number), key))).await.map(drop)
    }

    async fn replay(
        &mut self,
        key: EventKey,
        announced: i64,
        occurred_at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let statement = Raw::same(REPLAY).bind(announced).bind(micros(occurred_at));
        self.run(execute(about(statement, key))).await.map(drop)
    }

    async fn settle(&mut self, event: &PendingEvent, settlement: Settlement) -> Result<(), StorageError> {
        let PendingEvent { key, number, announced, .. } = *event;
        let statement = match settlement {
            Settlement::Announced if key.kind == EventKind::RecordsChanged => {
                Raw::same(ANNOUNCED).bind(number).bind(number).bind(announced)
            }
            Settlement::Paused => Raw::same(PAUSE).bind(number),
            Settlement::Announced | Settlement::Dropped => Raw::same(DROP).bind(number),
            Settlement::Retry(at) => Raw::same(RETRY).bind(micros(at)),
            Settlement::Kept => Raw::same(KEEP),
        };
        self.run(execute(about(statement, key))).await.map(drop)
    }

    async fn log(&mut self, delivery: &Delivery) -> Result<(), StorageError> {
        let row = DeliveryRow::from(delivery);
        self.run(execute(diesel::insert_into(webhook_delivery::table).values(row))).await.map(drop)
    }

    async fn delete_old(&mut self, before: DateTime<Utc>, limit: u32) -> Result<(u64, u64), StorageError> {
        let deliveries = self.run(delete_oldest(("webhook_delivery", "id", "at"), before, limit)).await?;
        let statement: Raw<()> = Raw::same(DELETE_ENDINGS).bind(micros(before));
        Ok((deliveries, self.run(execute(statement)).await?))
    }
}
