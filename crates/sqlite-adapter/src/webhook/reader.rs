//! Reads webhooks.

use super::row::{DeliveryRow, EndpointRow, EventRow, KeyRow, event, key};
use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{access_grant, account, client, webhook_delivery, webhook_endpoint, webhook_event};
use crate::store::SqliteStore;
use application::ports::storage::{PendingEvent, StorageError, WebhookReader};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use domain::id::{ClientId, UserId, WebhookEndpointId};
use domain::scope::ScopeSet;
use domain::webhook::{Delivery, EventKey, WebhookEndpoint};

#[async_trait]
impl WebhookReader for SqliteStore {
    async fn list_endpoints(
        &self,
        client_id: Option<ClientId>,
    ) -> Result<Vec<WebhookEndpoint>, StorageError> {
        self.read(move |connection| {
            let mut query = webhook_endpoint::table
                .inner_join(client::table.on(client::id.eq(webhook_endpoint::client_id)))
                .order((webhook_endpoint::created_at, webhook_endpoint::id))
                .select(EndpointRow::as_select())
                .into_boxed::<Sqlite>();
            query = match client_id {
                Some(id) => query.filter(webhook_endpoint::client_id.eq(blob(id.as_uuid()))),
                None => query.filter(client::disabled_at.is_null()),
            };
            let rows: Vec<EndpointRow> = query.load(connection).storage()?;
            rows.into_iter().map(EndpointRow::into_endpoint).collect()
        })
        .await
    }

    async fn find_endpoint(&self, id: WebhookEndpointId) -> Result<Option<WebhookEndpoint>, StorageError> {
        self.read(move |connection| {
            let row: Option<EndpointRow> = webhook_endpoint::table
                .inner_join(client::table.on(client::id.eq(webhook_endpoint::client_id)))
                .filter(webhook_endpoint::id.eq(blob(id.as_uuid())))
                .filter(client::disabled_at.is_null())
                .select(EndpointRow::as_select())
                .first(connection)
                .optional()
                .storage()?;
            row.map(EndpointRow::into_endpoint).transpose()
        })
        .await
    }

    async fn list_due_events(
        &self,
        endpoints: &[WebhookEndpointId],
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<EventKey>, StorageError> {
        let ids: Vec<Vec<u8>> = endpoints.iter().map(|id| blob(id.as_uuid())).collect();
        self.read(move |connection| {
            let query = webhook_event::table
                .filter(webhook_event::endpoint_id.eq_any(ids))
                .filter(webhook_event::due_at.le(micros(now)))
                .select((webhook_event::user_id, webhook_event::endpoint_id, webhook_event::kind))
                .limit(i64::from(limit));
            let rows: Vec<KeyRow> = query.load(connection).storage()?;
            rows.into_iter().map(key).collect()
        })
        .await
    }

    async fn find_pending_event(&self, key: EventKey) -> Result<Option<PendingEvent>, StorageError> {
        self.read(move |connection| {
            let (user_id, endpoint_id) = (blob(key.user_id.as_uuid()), blob(key.endpoint_id.as_uuid()));
            let row: Option<EventRow> = webhook_event::table
                .find((user_id, endpoint_id, key.kind.as_str()))
                .filter(webhook_event::due_at.is_not_null())
                .select((
                    webhook_event::number,
                    webhook_event::announced,
                    webhook_event::occurred_at,
                    webhook_event::failed,
                    webhook_event::due_at.assume_not_null(),
                ))
                .first(connection)
                .optional()
                .storage()?;
            row.map(|row| event(key, row)).transpose()
        })
        .await
    }

    async fn list_live_scopes(&self, client_id: ClientId, user_id: UserId) -> Result<ScopeSet, StorageError> {
        self.read(move |connection| {
            let user_id = blob(user_id.as_uuid());
            let rows: Vec<String> = access_grant::table
                .inner_join(account::table.on(account::id.eq(access_grant::user_id)))
                .filter(access_grant::user_id.eq(&user_id))
                .filter(access_grant::client_id.eq(blob(client_id.as_uuid())))
                .filter(access_grant::revoked_at.is_null())
                .filter(account::locked_at.is_null())
                .select(access_grant::scopes)
                .distinct()
                .load(connection)
                .storage()?;
            let mut scopes = Vec::new();
            for row in rows {
                scopes.extend(Cells::new("access_grant", &user_id).scopes(&row)?.iter());
            }
            Ok(scopes.into_iter().collect())
        })
        .await
    }

    async fn list_deliveries(
        &self,
        id: WebhookEndpointId,
        limit: u32,
    ) -> Result<Vec<Delivery>, StorageError> {
        self.read(move |connection| {
            let rows: Vec<DeliveryRow> = webhook_delivery::table
                .filter(webhook_delivery::endpoint_id.eq(blob(id.as_uuid())))
                .order((webhook_delivery::at.desc(), webhook_delivery::id.desc()))
                .limit(i64::from(limit))
                .load(connection)
                .storage()?;
            rows.into_iter().map(DeliveryRow::into_delivery).collect()
        })
        .await
    }

    async fn count_due_events(&self, now: DateTime<Utc>) -> Result<u64, StorageError> {
        self.read(move |connection| {
            let query = webhook_event::table.filter(webhook_event::due_at.le(micros(now))).count();
            let count: i64 = query.get_result(connection).storage()?;
            Ok(count.unsigned_abs())
        })
        .await
    }
}
