//! The outbox of queued messages.

use crate::column::{Held, Id, IdCell, TimeCell};
use crate::row::{parse, row};
use crate::schema::outbox;
use crate::statement::Raw;
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{MailBacklog, OutboxRepository, QueuedMessage, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::{count_star, min};
use diesel::prelude::*;
use domain::id::MessageId;

row! {
    /// A row of `outbox`.
    MessageRow of outbox: QueuedMessage, row id, {
        id: IdCell;
        sealed: Vec<u8>;
        queued_at: TimeCell;
        due_at: TimeCell;
        attempts: i32;
    }
}

/// Returns the state of the outbox. A count of thousands of messages would delay the readers of single rows.
pub async fn backlog(store: &impl Store) -> Result<MailBacklog, StorageError> {
    let query = outbox::table.select((count_star(), min(outbox::queued_at)));
    let rows: Vec<(i64, Option<TimeCell>)> = store.load_rows(query).await?;
    let (messages, oldest) = rows.into_iter().next().unwrap_or_default();
    let oldest_queued_at = parse("outbox", "queued_at", &"", oldest)?;
    Ok(MailBacklog { messages: messages.unsigned_abs(), oldest_queued_at })
}

#[async_trait]
impl<R: Transaction> OutboxRepository for Unit<R> {
    async fn insert(&mut self, message: &QueuedMessage) -> Result<(), StorageError> {
        let query = diesel::insert_into(outbox::table).values(MessageRow::from(message));
        self.0.execute(query).await.map(drop)
    }

    async fn claim(
        &mut self,
        now: DateTime<Utc>,
        again_at: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<QueuedMessage>, StorageError> {
        // On PostgreSQL, skips messages that another process is claiming.
        let query: Raw<Id> = Raw::same("SELECT id FROM outbox WHERE due_at <= ? ORDER BY due_at, id LIMIT ?")
            .bind(now.cell())
            .bind(i64::from(limit))
            .sql_of([" FOR UPDATE SKIP LOCKED", ""]);
        let due: Vec<IdCell> = self.0.load_rows(query).await?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let claimed = diesel::update(outbox::table.filter(outbox::id.eq_any(due.clone())))
            .set((outbox::due_at.eq(again_at.cell()), outbox::attempts.eq(outbox::attempts + 1)))
            .returning(MessageRow::COLUMNS);
        let mut messages = self.read_all::<MessageRow>(claimed).await?;
        messages.sort_by_key(|message| due.iter().position(|id| *id == message.id.cell()));
        Ok(messages)
    }

    async fn postpone(&mut self, id: MessageId, due_at: DateTime<Utc>) -> Result<(), StorageError> {
        let query = diesel::update(outbox::table.find(id.cell())).set(outbox::due_at.eq(due_at.cell()));
        self.0.execute(query).await.map(drop)
    }

    async fn delete(&mut self, id: MessageId) -> Result<bool, StorageError> {
        self.changes(diesel::delete(outbox::table.find(id.cell()))).await
    }

    async fn delete_queued_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("outbox", "id", "queued_at"), before, limit).await
    }
}
