//! Idempotent requests and their stored responses.

use crate::column::Held;
use crate::row::Cells;
use crate::statement::Raw;
use crate::store::Store;
use application::ports::storage::{Claim, IdempotentRequest, StorageError, StoredResponse};
use chrono::{DateTime, Utc};
use diesel::sql_types::{BigInt, Binary, Nullable};

/// Claims a free key. On `PostgreSQL`, concurrent claims wait for the first one's row, then match no row.
const CLAIM: &str = "INSERT INTO idempotent_answer (client_id, key_hash, content_hash, claimed_at)
    VALUES (?, ?, ?, ?)
    ON CONFLICT (client_id, key_hash) DO UPDATE
    SET content_hash = excluded.content_hash, claimed_at = excluded.claimed_at, status = NULL, body = NULL
    WHERE (idempotent_answer.status IS NULL AND idempotent_answer.claimed_at < ?)
        OR idempotent_answer.claimed_at < ?";

/// On `PostgreSQL`, skips locked answers; a later run deletes them.
const DELETE_BEFORE: [&str; 2] = [
    "DELETE FROM idempotent_answer WHERE ctid = ANY (ARRAY (SELECT ctid FROM idempotent_answer
        WHERE claimed_at < ? ORDER BY claimed_at LIMIT ? FOR UPDATE SKIP LOCKED))",
    "DELETE FROM idempotent_answer WHERE (client_id, key_hash) IN (SELECT client_id, key_hash
        FROM idempotent_answer WHERE claimed_at < ? ORDER BY claimed_at LIMIT ?)",
];

/// Number of attempts to claim a key while other requests release theirs.
const MAX_TRIES: u8 = 5;

/// Claims a key.
pub async fn claim(
    store: &impl Store,
    request: IdempotentRequest,
    now: DateTime<Utc>,
    abandoned_before: DateTime<Utc>,
    expired_before: DateTime<Utc>,
) -> Result<Claim, StorageError> {
    let IdempotentRequest { client_id, key, content } = request;
    for _ in 0..MAX_TRIES {
        let query: Raw = Raw::same(CLAIM)
            .bind(client_id.cell())
            .blob(&key)
            .blob(&content)
            .bind(now.cell())
            .bind(abandoned_before.cell())
            .bind(expired_before.cell());
        if store.change(query).await? > 0 {
            return Ok(Claim::Acquired);
        }
        // The row is missing if its owner released it in the meantime; the key is free then.
        if let Some(claim) = unclaimable_state(store, request).await? {
            return Ok(claim);
        }
    }
    Ok(Claim::Busy)
}

/// Hash of the request's content, status and body.
type AnswerRow = (Vec<u8>, Option<i64>, Option<Vec<u8>>);

/// Returns the state of a key that could not be claimed.
async fn unclaimable_state(
    store: &impl Store,
    IdempotentRequest { client_id, key, content }: IdempotentRequest,
) -> Result<Option<Claim>, StorageError> {
    let query: Raw<(Binary, Nullable<BigInt>, Nullable<Binary>)> = Raw::same(
        "SELECT content_hash, CAST(status AS bigint), body FROM idempotent_answer
        WHERE client_id = ? AND key_hash = ?",
    );
    // The body may be long, which would delay the readers of single rows.
    let rows: Vec<AnswerRow> = store.load_rows(query.bind(client_id.cell()).blob(&key)).await?;
    let Some((stored_content, status, body)) = rows.into_iter().next() else { return Ok(None) };
    if stored_content != content {
        return Ok(Some(Claim::OtherContent));
    }
    let (Some(status), Some(body)) = (status, body) else { return Ok(Some(Claim::Busy)) };
    let status = Cells("idempotent_answer", &client_id).parse("status", status)?;
    Ok(Some(Claim::Completed(StoredResponse { status, body })))
}

/// Runs a statement on this request's open claim; returns whether there is one. A late response to an
/// abandoned claim must not be stored for another request that claimed the key since; if the same request
/// claimed it again, the first response stays.
async fn change_open(
    store: &impl Store,
    request: IdempotentRequest,
    statement: Raw,
) -> Result<bool, StorageError> {
    let IdempotentRequest { client_id, key, content } = request;
    let query =
        statement.sql(" WHERE client_id = ? AND key_hash = ? AND content_hash = ? AND status IS NULL");
    Ok(store.change(query.bind(client_id.cell()).blob(&key).blob(&content)).await? > 0)
}

/// Renews an open claim. A process whose clock is behind does not make a claim older.
pub async fn renew(
    store: &impl Store,
    request: IdempotentRequest,
    now: DateTime<Utc>,
) -> Result<bool, StorageError> {
    let statement = Raw::same("UPDATE idempotent_answer SET claimed_at = ")
        .sql_of(["greatest", "max"])
        .sql("(claimed_at, ?)");
    change_open(store, request, statement.bind(now.cell())).await
}

/// Stores the response to a claimed request.
pub async fn keep(
    store: &impl Store,
    request: IdempotentRequest,
    answer: &StoredResponse,
) -> Result<(), StorageError> {
    let StoredResponse { status, body } = answer;
    let statement = Raw::same("UPDATE idempotent_answer SET status = ?, body = ?");
    change_open(store, request, statement.bind(status.cell()).blob(body)).await.map(drop)
}

/// Releases a claim.
pub async fn release(store: &impl Store, request: IdempotentRequest) -> Result<(), StorageError> {
    change_open(store, request, Raw::same("DELETE FROM idempotent_answer")).await.map(drop)
}

/// Deletes responses from before a time.
pub async fn delete_before(
    store: &impl Store,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<u64, StorageError> {
    store.change(Raw::<()>::new(DELETE_BEFORE).bind(before.cell()).bind(i64::from(limit))).await
}
