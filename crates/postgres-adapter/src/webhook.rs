//! Queues events in the transaction that they are about.

use crate::connection::Pooled;
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::sql_query;
use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use domain::id::UserId;
use uuid::Uuid;

const ENDPOINTS: &str = "SELECT DISTINCT e.id
    FROM access_grant g JOIN webhook_endpoint e ON e.client_id = g.client_id
    WHERE g.user_id = $1 AND g.revoked_at IS NULL";

/// A time that failed attempts postponed the event to stays, and so does the time of an earlier change that
/// the endpoint was not notified of. One statement with [`ENDPOINTS`] would run on every shard of Citus.
const RECORDS_CHANGED: &str =
    "INSERT INTO webhook_event (user_id, endpoint_id, kind, number, announced, failed, due_at)
    VALUES ($1, $2, 'records.changed', $3, $3 - 1, 0, to_timestamp(0))
    ON CONFLICT (user_id, endpoint_id, kind) DO UPDATE
    SET number = excluded.number, due_at = coalesce(webhook_event.due_at, excluded.due_at),
        occurred_at = CASE WHEN webhook_event.announced < webhook_event.number
            THEN webhook_event.occurred_at ELSE excluded.occurred_at END";

const PERSON_ERASED: &str =
    "INSERT INTO webhook_event (user_id, endpoint_id, kind, number, announced, failed, due_at)
    SELECT g.user_id, e.id, 'person.erased', $2, 0, 0, to_timestamp(0)
    FROM access_grant g JOIN webhook_endpoint e ON e.client_id = g.client_id
    WHERE g.user_id = $1 AND g.revoked_at IS NULL GROUP BY g.user_id, e.id";

/// Events and deliveries that would outlive an erased person.
const FORGET: [&str; 2] = [
    "DELETE FROM webhook_event WHERE user_id = $1 AND kind = 'records.changed'",
    "DELETE FROM webhook_delivery WHERE user_id = $1",
];

impl PgUnitOfWork {
    /// Queues events about the change with this number for the clients that have a live grant.
    pub(crate) async fn announce_change(&mut self, user_id: UserId, number: i64) -> Result<(), StorageError> {
        let query = sql_query(ENDPOINTS).bind::<SqlUuid, _>(user_id.as_uuid());
        let endpoints: Vec<Uuid> = self.connection()?.load_rows(returning::<SqlUuid, _>(query)).await?;
        for endpoint in endpoints {
            let query = sql_query(RECORDS_CHANGED)
                .bind::<SqlUuid, _>(user_id.as_uuid())
                .bind::<SqlUuid, _>(endpoint)
                .bind::<BigInt, _>(number);
            self.connection()?.execute(returning::<(), _>(query)).await?;
        }
        Ok(())
    }
}

/// Queues events about an erasure, before the grants are deleted, and deletes what else names the person.
pub(crate) async fn announce_erasure(
    connection: &mut Pooled,
    user_id: UserId,
    at: DateTime<Utc>,
) -> Result<(), StorageError> {
    let query = sql_query(PERSON_ERASED)
        .bind::<SqlUuid, _>(user_id.as_uuid())
        .bind::<BigInt, _>(at.timestamp_micros());
    connection.execute(returning::<(), _>(query)).await?;
    for statement in FORGET {
        let query = sql_query(statement).bind::<SqlUuid, _>(user_id.as_uuid());
        connection.execute(returning::<(), _>(query)).await?;
    }
    Ok(())
}
