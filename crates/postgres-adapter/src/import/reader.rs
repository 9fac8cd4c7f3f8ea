//! Reads of imports for lists and pages.

use super::row::ImportRow;
use super::upload::column_position;
use crate::connection::Pooled;
use crate::schema::{import, import_change, import_part};
use crate::store::PostgresStore;
use application::ports::storage::{Import, ImportReader, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::{exists, sql};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::id::{ImportId, SleepSessionId, UserId};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use uuid::Uuid;

pub(super) fn list(
    connection: &mut Pooled,
    user_id: Option<UserId>,
    after: Option<(DateTime<Utc>, ImportId)>,
    limit: u32,
) -> BoxFuture<'_, QueryResult<Vec<ImportRow>>> {
    let mut query = import::table
        .order((import::started_at.desc(), import::id.desc()))
        .limit(i64::from(limit))
        .select(ImportRow::as_select())
        .into_boxed();
    if let Some(user_id) = user_id {
        query = query.filter(import::user_id.eq(user_id.as_uuid()));
    }
    if let Some((at, id)) = after {
        // A row comparison lets the scan enter the index at this position.
        query = query.filter(
            sql::<Bool>("(started_at, id) < (")
                .bind::<Timestamptz, _>(at)
                .sql(", ")
                .bind::<SqlUuid, _>(id.as_uuid())
                .sql(")"),
        );
    }
    query.load(connection).boxed()
}

#[async_trait]
impl ImportReader for PostgresStore {
    async fn find_import(&self, id: ImportId) -> Result<Option<Import>, StorageError> {
        let row: Option<ImportRow> =
            self.read_row(move || import::table.find(id.as_uuid()).select(ImportRow::as_select())).await?;
        row.map(ImportRow::into_import).transpose()
    }

    async fn list_imports(
        &self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError> {
        let rows = self.read_page(move |connection| list(connection, user_id, after, limit)).await?;
        rows.into_iter().map(ImportRow::into_import).collect()
    }

    async fn has_notes(&self, id: ImportId) -> Result<bool, StorageError> {
        self.shared(move |mut connection| {
            let notes = import_change::table.filter(import_change::import_id.eq(id.as_uuid()));
            async move { diesel::select(exists(notes)).get_result(&mut connection).await }.boxed()
        })
        .await
    }

    async fn find_import_of_session(
        &self,
        user_id: UserId,
        id: SleepSessionId,
    ) -> Result<Option<ImportId>, StorageError> {
        let found: Option<Uuid> = self
            .read_row(move || {
                import_change::table
                    .filter(import_change::record_id.eq(id.as_uuid()))
                    .filter(import_change::kind.eq("session"))
                    .filter(import_change::user_id.eq(user_id.as_uuid()))
                    .filter(import_change::version_left.is_not_null())
                    .order(import_change::sequence.desc())
                    .select(import_change::import_id)
            })
            .await?;
        Ok(found.map(ImportId::from_uuid))
    }

    async fn find_upload_part(&self, id: ImportId, position: u32) -> Result<Option<Vec<u8>>, StorageError> {
        let key = (id.as_uuid(), column_position(position)?);
        self.read_page(move |connection| {
            let part = import_part::table.find(key).select(import_part::bytes);
            async move { part.first(connection).await.optional() }.boxed()
        })
        .await
    }
}
