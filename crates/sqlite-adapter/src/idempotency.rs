//! Idempotent requests and their stored responses.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::idempotent_answer;
use crate::statement::{delete_oldest, execute};
use crate::store::SqliteStore;
use application::ports::storage::{Claim, IdempotencyStore, IdempotentRequest, StorageError, StoredResponse};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel::sqlite::SqliteConnection;
use store_shared::Raw;

#[async_trait]
impl IdempotencyStore for SqliteStore {
    async fn claim(
        &self,
        request: IdempotentRequest,
        now: DateTime<Utc>,
        abandoned_before: DateTime<Utc>,
        expired_before: DateTime<Utc>,
    ) -> Result<Claim, StorageError> {
        self.write(move |connection| {
            if take(connection, request, [now, abandoned_before, expired_before])? {
                return Ok(Claim::Acquired);
            }
            // The key was not free, and cannot become free within this transaction.
            find_claim(connection, request)
        })
        .await
    }

    async fn renew(&self, request: IdempotentRequest, now: DateTime<Utc>) -> Result<bool, StorageError> {
        let IdempotentRequest { client_id, key, content } = request;
        let statement: Raw<()> = Raw::same(
            "UPDATE idempotent_answer SET claimed_at = max(claimed_at, ?) \
             WHERE client_id = ? AND key_hash = ? AND content_hash = ? AND status IS NULL",
        )
        .bind(micros(now))
        .blob(client_id.as_uuid().as_bytes())
        .blob(&key)
        .blob(&content);
        Ok(self.write(execute(statement)).await? > 0)
    }

    async fn keep(&self, request: IdempotentRequest, answer: &StoredResponse) -> Result<(), StorageError> {
        use idempotent_answer::dsl;
        let StoredResponse { status, body } = answer.clone();
        let query = diesel::update(own(request)).set((dsl::status.eq(i32::from(status)), dsl::body.eq(body)));
        self.write(execute(query)).await.map(drop)
    }

    async fn release(&self, request: IdempotentRequest) -> Result<(), StorageError> {
        self.write(execute(diesel::delete(own(request)))).await.map(drop)
    }

    async fn delete_before(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let old = ("idempotent_answer", "client_id, key_hash", "claimed_at");
        self.write(delete_oldest(old, before, limit)).await
    }
}

/// Selects this request's open claim. A late response to an abandoned claim must not be stored for
/// another request that claimed the key since.
#[diesel::dsl::auto_type(no_type_alias)]
fn own(request: IdempotentRequest) -> _ {
    let client_id: Vec<u8> = blob(request.client_id.as_uuid());
    let (key, content): (Vec<u8>, Vec<u8>) = (request.key.to_vec(), request.content.to_vec());
    idempotent_answer::table
        .filter(idempotent_answer::client_id.eq(client_id))
        .filter(idempotent_answer::key_hash.eq(key))
        .filter(idempotent_answer::content_hash.eq(content))
        .filter(idempotent_answer::status.is_null())
}

/// Claims a free key; returns whether it was free.
fn take(
    connection: &mut SqliteConnection,
    request: IdempotentRequest,
    [now, abandoned_before, expired_before]: [DateTime<Utc>; 3],
) -> Result<bool, StorageError> {
    let IdempotentRequest { client_id, key, content } = request;
    let statement: Raw<BigInt> = Raw::same(
        "INSERT INTO idempotent_answer (client_id, key_hash, content_hash, claimed_at) VALUES (?, ?, ?, ?) \
         ON CONFLICT (client_id, key_hash) DO UPDATE \
         SET content_hash = excluded.content_hash, claimed_at = excluded.claimed_at, status = NULL, body = NULL \
         WHERE claimed_at < ? OR (status IS NULL AND claimed_at < ?) \
         RETURNING claimed_at",
    )
    .blob(client_id.as_uuid().as_bytes())
    .blob(&key)
    .blob(&content)
    .bind(micros(now))
    .bind(micros(expired_before))
    .bind(micros(abandoned_before));
    Ok(statement.get_result::<i64>(connection).optional().storage()?.is_some())
}

/// Returns the state of a key that could not be claimed.
fn find_claim(connection: &mut SqliteConnection, request: IdempotentRequest) -> Result<Claim, StorageError> {
    use idempotent_answer::dsl;
    let IdempotentRequest { client_id, key, content } = request;
    let (content_hash, status, body): (Vec<u8>, Option<i32>, Option<Vec<u8>>) = dsl::idempotent_answer
        .find((blob(client_id.as_uuid()), key.to_vec()))
        .select((dsl::content_hash, dsl::status, dsl::body))
        .first(connection)
        .storage()?;
    if content_hash != content {
        return Ok(Claim::OtherContent);
    }
    let (Some(status), Some(body)) = (status, body) else { return Ok(Claim::Busy) };
    let status = Cells::new("idempotent_answer", &key).valid("status", u16::try_from(status))?;
    Ok(Claim::Completed(StoredResponse { status, body }))
}
