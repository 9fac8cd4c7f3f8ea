//! The audit trail.

use super::count;
use crate::error::storage_error;
use crate::row::EventRow;
use crate::schema::audit_event as event;
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{AuditRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_query;
use diesel::sql_types::{BigInt, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::audit::AuditEvent;

/// Skips events that somebody else deletes at the moment.
const DELETE_BEFORE: &str = "DELETE FROM audit_event WHERE id IN (
    SELECT id FROM audit_event WHERE at < $1 ORDER BY at, id LIMIT $2 FOR UPDATE SKIP LOCKED)";

/// `KEY SHARE` keeps the person from being erased, and waits for nobody who writes their data.
const APPEND_ONCE_OF_PERSON: &str = "WITH person AS (SELECT id FROM account WHERE id = $5 FOR KEY SHARE)
    INSERT INTO audit_event
        (id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes)
    SELECT $1, $2, $3, $4, id, $6, $7, $8, $9, $10 FROM person
    WHERE NOT EXISTS (SELECT FROM audit_event WHERE user_id = $5 AND at >= $11 AND kind = $3 AND actor = $4
        AND client_id IS NOT DISTINCT FROM $6 AND subject IS NOT DISTINCT FROM $7)";

const APPEND_ONCE_OF_NOBODY: &str = "INSERT INTO audit_event
        (id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
    WHERE NOT EXISTS (SELECT FROM audit_event WHERE user_id IS NULL AND at >= $11 AND kind = $3 AND actor = $4
        AND client_id IS NOT DISTINCT FROM $6 AND subject IS NOT DISTINCT FROM $7)";

#[async_trait]
impl AuditRepository for PgUnitOfWork {
    async fn append(&mut self, event: &AuditEvent) -> Result<(), StorageError> {
        diesel::insert_into(event::table)
            .values(EventRow::from(event))
            .execute(self.connection()?)
            .await
            .map(|_| ())
            .map_err(storage_error)
    }

    async fn append_once(&mut self, event: &AuditEvent, since: DateTime<Utc>) -> Result<(), StorageError> {
        let text = if event.user_id.is_some() { APPEND_ONCE_OF_PERSON } else { APPEND_ONCE_OF_NOBODY };
        let statement = EventRow::from(event).bound_to(sql_query(text)).bind::<Timestamptz, _>(since);
        returning::<(), _>(statement).execute(self.connection()?).await.map(|_| ()).map_err(storage_error)
    }

    async fn delete_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        sql_query(DELETE_BEFORE)
            .bind::<Timestamptz, _>(before)
            .bind::<BigInt, _>(i64::from(limit))
            .execute(self.connection()?)
            .await
            .map(count)
            .map_err(storage_error)
    }
}
