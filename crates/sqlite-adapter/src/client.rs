//! Deletions of clients.

use crate::statement::execute;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::ClientId;
use store_shared::column::Held as _;
use store_shared::schema::client;
use store_shared::{DeleteClients, Raw};

const DELETE_UNUSED: &str = "DELETE FROM client WHERE id IN (
    SELECT id FROM client
    WHERE document IS NOT NULL AND disabled_at IS NULL AND json_extract(document, '$.fresh_until') < ?
        AND NOT EXISTS (SELECT 1 FROM access_grant WHERE client_id = client.id)
        AND NOT EXISTS (SELECT 1 FROM authorization_code WHERE client_id = client.id)
        AND NOT EXISTS (SELECT 1 FROM authorization_request WHERE client_id = client.id)
        AND NOT EXISTS (SELECT 1 FROM consent WHERE client_id = client.id)
        AND NOT EXISTS (SELECT 1 FROM webhook_endpoint WHERE client_id = client.id)
    LIMIT ?)";

#[async_trait]
impl DeleteClients for SqliteUnitOfWork {
    async fn delete_client(&mut self, id: ClientId) -> Result<bool, StorageError> {
        Ok(self.run(execute(diesel::delete(client::table.find(id.cell())))).await? > 0)
    }

    async fn delete_unused_clients(
        &mut self,
        expired_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let query: Raw = Raw::same(DELETE_UNUSED).bind(expired_before.timestamp_micros());
        self.run(execute(query.bind(i64::from(limit)))).await
    }
}
