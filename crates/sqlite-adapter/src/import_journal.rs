//! Notes of the changes made by each import.

use crate::error::StorageResult as _;
use crate::row::blob;
use crate::statement::execute;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Binary, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use domain::id::{ImportId, UserId};
use store_shared::column::{Held as _, Id};
use store_shared::{Note, Raw, StoreNotes};
use uuid::Uuid;

#[async_trait]
impl StoreNotes for SqliteUnitOfWork {
    async fn store_notes(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        notes: Vec<Note>,
    ) -> Result<(), StorageError> {
        self.run(move |connection| {
            let (import_id, user_id) = (blob(id.as_uuid()), user_id.map(|id| blob(id.as_uuid())));
            notes.iter().try_for_each(|note| {
                let statement = NoteStatement { import_id: &import_id, user_id: user_id.as_deref(), note };
                statement.execute(connection).storage().map(drop)
            })
        })
        .await
    }

    async fn delete_notes(
        &mut self,
        id: ImportId,
        records: Vec<(&'static str, Uuid)>,
    ) -> Result<(), StorageError> {
        const DELETE: &str = "DELETE FROM import_change WHERE record_id = ? AND kind = ? AND import_id = ?";

        self.run(move |connection| {
            records.into_iter().try_for_each(|(kind, record)| {
                let query: Raw = Raw::same(DELETE).bind(record.cell()).text(kind).bind(id.cell());
                execute(query)(connection).map(drop)
            })
        })
        .await
    }

    async fn delete_notes_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let query: Raw = Raw::same(
            "DELETE FROM import_change WHERE sequence IN (SELECT sequence FROM import_change WHERE import_id IN \
             (SELECT id FROM import WHERE ended_at < ? AND state <> 'undoing' UNION ALL SELECT id FROM import \
             WHERE state = 'running' AND started_at < ? AND coalesce(updated_at, started_at) < ?) LIMIT ?)",
        )
        .bind(before.cell())
        .bind(before.cell())
        .bind(before.cell())
        .bind(i64::from(limit));
        self.run(execute(query)).await
    }
}

/// Insert statement with a constant text, so that it stays prepared by its type: imports store very many
/// notes.
struct NoteStatement<'a> {
    import_id: &'a [u8],
    user_id: Option<&'a [u8]>,
    note: &'a Note,
}

impl QueryFragment<Sqlite> for NoteStatement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        let Note { kind, record, before, found, left, replaced_by } = self.note;
        out.push_sql(
            "INSERT INTO import_change (import_id, kind, record_id, user_id, before, version_found, version_left, \
             replaced_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
             ON CONFLICT (record_id, kind, import_id) DO UPDATE SET \
             sequence = (SELECT max(sequence) + 1 FROM import_change), \
             before = CASE WHEN version_left IS excluded.version_found THEN before ELSE excluded.before END, \
             version_found = \
             CASE WHEN version_left IS excluded.version_found THEN version_found ELSE excluded.version_found END, \
             version_left = excluded.version_left, replaced_by = excluded.replaced_by",
        );
        out.push_bind_param_value_only::<Binary, _>(self.import_id)?;
        out.push_bind_param_value_only::<Text, _>(*kind)?;
        out.push_bind_param_value_only::<Id, _>(record)?;
        out.push_bind_param_value_only::<Nullable<Binary>, _>(&self.user_id)?;
        out.push_bind_param_value_only::<Nullable<Text>, _>(before)?;
        out.push_bind_param_value_only::<Nullable<Binary>, _>(found)?;
        out.push_bind_param_value_only::<Nullable<Binary>, _>(left)?;
        out.push_bind_param_value_only::<Nullable<Id>, _>(replaced_by)
    }
}

impl QueryId for NoteStatement<'_> {
    type QueryId = NoteStatement<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl RunQueryDsl<SqliteConnection> for NoteStatement<'_> {}

#[cfg(test)]
mod tests;
