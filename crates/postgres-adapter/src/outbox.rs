//! The outbox of queued messages.

use crate::error::corrupt;
use crate::schema::outbox;
use crate::statement::returning;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{MailBacklog, OutboxReader, OutboxRepository, QueuedMessage, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::{count_star, min};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{BigInt, Binary, Integer, Timestamptz};
use domain::id::MessageId;
use uuid::Uuid;

/// Column types of a row, in its order.
pub(crate) type MessageColumns = (SqlUuid, Binary, Timestamptz, Timestamptz, Integer);

/// A row of `outbox`.
#[derive(Queryable, Insertable)]
#[diesel(table_name = outbox)]
pub(crate) struct MessageRow {
    id: Uuid,
    sealed: Vec<u8>,
    queued_at: DateTime<Utc>,
    due_at: DateTime<Utc>,
    attempts: i32,
}

impl From<&QueuedMessage> for MessageRow {
    fn from(message: &QueuedMessage) -> Self {
        let QueuedMessage { id, sealed, queued_at, due_at, attempts } = message;
        Self {
            id: id.as_uuid(),
            sealed: sealed.clone(),
            queued_at: *queued_at,
            due_at: *due_at,
            attempts: i32::try_from(*attempts).unwrap_or(i32::MAX),
        }
    }
}

impl MessageRow {
    pub(crate) fn into_message(self) -> Result<QueuedMessage, StorageError> {
        let Self { id, sealed, queued_at, due_at, attempts } = self;
        Ok(QueuedMessage {
            id: MessageId::from_uuid(id),
            sealed,
            queued_at,
            due_at,
            attempts: u32::try_from(attempts).map_err(corrupt("outbox", "attempts", id))?,
        })
    }
}

#[async_trait]
impl OutboxReader for PostgresStore {
    async fn backlog(&self) -> Result<MailBacklog, StorageError> {
        // Uses the pool: a count of thousands of messages would delay the readers of a shared connection.
        let mut connection = self.pooled().await?;
        let query = outbox::table.select((count_star(), min(outbox::queued_at)));
        let (messages, oldest_queued_at): (i64, Option<DateTime<Utc>>) = connection.load_one(query).await?;
        Ok(MailBacklog { messages: messages.unsigned_abs(), oldest_queued_at })
    }
}

/// Skips messages that another process is claiming. The messages are selected in a materialized CTE, because
/// a nested query with a limit may run several times and select other rows each time.
const CLAIM: &str = "WITH due AS MATERIALIZED (
        SELECT id, due_at FROM outbox WHERE due_at <= $1 ORDER BY due_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
    ), claimed AS (
        UPDATE outbox o SET due_at = $2, attempts = o.attempts + 1 FROM due WHERE o.id = due.id
        RETURNING o.id, o.sealed, o.queued_at, o.due_at, o.attempts, due.due_at AS was_due_at
    )
    SELECT id, sealed, queued_at, due_at, attempts FROM claimed ORDER BY was_due_at, id";

#[async_trait]
impl OutboxRepository for PgUnitOfWork {
    async fn insert(&mut self, message: &QueuedMessage) -> Result<(), StorageError> {
        let query = diesel::insert_into(outbox::table).values(MessageRow::from(message));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn claim(
        &mut self,
        now: DateTime<Utc>,
        again_at: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<QueuedMessage>, StorageError> {
        let query = sql_query(CLAIM)
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(again_at)
            .bind::<BigInt, _>(i64::from(limit));
        let query = returning::<MessageColumns, _>(query);
        self.connection()?.load_rows(query).await?.into_iter().map(MessageRow::into_message).collect()
    }

    async fn postpone(&mut self, id: MessageId, due_at: DateTime<Utc>) -> Result<(), StorageError> {
        let query = diesel::update(outbox::table.find(id.as_uuid())).set(outbox::due_at.eq(due_at));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn delete(&mut self, id: MessageId) -> Result<bool, StorageError> {
        let query = diesel::delete(outbox::table.find(id.as_uuid()));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn delete_queued_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?.delete_oldest(("outbox", "id", "queued_at"), before, limit).await
    }
}
