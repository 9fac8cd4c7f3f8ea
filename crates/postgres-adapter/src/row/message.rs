//! Messages that wait to be sent.

use crate::error::corrupt;
use crate::schema::outbox;
use application::ports::storage::{QueuedMessage, StorageError};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Binary, Integer, Timestamptz, Uuid as SqlUuid};
use domain::id::MessageId;
use uuid::Uuid;

/// The columns of a row, in its order.
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
    /// Reads the row as a message.
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
