//! Notes of the changes made by each import.

use crate::savepoint;
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, Binary, Nullable, Text};
use diesel_async::RunQueryDsl;
use domain::id::{ImportId, UserId};
use store_shared::column::Id;
use store_shared::{Note, StoreNotes};
use uuid::Uuid;

const ALL: &str = "INSERT INTO import_change AS known
        (import_id, kind, record_id, user_id, before, version_found, version_left, replaced_by)
    SELECT $1, n.kind, n.record_id, $2, n.before::json, n.version_found, n.version_left, n.replaced_by
    FROM unnest($3, $4, $5, $6, $7, $8) WITH ORDINALITY
        AS n (kind, record_id, before, version_found, version_left, replaced_by, place) ORDER BY n.place";
const UNLESS_NOTED: &str = " ON CONFLICT (record_id, kind, import_id) DO UPDATE SET sequence = DEFAULT,
    before = CASE WHEN known.version_left IS NOT DISTINCT FROM excluded.version_found
        THEN known.before ELSE excluded.before END,
    version_found = CASE WHEN known.version_left IS NOT DISTINCT FROM excluded.version_found
        THEN known.version_found ELSE excluded.version_found END,
    version_left = excluded.version_left, replaced_by = excluded.replaced_by";

const DELETE: &str = "DELETE FROM import_change c USING unnest($2, $3) AS r (kind, record_id)
    WHERE c.record_id = r.record_id AND c.kind = r.kind AND c.import_id = $1";

/// Searches the notes of each import that ended or was aborted; otherwise the planner may scan all notes.
const DELETE_BEFORE: &str = "DELETE FROM import_change WHERE ctid = ANY (ARRAY (
    SELECT n.place FROM (
        SELECT id FROM import WHERE ended_at < $1 AND state <> 'undoing'
        UNION ALL
        SELECT id FROM import
        WHERE state = 'running' AND started_at < $1 AND coalesce(updated_at, started_at) < $1
    ) AS i
    CROSS JOIN LATERAL (
        SELECT c.ctid AS place FROM import_change c WHERE c.import_id = i.id LIMIT $2 FOR UPDATE SKIP LOCKED
    ) AS n LIMIT $2))";

/// Returns one column of the notes.
fn column<'a, T>(notes: &'a [Note], value: impl Fn(&'a Note) -> T) -> Vec<T> {
    notes.iter().map(value).collect()
}

#[async_trait]
impl StoreNotes for PgUnitOfWork {
    async fn store_notes(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        notes: Vec<Note>,
    ) -> Result<(), StorageError> {
        if notes.is_empty() {
            return Ok(());
        }
        let connection = self.connection()?;
        let statement = |text: String| {
            let query = sql_query(text)
                .bind::<SqlUuid, _>(id.as_uuid())
                .bind::<Nullable<SqlUuid>, _>(user_id.map(|id| id.as_uuid()))
                .bind::<Array<Text>, _>(column(&notes, |note| note.kind))
                .bind::<Array<Id>, _>(column(&notes, |note| note.record))
                .bind::<Array<Nullable<Text>>, _>(column(&notes, |note| note.before.as_deref()))
                .bind::<Array<Nullable<Binary>>, _>(column(&notes, |note| note.found.as_deref()))
                .bind::<Array<Nullable<Binary>>, _>(column(&notes, |note| note.left.as_deref()))
                .bind::<Array<Nullable<Id>>, _>(column(&notes, |note| note.replaced_by));
            returning::<(), _>(query)
        };
        // An import rarely adds a record twice, and a search for that costs as much as the note.
        if notes.len() > 1 && notes.iter().all(|note| note.before.is_none()) {
            savepoint::open(connection).await?;
            let inserted = statement(ALL.to_owned()).execute(connection).await;
            if savepoint::close_unless_violated(connection, inserted).await? {
                return Ok(());
            }
        }
        connection.execute(statement(format!("{ALL}{UNLESS_NOTED}"))).await.map(drop)
    }

    async fn delete_notes(
        &mut self,
        id: ImportId,
        records: Vec<(&'static str, Uuid)>,
    ) -> Result<(), StorageError> {
        let (kinds, ids): (Vec<&str>, Vec<Uuid>) = records.into_iter().unzip();
        let query = sql_query(DELETE)
            .bind::<SqlUuid, _>(id.as_uuid())
            .bind::<Array<Text>, _>(kinds)
            .bind::<Array<SqlUuid>, _>(ids);
        self.connection()?.execute(returning::<(), _>(query)).await.map(drop)
    }

    async fn delete_notes_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?.delete_before(DELETE_BEFORE, before, limit).await
    }
}
