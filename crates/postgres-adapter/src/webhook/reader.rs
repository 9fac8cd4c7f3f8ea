//! Reads webhooks.

use super::row::{DeliveryRow, EndpointRow, EventRow, KeyRow, event, key};
use crate::row::scope_set;
use crate::schema::{access_grant, account, client, webhook_delivery, webhook_endpoint, webhook_event};
use crate::store::PostgresStore;
use application::ports::storage::{PendingEvent, StorageError, WebhookReader};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::{ClientId, UserId, WebhookEndpointId};
use domain::scope::ScopeSet;
use domain::webhook::{Delivery, EventKey, WebhookEndpoint};
use uuid::Uuid;

#[async_trait]
impl WebhookReader for PostgresStore {
    async fn list_endpoints(
        &self,
        client_id: Option<ClientId>,
    ) -> Result<Vec<WebhookEndpoint>, StorageError> {
        let mut query = webhook_endpoint::table
            .inner_join(client::table.on(client::id.eq(webhook_endpoint::client_id)))
            .order((webhook_endpoint::created_at, webhook_endpoint::id))
            .select(EndpointRow::as_select())
            .into_boxed();
        query = match client_id {
            Some(id) => query.filter(webhook_endpoint::client_id.eq(id.as_uuid())),
            None => query.filter(client::disabled_at.is_null()),
        };
        let rows: Vec<EndpointRow> = self.pooled().await?.load_rows(query).await?;
        rows.into_iter().map(EndpointRow::into_endpoint).collect()
    }

    async fn find_endpoint(&self, id: WebhookEndpointId) -> Result<Option<WebhookEndpoint>, StorageError> {
        let query = webhook_endpoint::table
            .inner_join(client::table.on(client::id.eq(webhook_endpoint::client_id)))
            .filter(webhook_endpoint::id.eq(id.as_uuid()))
            .filter(client::disabled_at.is_null())
            .select(EndpointRow::as_select());
        let row: Option<EndpointRow> = self.pooled().await?.load_row(query).await?;
        row.map(EndpointRow::into_endpoint).transpose()
    }

    async fn list_due_events(
        &self,
        endpoints: &[WebhookEndpointId],
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<EventKey>, StorageError> {
        let ids: Vec<Uuid> = endpoints.iter().map(WebhookEndpointId::as_uuid).collect();
        let query = webhook_event::table
            .filter(webhook_event::endpoint_id.eq_any(ids))
            .filter(webhook_event::due_at.le(now))
            .select((webhook_event::user_id, webhook_event::endpoint_id, webhook_event::kind))
            .limit(i64::from(limit));
        let rows: Vec<KeyRow> = self.pooled().await?.load_rows(query).await?;
        rows.into_iter().map(key).collect()
    }

    async fn find_pending_event(&self, key: EventKey) -> Result<Option<PendingEvent>, StorageError> {
        let query = webhook_event::table
            .find((key.user_id.as_uuid(), key.endpoint_id.as_uuid(), key.kind.as_str()))
            .filter(webhook_event::due_at.is_not_null())
            .select((
                webhook_event::number,
                webhook_event::announced,
                webhook_event::occurred_at,
                webhook_event::failed,
                webhook_event::due_at.assume_not_null(),
            ));
        let row: Option<EventRow> = self.pooled().await?.load_row(query).await?;
        row.map(|row| event(key, row)).transpose()
    }

    async fn list_live_scopes(&self, client_id: ClientId, user_id: UserId) -> Result<ScopeSet, StorageError> {
        let query = access_grant::table
            .inner_join(account::table.on(account::id.eq(access_grant::user_id)))
            .filter(access_grant::user_id.eq(user_id.as_uuid()))
            .filter(access_grant::client_id.eq(client_id.as_uuid()))
            .filter(access_grant::revoked_at.is_null())
            .filter(account::locked_at.is_null())
            .select(access_grant::scopes)
            .distinct();
        let rows: Vec<String> = self.pooled().await?.load_rows(query).await?;
        let mut scopes = Vec::new();
        for row in rows {
            scopes.extend(scope_set(&row, "access_grant", user_id)?.iter());
        }
        Ok(scopes.into_iter().collect())
    }

    async fn list_deliveries(
        &self,
        id: WebhookEndpointId,
        limit: u32,
    ) -> Result<Vec<Delivery>, StorageError> {
        let query = webhook_delivery::table
            .filter(webhook_delivery::endpoint_id.eq(id.as_uuid()))
            .order((webhook_delivery::at.desc(), webhook_delivery::id.desc()))
            .limit(i64::from(limit))
            .select(DeliveryRow::as_select());
        let rows: Vec<DeliveryRow> = self.pooled().await?.load_rows(query).await?;
        rows.into_iter().map(DeliveryRow::into_delivery).collect()
    }

    async fn count_due_events(&self, now: DateTime<Utc>) -> Result<u64, StorageError> {
        let query = webhook_event::table.filter(webhook_event::due_at.le(now)).count();
        let count: i64 = self.pooled().await?.load_one(query).await?;
        Ok(count.unsigned_abs())
    }
}
