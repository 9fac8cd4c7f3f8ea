//! Reads of imports for lists and pages.

use super::row::ImportRow;
use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::import::{self, dsl};
use crate::schema::{import_change, import_part};
use crate::store::SqliteStore;
use application::ports::storage::{Import, ImportReader, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::Binary;
use diesel::sqlite::{Sqlite, SqliteConnection};
use domain::id::{ImportId, SleepSessionId, UserId};
use store_shared::Raw;

pub(super) fn find(connection: &mut SqliteConnection, id: Vec<u8>) -> Result<Option<Import>, StorageError> {
    let row: Option<ImportRow> =
        import::table.find(id).select(ImportRow::as_select()).first(connection).optional().storage()?;
    row.map(ImportRow::into_import).transpose()
}

pub(super) fn list(
    connection: &mut SqliteConnection,
    user_id: Option<UserId>,
    after: Option<(DateTime<Utc>, ImportId)>,
    limit: u32,
) -> Result<Vec<Import>, StorageError> {
    let mut imports = dsl::import.select(ImportRow::as_select()).into_boxed::<Sqlite>();
    if let Some(user_id) = user_id {
        imports = imports.filter(dsl::user_id.eq(blob(user_id.as_uuid())));
    }
    if let Some((at, id)) = after {
        // The first condition lets the index be used; the second breaks ties between equal start times.
        imports = imports
            .filter(dsl::started_at.le(micros(at)))
            .filter(dsl::started_at.lt(micros(at)).or(dsl::id.lt(blob(id.as_uuid()))));
    }
    let rows: Vec<ImportRow> = imports
        .order((dsl::started_at.desc(), dsl::id.desc()))
        .limit(i64::from(limit))
        .load(connection)
        .storage()?;
    rows.into_iter().map(ImportRow::into_import).collect()
}

#[async_trait]
impl ImportReader for SqliteStore {
    async fn find_import(&self, id: ImportId) -> Result<Option<Import>, StorageError> {
        self.read(move |connection| find(connection, blob(id.as_uuid()))).await
    }

    async fn list_imports(
        &self,
        user_id: Option<UserId>,
        after: Option<(DateTime<Utc>, ImportId)>,
        limit: u32,
    ) -> Result<Vec<Import>, StorageError> {
        self.read(move |connection| list(connection, user_id, after, limit)).await
    }

    async fn has_notes(&self, id: ImportId) -> Result<bool, StorageError> {
        self.read(move |connection| {
            let notes = import_change::table.filter(import_change::import_id.eq(blob(id.as_uuid())));
            diesel::select(exists(notes)).get_result(connection).storage()
        })
        .await
    }

    async fn find_import_of_session(
        &self,
        user_id: UserId,
        id: SleepSessionId,
    ) -> Result<Option<ImportId>, StorageError> {
        self.read(move |connection| {
            let statement: Raw<Binary> = Raw::same(
                "SELECT import_id FROM import_change WHERE record_id = ? AND kind = 'session' AND user_id = ? \
                 AND version_left IS NOT NULL ORDER BY sequence DESC LIMIT 1",
            )
            .blob(id.as_uuid().as_bytes())
            .blob(user_id.as_uuid().as_bytes());
            let found: Option<Vec<u8>> = statement.get_result(connection).optional().storage()?;
            let record = blob(id.as_uuid());
            let cells = Cells::new("import_change", &record);
            found.map(|found| cells.uuid("import_id", &found).map(ImportId::from_uuid)).transpose()
        })
        .await
    }

    async fn find_upload_part(&self, id: ImportId, position: u32) -> Result<Option<Vec<u8>>, StorageError> {
        self.read(move |connection| {
            let part = import_part::table.find((blob(id.as_uuid()), i64::from(position)));
            part.select(import_part::bytes).first(connection).optional().storage()
        })
        .await
    }
}
