//! How much mail waits.

use crate::error::storage_error;
use crate::schema::outbox;
use crate::store::PostgresStore;
use application::ports::storage::{MailBacklog, OutboxReader, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::{count_star, min};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

#[async_trait]
impl OutboxReader for PostgresStore {
    async fn backlog(&self) -> Result<MailBacklog, StorageError> {
        // On a connection of the pool: thousands may wait, and nobody else shall wait until they are counted.
        let mut connection = self.pooled().await?;
        let query = outbox::table.select((count_star(), min(outbox::queued_at)));
        let (messages, oldest_queued_at): (i64, Option<DateTime<Utc>>) =
            query.get_result(&mut connection).await.map_err(storage_error)?;
        Ok(MailBacklog { messages: messages.unsigned_abs(), oldest_queued_at })
    }
}
