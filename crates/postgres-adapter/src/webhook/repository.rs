//! Webhooks in a unit of work.

use super::row::{DeliveryRow, EndpointRow};
use crate::schema::{webhook_delivery, webhook_endpoint, webhook_event};
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{PendingEvent, Settlement, StorageError, WebhookRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{ClientId, WebhookEndpointId};
use domain::webhook::{Delivery, EventKey, EventKind, WebhookEndpoint};
use uuid::Uuid;

const QUEUE: &str =
    "INSERT INTO webhook_event (user_id, endpoint_id, kind, number, announced, failed, due_at)
    VALUES ($1, $2, $3, $4, 0, 0, to_timestamp(0))
    ON CONFLICT (user_id, endpoint_id, kind) DO UPDATE
    SET number = excluded.number, occurred_at = excluded.occurred_at, failed = 0, due_at = excluded.due_at";

const REPLAY: &str = "UPDATE webhook_event
    SET announced = least(announced, $4), occurred_at = least(occurred_at, $5), failed = 0, due_at = to_timestamp(0)
    WHERE user_id = $1 AND endpoint_id = $2 AND kind = $3";

const ANNOUNCED: &str = "UPDATE webhook_event
    SET announced = $4, failed = 0, due_at = CASE WHEN number > $4 THEN to_timestamp(0) END
    WHERE user_id = $1 AND endpoint_id = $2 AND kind = $3 AND announced = $5";

const PAUSE: &str =
    "UPDATE webhook_event SET failed = 0, due_at = CASE WHEN number > $4 THEN to_timestamp(0) END
    WHERE user_id = $1 AND endpoint_id = $2 AND kind = $3";

const DROP: &str =
    "DELETE FROM webhook_event WHERE user_id = $1 AND endpoint_id = $2 AND kind = $3 AND number = $4";

/// The number of such an event is its time.
const DELETE_ENDINGS: &str =
    "DELETE FROM webhook_event WHERE kind IN ('grant.revoked', 'person.erased') AND number < $1";

type Key = (Uuid, Uuid, &'static str);

fn row(key: EventKey) -> diesel::helper_types::Find<webhook_event::table, Key> {
    webhook_event::table.find((key.user_id.as_uuid(), key.endpoint_id.as_uuid(), key.kind.as_str()))
}

impl PgUnitOfWork {
    /// Runs a statement about the event with this key (`$1` to `$3`) and number (`$4`).
    async fn change_event(
        &mut self,
        statement: &'static str,
        key: EventKey,
        number: i64,
    ) -> Result<(), StorageError> {
        let query = sql_query(statement)
            .bind::<SqlUuid, _>(key.user_id.as_uuid())
            .bind::<SqlUuid, _>(key.endpoint_id.as_uuid())
            .bind::<Text, _>(key.kind.as_str())
            .bind::<BigInt, _>(number);
        self.connection()?.execute(returning::<(), _>(query)).await.map(drop)
    }
}

#[async_trait]
impl WebhookRepository for PgUnitOfWork {
    async fn insert(&mut self, endpoint: &WebhookEndpoint) -> Result<(), StorageError> {
        let query = diesel::insert_into(webhook_endpoint::table).values(EndpointRow::from(endpoint));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn list(&mut self, client_id: ClientId) -> Result<Vec<WebhookEndpoint>, StorageError> {
        let query = webhook_endpoint::table
            .filter(webhook_endpoint::client_id.eq(client_id.as_uuid()))
            .order((webhook_endpoint::created_at, webhook_endpoint::id))
            .select(EndpointRow::as_select())
            .for_no_key_update();
        let rows: Vec<EndpointRow> = self.connection()?.load_rows(query).await?;
        rows.into_iter().map(EndpointRow::into_endpoint).collect()
    }

    async fn find(&mut self, id: WebhookEndpointId) -> Result<Option<WebhookEndpoint>, StorageError> {
        // Not `FOR UPDATE`, which would wait for every transaction that queues an event.
        let query =
            webhook_endpoint::table.find(id.as_uuid()).select(EndpointRow::as_select()).for_no_key_update();
        let row: Option<EndpointRow> = self.connection()?.load_row(query).await?;
        row.map(EndpointRow::into_endpoint).transpose()
    }

    async fn update(&mut self, endpoint: &WebhookEndpoint) -> Result<bool, StorageError> {
        let query = diesel::update(webhook_endpoint::table.find(endpoint.id.as_uuid()))
            .set(EndpointRow::from(endpoint));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn delete(&mut self, id: WebhookEndpointId) -> Result<bool, StorageError> {
        let deliveries = webhook_delivery::table.filter(webhook_delivery::endpoint_id.eq(id.as_uuid()));
        self.connection()?.execute(diesel::delete(deliveries)).await?;
        let query = diesel::delete(webhook_endpoint::table.find(id.as_uuid()));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn queue(&mut self, key: EventKey, number: i64) -> Result<(), StorageError> {
        self.change_event(QUEUE, key, number).await
    }

    async fn replay(
        &mut self,
        key: EventKey,
        announced: i64,
        occurred_at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let query = sql_query(REPLAY)
            .bind::<SqlUuid, _>(key.user_id.as_uuid())
            .bind::<SqlUuid, _>(key.endpoint_id.as_uuid())
            .bind::<Text, _>(key.kind.as_str())
            .bind::<BigInt, _>(announced)
            .bind::<Timestamptz, _>(occurred_at);
        self.connection()?.execute(returning::<(), _>(query)).await.map(drop)
    }

    async fn settle(&mut self, event: &PendingEvent, settlement: Settlement) -> Result<(), StorageError> {
        let PendingEvent { key, number, announced, .. } = *event;
        match settlement {
            Settlement::Announced if key.kind == EventKind::RecordsChanged => {
                let query = sql_query(ANNOUNCED)
                    .bind::<SqlUuid, _>(key.user_id.as_uuid())
                    .bind::<SqlUuid, _>(key.endpoint_id.as_uuid())
                    .bind::<Text, _>(key.kind.as_str())
                    .bind::<BigInt, _>(number)
                    .bind::<BigInt, _>(announced);
                self.connection()?.execute(returning::<(), _>(query)).await.map(drop)
            }
            Settlement::Paused => self.change_event(PAUSE, key, number).await,
            Settlement::Announced | Settlement::Dropped => self.change_event(DROP, key, number).await,
            Settlement::Retry(at) => {
                let postponed =
                    (webhook_event::failed.eq(webhook_event::failed + 1), webhook_event::due_at.eq(at));
                self.connection()?.execute(diesel::update(row(key)).set(postponed)).await.map(drop)
            }
            Settlement::Kept => {
                let kept = (webhook_event::failed.eq(0), webhook_event::due_at.eq(DateTime::UNIX_EPOCH));
                self.connection()?.execute(diesel::update(row(key)).set(kept)).await.map(drop)
            }
        }
    }

    async fn log(&mut self, delivery: &Delivery) -> Result<(), StorageError> {
        let query = diesel::insert_into(webhook_delivery::table).values(DeliveryRow::from(delivery));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn delete_old(&mut self, before: DateTime<Utc>, limit: u32) -> Result<(u64, u64), StorageError> {
        let table = ("webhook_delivery", "id", "at");
        let deliveries = self.connection()?.delete_oldest(table, before, limit).await?;
        let query = sql_query(DELETE_ENDINGS).bind::<BigInt, _>(before.timestamp_micros());
        Ok((deliveries, self.connection()?.execute(returning::<(), _>(query)).await?))
    }
}
