//! The audit trail, read.

use crate::error::storage_error;
use crate::row::{EventRow, lower_bound, upper_bound};
use crate::schema::audit_event as event;
use crate::store::PostgresStore;
use application::ports::storage::{AuditFilter, AuditPosition, AuditReader, StorageError};
use async_trait::async_trait;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::audit::AuditEvent;

#[async_trait]
impl AuditReader for PostgresStore {
    async fn list_events(
        &self,
        filter: AuditFilter,
        after: Option<AuditPosition>,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        let AuditFilter { user_id, client_id, kinds, since } = filter;
        let mut query = event::table
            .order((event::at.desc(), event::id.desc()))
            .limit(i64::from(limit))
            .select(EventRow::as_select())
            .into_boxed();
        if let Some(user_id) = user_id {
            query = query.filter(event::user_id.eq(user_id.as_uuid()));
        }
        if let Some(client_id) = client_id {
            query = query.filter(event::client_id.eq(client_id.as_uuid()));
        }
        if let Some(kinds) = kinds {
            query = query.filter(event::kind.eq_any(kinds.iter().map(|kind| kind.as_str())));
        }
        if let Some(since) = since {
            query = query.filter(event::at.ge(lower_bound(Some(since))));
        }
        if let Some((at, id)) = after {
            // Compared as a row, which makes it the point where the scan enters the index.
            query = query.filter(
                sql::<Bool>("(at, id) < (")
                    .bind::<Timestamptz, _>(upper_bound(Some(at)))
                    .sql(", ")
                    .bind::<SqlUuid, _>(id.as_uuid())
                    .sql(")"),
            );
        }
        let rows: Vec<EventRow> = query.load(&mut self.pooled().await?).await.map_err(storage_error)?;
        rows.into_iter().map(EventRow::into_event).collect()
    }
}
