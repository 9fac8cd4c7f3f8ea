//! Queues events in the transaction that they are about.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use store_shared::Raw;

/// A time that failed attempts postponed the event to stays, and so does the time of an earlier change that
/// the endpoint was not notified of.
const RECORDS_CHANGED: &str = "INSERT INTO webhook_event (user_id, endpoint_id, kind, number, announced, failed, due_at) \
     SELECT DISTINCT g.user_id, e.id, 'records.changed', ?, ?, 0, 0 \
     FROM access_grant g JOIN webhook_endpoint e ON e.client_id = g.client_id \
     WHERE g.user_id = ? AND g.revoked_at IS NULL \
     ON CONFLICT (user_id, endpoint_id, kind) DO UPDATE \
     SET number = excluded.number, due_at = coalesce(webhook_event.due_at, excluded.due_at), \
         occurred_at = CASE WHEN webhook_event.announced < webhook_event.number \
             THEN webhook_event.occurred_at ELSE excluded.occurred_at END";

const PERSON_ERASED: &str = "INSERT INTO webhook_event (user_id, endpoint_id, kind, number, announced, failed, due_at) \
     SELECT DISTINCT g.user_id, e.id, 'person.erased', ?, 0, 0, 0 \
     FROM access_grant g JOIN webhook_endpoint e ON e.client_id = g.client_id \
     WHERE g.user_id = ? AND g.revoked_at IS NULL";

/// Events and deliveries that would outlive an erased person.
const FORGET: [&str; 2] = [
    "DELETE FROM webhook_event WHERE user_id = ? AND kind = 'records.changed'",
    "DELETE FROM webhook_delivery WHERE user_id = ?",
];

/// Queues events about the change with this number for the clients that have a live grant.
pub(crate) fn announce_change(
    connection: &mut SqliteConnection,
    user_id: &[u8],
    number: i64,
) -> QueryResult<()> {
    let statement: Raw<()> =
        Raw::same(RECORDS_CHANGED).bind(number).bind(number.saturating_sub(1)).blob(user_id);
    statement.execute(connection).map(drop)
}

/// Queues events about an erasure, before the grants are deleted, and deletes what else names the person.
pub(crate) fn announce_erasure(
    connection: &mut SqliteConnection,
    user_id: &[u8],
    at: DateTime<Utc>,
) -> QueryResult<()> {
    let statement: Raw<()> = Raw::same(PERSON_ERASED).bind(at.timestamp_micros()).blob(user_id);
    statement.execute(connection)?;
    for statement in FORGET {
        Raw::<()>::same(statement).blob(user_id).execute(connection)?;
    }
    Ok(())
}
