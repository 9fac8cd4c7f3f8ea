//! The outbox of queued messages.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::outbox;
use crate::statement::{Statement, delete_oldest, execute};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{MailBacklog, OutboxReader, OutboxRepository, QueuedMessage, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::{count_star, min};
use diesel::prelude::*;
use domain::id::MessageId;

#[derive(Queryable, Insertable)]
#[diesel(table_name = outbox)]
struct MessageRow {
    id: Vec<u8>,
    sealed: Vec<u8>,
    queued_at: i64,
    due_at: i64,
    attempts: i64,
}

impl From<&QueuedMessage> for MessageRow {
    fn from(message: &QueuedMessage) -> Self {
        let QueuedMessage { id, sealed, queued_at, due_at, attempts } = message;
        Self {
            id: blob(id.as_uuid()),
            sealed: sealed.clone(),
            queued_at: micros(*queued_at),
            due_at: micros(*due_at),
            attempts: i64::from(*attempts),
        }
    }
}

impl MessageRow {
    fn into_message(self) -> Result<QueuedMessage, StorageError> {
        let Self { id, sealed, queued_at, due_at, attempts } = self;
        let cells = Cells::new("outbox", &id);
        Ok(QueuedMessage {
            id: MessageId::from_uuid(cells.uuid("id", &id)?),
            sealed,
            queued_at: cells.instant("queued_at", queued_at)?,
            due_at: cells.instant("due_at", due_at)?,
            attempts: cells.valid("attempts", attempts.try_into())?,
        })
    }
}

#[async_trait]
impl OutboxReader for SqliteStore {
    async fn backlog(&self) -> Result<MailBacklog, StorageError> {
        self.read(|connection| {
            let query = outbox::table.select((count_star(), min(outbox::queued_at)));
            let (messages, oldest): (i64, Option<i64>) = query.get_result(connection).storage()?;
            let read = |queued_at| Cells::new("outbox", b"").instant("queued_at", queued_at);
            Ok(MailBacklog {
                messages: messages.unsigned_abs(),
                oldest_queued_at: oldest.map(read).transpose()?,
            })
        })
        .await
    }
}

#[async_trait]
impl OutboxRepository for SqliteUnitOfWork {
    async fn insert(&mut self, message: &QueuedMessage) -> Result<(), StorageError> {
        let row = MessageRow::from(message);
        self.run(execute(diesel::insert_into(outbox::table).values(row))).await.map(drop)
    }

    // The transaction holds the write lock, so no other process can claim the same messages.
    async fn claim(
        &mut self,
        now: DateTime<Utc>,
        again_at: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<QueuedMessage>, StorageError> {
        self.run(move |connection| {
            let due: Vec<Vec<u8>> = outbox::table
                .select(outbox::id)
                .filter(outbox::due_at.le(micros(now)))
                .order((outbox::due_at, outbox::id))
                .limit(i64::from(limit))
                .load(connection)
                .storage()?;
            let claim = |id: Vec<u8>| {
                let statement: Statement<outbox::SqlType> = Statement::new(
                    "UPDATE outbox SET due_at = ?, attempts = attempts + 1 WHERE id = ? \
                     RETURNING id, sealed, queued_at, due_at, attempts",
                )
                .integer(micros(again_at))
                .blob(&id);
                let row: MessageRow = statement.get_result(connection).storage()?;
                row.into_message()
            };
            due.into_iter().map(claim).collect()
        })
        .await
    }

    async fn postpone(&mut self, id: MessageId, due_at: DateTime<Utc>) -> Result<(), StorageError> {
        let query =
            diesel::update(outbox::table.find(blob(id.as_uuid()))).set(outbox::due_at.eq(micros(due_at)));
        self.run(execute(query)).await.map(drop)
    }

    async fn delete(&mut self, id: MessageId) -> Result<bool, StorageError> {
        let query = diesel::delete(outbox::table.find(blob(id.as_uuid())));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn delete_queued_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(delete_oldest(("outbox", "id", "queued_at"), before, limit)).await
    }
}
