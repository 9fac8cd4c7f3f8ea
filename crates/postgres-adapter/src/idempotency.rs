//! Idempotent requests and their stored responses.

use crate::connection::Pooled;
use crate::error::unexpected;
use crate::schema::idempotent_answer as answer_table;
use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{Claim, IdempotencyStore, IdempotentRequest, StorageError, StoredResponse};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Binary, Bool, Timestamptz};

/// Claims a free key. Concurrent claims wait for the first one's row, then match no row.
const CLAIM: &str = "INSERT INTO idempotent_answer AS a (client_id, key_hash, content_hash, claimed_at)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (client_id, key_hash) DO UPDATE
    SET content_hash = excluded.content_hash, claimed_at = excluded.claimed_at, status = NULL, body = NULL
    WHERE (a.status IS NULL AND a.claimed_at < $5) OR a.claimed_at < $6
    RETURNING true";

/// `greatest` prevents a replica whose clock is behind from making a claim older.
const RENEW: &str = "UPDATE idempotent_answer SET claimed_at = greatest(claimed_at, $4)
    WHERE client_id = $1 AND key_hash = $2 AND content_hash = $3 AND status IS NULL";

/// Skips locked answers; a later run deletes them.
const DELETE_BEFORE: &str = "DELETE FROM idempotent_answer WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM idempotent_answer WHERE claimed_at < $1 ORDER BY claimed_at LIMIT $2 FOR UPDATE SKIP LOCKED))";

/// Number of attempts to claim a key while other requests release theirs.
const MAX_TRIES: u8 = 5;

type AnswerRow = (Vec<u8>, Option<i16>, Option<Vec<u8>>);

#[async_trait]
impl IdempotencyStore for PostgresStore {
    async fn claim(
        &self,
        request: IdempotentRequest,
        now: DateTime<Utc>,
        abandoned_before: DateTime<Utc>,
        expired_before: DateTime<Utc>,
    ) -> Result<Claim, StorageError> {
        let mut connection = self.pooled().await?;
        for _ in 0..MAX_TRIES {
            let IdempotentRequest { client_id, key, content } = &request;
            let query = sql_query(CLAIM)
                .bind::<SqlUuid, _>(client_id.as_uuid())
                .bind::<Binary, _>(key.as_slice())
                .bind::<Binary, _>(content.as_slice())
                .bind::<Timestamptz, _>(now)
                .bind::<Timestamptz, _>(abandoned_before)
                .bind::<Timestamptz, _>(expired_before);
            let taken: Option<bool> = connection.load_row(returning::<Bool, _>(query)).await?;
            if taken.is_some() {
                return Ok(Claim::Acquired);
            }
            // The row is missing if its owner released it meanwhile; the key is free then.
            if let Some(claim) = unclaimable_state(&mut connection, &request).await? {
                return Ok(claim);
            }
        }
        Ok(Claim::Busy)
    }

    async fn renew(&self, request: IdempotentRequest, now: DateTime<Utc>) -> Result<bool, StorageError> {
        let IdempotentRequest { client_id, key, content } = &request;
        let query = sql_query(RENEW)
            .bind::<SqlUuid, _>(client_id.as_uuid())
            .bind::<Binary, _>(key.as_slice())
            .bind::<Binary, _>(content.as_slice())
            .bind::<Timestamptz, _>(now);
        Ok(self.pooled().await?.execute(returning::<(), _>(query)).await? > 0)
    }

    async fn keep(&self, request: IdempotentRequest, answer: &StoredResponse) -> Result<(), StorageError> {
        let StoredResponse { status, body } = answer;
        let status = i16::try_from(*status).map_err(|_| unexpected("a response with an invalid status"))?;
        let IdempotentRequest { client_id, key, content } = &request;
        // If the same request claimed the key again, the first response stays.
        let open = answer_table::table
            .find((client_id.as_uuid(), key.as_slice()))
            .filter(answer_table::content_hash.eq(content.as_slice()))
            .filter(answer_table::status.is_null());
        let query = diesel::update(open)
            .set((answer_table::status.eq(status), answer_table::body.eq(body.as_slice())));
        self.pooled().await?.execute(query).await.map(drop)
    }

    async fn release(&self, request: IdempotentRequest) -> Result<(), StorageError> {
        let IdempotentRequest { client_id, key, content } = &request;
        let open = answer_table::table
            .find((client_id.as_uuid(), key.as_slice()))
            .filter(answer_table::content_hash.eq(content.as_slice()))
            .filter(answer_table::status.is_null());
        self.pooled().await?.execute(diesel::delete(open)).await.map(drop)
    }

    async fn delete_before(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.pooled().await?.delete_before(DELETE_BEFORE, before, limit).await
    }
}

/// Returns the state of a key that could not be claimed.
async fn unclaimable_state(
    connection: &mut Pooled,
    request: &IdempotentRequest,
) -> Result<Option<Claim>, StorageError> {
    let IdempotentRequest { client_id, key, content } = request;
    let query = answer_table::table.find((client_id.as_uuid(), key.as_slice())).select((
        answer_table::content_hash,
        answer_table::status,
        answer_table::body,
    ));
    let row: Option<AnswerRow> = connection.load_row(query).await?;
    let Some((kept_content, status, body)) = row else { return Ok(None) };
    if kept_content != content {
        return Ok(Some(Claim::OtherContent));
    }
    let (Some(status), Some(body)) = (status, body) else { return Ok(Some(Claim::Busy)) };
    let status = u16::try_from(status).map_err(|_| unexpected("a stored response with an invalid status"))?;
    Ok(Some(Claim::Completed(StoredResponse { status, body })))
}
