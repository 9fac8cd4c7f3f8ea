//! Changes made by each import, kept until they are undone or expire.

use crate::connection::Pooled;
use crate::error::corrupt;
use crate::savepoint;
use crate::statement::returning;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{
    ImportChange, ImportJournal, JournalEntry, JournalPosition, RecordReference, RecordVersion, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::id::{ImportId, SleepSessionId, UserId};
use store_shared::{parse_record, read_before, record_parts, write_before};
use uuid::Uuid;

const TABLE: &str = "import_change";

#[async_trait]
impl ImportJournal for PgUnitOfWork {
    async fn note(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError> {
        note(self.connection()?, id, user_id, &JournalRows::from_changes(changes)?).await
    }

    async fn list_entries(
        &mut self,
        id: ImportId,
        after: Option<JournalPosition>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StorageError> {
        const LIST_ENTRIES: &str =
            "SELECT c.kind, c.record_id, c.before::text, c.version_left, c.replaced_by, c.sequence, (
                SELECT o.import_id FROM import_change o
                WHERE o.record_id = c.record_id AND o.kind = c.kind AND o.sequence > c.sequence
                    AND (c.kind = 'label' OR o.user_id = c.user_id)
                ORDER BY o.sequence DESC LIMIT 1
            )
            FROM import_change c WHERE c.import_id = $1 AND ((c.kind <> 'label'), c.sequence) < ($2, $3)
            ORDER BY (c.kind <> 'label') DESC, c.sequence DESC LIMIT $4";

        let after = after.unwrap_or(JournalPosition { is_label: false, sequence: i64::MAX });
        let query = sql_query(LIST_ENTRIES)
            .bind::<SqlUuid, _>(id.as_uuid())
            .bind::<Bool, _>(!after.is_label)
            .bind::<BigInt, _>(after.sequence)
            .bind::<BigInt, _>(i64::from(limit));
        let query = returning::<JournalColumns, _>(query);
        self.connection()?.load_rows(query).await?.into_iter().map(journal_entry).collect()
    }

    async fn forget(&mut self, id: ImportId, records: &[RecordReference]) -> Result<(), StorageError> {
        const FORGET: &str = "DELETE FROM import_change c USING unnest($2, $3) AS r (kind, record_id)
            WHERE c.record_id = r.record_id AND c.kind = r.kind AND c.import_id = $1";

        let (kinds, ids): (Vec<&str>, Vec<Uuid>) = records.iter().map(|record| record_parts(*record)).unzip();
        let query = sql_query(FORGET)
            .bind::<SqlUuid, _>(id.as_uuid())
            .bind::<Array<Text>, _>(kinds)
            .bind::<Array<SqlUuid>, _>(ids);
        self.connection()?.execute(returning::<(), _>(query)).await.map(drop)
    }

    async fn forget_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        forget_profile_changes_before(self.connection()?, before).await?;
        forget_before(self.connection()?, before, limit).await
    }
}

/// Notes as one list per column.
#[derive(Clone, Default)]
struct JournalRows {
    kinds: Vec<&'static str>,
    records: Vec<Uuid>,
    befores: Vec<Option<String>>,
    found: Vec<Option<Vec<u8>>>,
    left: Vec<Option<Vec<u8>>>,
    replaced_by: Vec<Option<Uuid>>,
}

impl JournalRows {
    fn from_changes(changes: &[ImportChange]) -> Result<Self, StorageError> {
        let mut notes = Self::default();
        for ImportChange { record, before, left, replaced_by } in changes {
            let (kind, record) = record_parts(*record);
            notes.kinds.push(kind);
            notes.records.push(record);
            notes.befores.push(before.as_ref().map(write_before).transpose()?);
            notes.found.push(before.as_ref().map(|before| before.version().as_bytes().to_vec()));
            notes.left.push(left.map(|left| left.as_bytes().to_vec()));
            notes.replaced_by.push(replaced_by.map(|id| id.as_uuid()));
        }
        Ok(notes)
    }
}

async fn note(
    connection: &mut Pooled,
    id: ImportId,
    user_id: Option<UserId>,
    notes: &JournalRows,
) -> Result<(), StorageError> {
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

    if notes.records.is_empty() {
        return Ok(());
    }
    let statement = |text: String| {
        let JournalRows { kinds, records, befores, found, left, replaced_by } = notes.clone();
        let query = sql_query(text)
            .bind::<SqlUuid, _>(id.as_uuid())
            .bind::<Nullable<SqlUuid>, _>(user_id.map(|id| id.as_uuid()))
            .bind::<Array<Text>, _>(kinds)
            .bind::<Array<SqlUuid>, _>(records)
            .bind::<Array<Nullable<Text>>, _>(befores)
            .bind::<Array<Nullable<Binary>>, _>(found)
            .bind::<Array<Nullable<Binary>>, _>(left)
            .bind::<Array<Nullable<SqlUuid>>, _>(replaced_by);
        returning::<(), _>(query)
    };
    // An import rarely adds a record twice, and a search for that costs as much as the note.
    if notes.records.len() > 1 && notes.befores.iter().all(Option::is_none) {
        savepoint::open(connection).await?;
        let inserted = statement(ALL.to_owned()).execute(connection).await;
        if savepoint::close_unless_violated(connection, inserted).await? {
            return Ok(());
        }
    }
    connection.execute(statement(format!("{ALL}{UNLESS_NOTED}"))).await.map(drop)
}

/// Kind, record, previous state, version left, replacing session, sequence, latest import of the record.
type JournalColumns =
    (Text, SqlUuid, Nullable<Text>, Nullable<Binary>, Nullable<SqlUuid>, BigInt, Nullable<SqlUuid>);
type JournalRow = (String, Uuid, Option<String>, Option<Vec<u8>>, Option<Uuid>, i64, Option<Uuid>);

fn journal_entry(row: JournalRow) -> Result<JournalEntry, StorageError> {
    let (kind, id, before, left, replaced_by, sequence, later) = row;
    let record = parse_record(&kind, id).ok_or(()).map_err(corrupt(TABLE, "kind", id))?;
    let left = left.map(<[u8; 16]>::try_from).transpose();
    let before = before.map(|json| read_before(record, &json).ok_or(())).transpose();
    let change = ImportChange {
        record,
        before: before.map_err(corrupt(TABLE, "before", id))?,
        left: left.map_err(corrupt(TABLE, "version_left", id))?.map(RecordVersion::from_bytes),
        replaced_by: replaced_by.map(SleepSessionId::from_uuid),
    };
    let place = JournalPosition { is_label: matches!(record, RecordReference::Label(_)), sequence };
    Ok(JournalEntry { change, place, changed_by: later.map(ImportId::from_uuid) })
}

async fn forget_before(
    connection: &mut Pooled,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<u64, StorageError> {
    /// Searches the notes of each import that ended or was aborted; otherwise the planner may scan all notes.
    const FORGET: &str = "DELETE FROM import_change WHERE ctid = ANY (ARRAY (
        SELECT n.place FROM (
            SELECT id FROM import WHERE ended_at < $1 AND state <> 'undoing'
            UNION ALL
            SELECT id FROM import
            WHERE state = 'running' AND started_at < $1 AND coalesce(updated_at, started_at) < $1
        ) AS i
        CROSS JOIN LATERAL (
            SELECT c.ctid AS place FROM import_change c WHERE c.import_id = i.id LIMIT $2 FOR UPDATE SKIP LOCKED
        ) AS n LIMIT $2))";

    let query = sql_query(FORGET).bind::<Timestamptz, _>(before).bind::<BigInt, _>(i64::from(limit));
    connection.execute(returning::<(), _>(query)).await
}

/// Deletes the profile changes of imports whose notes are deleted.
async fn forget_profile_changes_before(
    connection: &mut Pooled,
    before: DateTime<Utc>,
) -> Result<(), StorageError> {
    const FORGET: &str = "UPDATE import SET profile_changes = NULL WHERE id = ANY (ARRAY (
        SELECT id FROM import WHERE profile_changes IS NOT NULL AND started_at < $1
        AND ((ended_at < $1 AND state <> 'undoing')
            OR (state = 'running' AND coalesce(updated_at, started_at) < $1))
        FOR UPDATE SKIP LOCKED))";

    let query = sql_query(FORGET).bind::<Timestamptz, _>(before);
    connection.execute(returning::<(), _>(query)).await.map(drop)
}
