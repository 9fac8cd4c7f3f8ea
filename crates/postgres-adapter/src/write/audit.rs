//! The audit trail.

use super::count;
use crate::error::storage_error;
use crate::row::EventRow;
use crate::schema::audit_event as event;
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
