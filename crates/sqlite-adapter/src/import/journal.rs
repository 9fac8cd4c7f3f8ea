//! Changes made by each import, kept until they are undone or expire.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::statement::execute;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{
    ImportChange, ImportJournal, JournalEntry, JournalPosition, RecordReference, RecordVersion, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use domain::id::{ImportId, SleepSessionId, UserId};
use store_shared::{Raw, parse_record, read_before, record_parts, write_before};

#[async_trait]
impl ImportJournal for SqliteUnitOfWork {
    async fn note(
        &mut self,
        id: ImportId,
        user_id: Option<UserId>,
        changes: &[ImportChange],
    ) -> Result<(), StorageError> {
        let notes: Result<Vec<NewJournalEntry>, StorageError> =
            changes.iter().map(NewJournalEntry::from_change).collect();
        let notes = notes?;
        self.run(move |connection| {
            let (import_id, user_id) = (blob(id.as_uuid()), user_id.map(|id| blob(id.as_uuid())));
            notes.iter().try_for_each(|note| {
                let statement = NoteStatement { import_id: &import_id, user_id: user_id.as_deref(), note };
                statement.execute(connection).storage().map(drop)
            })
        })
        .await
    }

    async fn list_entries(
        &mut self,
        id: ImportId,
        after: Option<JournalPosition>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StorageError> {
        self.run(move |connection| {
            let rows: Vec<JournalRow> = journal_statement(id, after, limit).load(connection).storage()?;
            rows.into_iter().map(journal_entry).collect()
        })
        .await
    }

    async fn forget(&mut self, id: ImportId, records: &[RecordReference]) -> Result<(), StorageError> {
        let records = records.to_vec();
        self.run(move |connection| {
            records.iter().try_for_each(|record| {
                let (kind, record_id) = record_parts(*record);
                let statement: Raw<()> =
                    Raw::same("DELETE FROM import_change WHERE record_id = ? AND kind = ? AND import_id = ?")
                        .blob(record_id.as_bytes())
                        .text(kind)
                        .blob(id.as_uuid().as_bytes());
                statement.execute(connection).storage().map(drop)
            })
        })
        .await
    }

    async fn forget_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(move |connection| {
            forget_profile_changes_before(connection, before)?;
            forget_before(connection, before, limit)
        })
        .await
    }
}

struct NewJournalEntry {
    kind: &'static str,
    record_id: Vec<u8>,
    before: Option<String>,
    found: Option<Vec<u8>>,
    left: Option<Vec<u8>>,
    replaced_by: Option<Vec<u8>>,
}

impl NewJournalEntry {
    fn from_change(change: &ImportChange) -> Result<Self, StorageError> {
        let ImportChange { record, before, left, replaced_by } = change;
        let (kind, record_id) = record_parts(*record);
        Ok(Self {
            kind,
            record_id: blob(record_id),
            before: before.as_ref().map(write_before).transpose()?,
            found: before.as_ref().map(|before| before.version().as_bytes().to_vec()),
            left: left.map(|left| left.as_bytes().to_vec()),
            replaced_by: replaced_by.map(|id| blob(id.as_uuid())),
        })
    }
}

/// Insert statement with a constant text, so that it stays prepared by its type: imports store very many
/// notes.
struct NoteStatement<'a> {
    import_id: &'a [u8],
    user_id: Option<&'a [u8]>,
    note: &'a NewJournalEntry,
}

impl QueryFragment<Sqlite> for NoteStatement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        let NewJournalEntry { kind, record_id, before, found, left, replaced_by } = self.note;
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
        out.push_bind_param_value_only::<Binary, _>(record_id)?;
        out.push_bind_param_value_only::<Nullable<Binary>, _>(&self.user_id)?;
        out.push_bind_param_value_only::<Nullable<Text>, _>(before)?;
        out.push_bind_param_value_only::<Nullable<Binary>, _>(found)?;
        out.push_bind_param_value_only::<Nullable<Binary>, _>(left)?;
        out.push_bind_param_value_only::<Nullable<Binary>, _>(replaced_by)
    }
}

impl QueryId for NoteStatement<'_> {
    type QueryId = NoteStatement<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl RunQueryDsl<SqliteConnection> for NoteStatement<'_> {}

/// Kind, record, previous state, version left, replacing session, sequence, latest import of the record.
type JournalSql =
    (Text, Binary, Nullable<Text>, Nullable<Binary>, Nullable<Binary>, BigInt, Nullable<Binary>);
type JournalRow = (String, Vec<u8>, Option<String>, Option<Vec<u8>>, Option<Vec<u8>>, i64, Option<Vec<u8>>);

fn journal_statement(id: ImportId, after: Option<JournalPosition>, limit: u32) -> Raw<JournalSql> {
    let after = after.unwrap_or(JournalPosition { is_label: false, sequence: i64::MAX });
    Raw::same(
        "SELECT c.kind, c.record_id, c.before, c.version_left, c.replaced_by, c.sequence, \
         (SELECT later.import_id FROM import_change AS later \
         WHERE later.record_id = c.record_id AND later.kind = c.kind AND later.sequence > c.sequence \
         AND (c.kind = 'label' OR later.user_id = c.user_id) ORDER BY later.sequence DESC LIMIT 1) \
         FROM import_change AS c WHERE c.import_id = ? AND (c.kind <> 'label', c.sequence) < (?, ?) \
         ORDER BY c.kind <> 'label' DESC, c.sequence DESC LIMIT ?",
    )
    .blob(id.as_uuid().as_bytes())
    .bind(i64::from(!after.is_label))
    .bind(after.sequence)
    .bind(i64::from(limit))
}

fn journal_entry(row: JournalRow) -> Result<JournalEntry, StorageError> {
    let (kind, record_id, before, left, replaced_by, sequence, later) = row;
    let cells = Cells::new("import_change", &record_id);
    let record = cells.present("kind", parse_record(&kind, cells.uuid("record_id", &record_id)?))?;
    let before = before.map(|json| cells.present("before", read_before(record, &json))).transpose()?;
    let left = left.map(|left| cells.valid("version_left", <[u8; 16]>::try_from(left))).transpose()?;
    let replaced_by = replaced_by.map(|id| cells.uuid("replaced_by", &id)).transpose()?;
    let change = ImportChange {
        record,
        before,
        left: left.map(RecordVersion::from_bytes),
        replaced_by: replaced_by.map(SleepSessionId::from_uuid),
    };
    let later = later.map(|id| cells.uuid("import_id", &id)).transpose()?;
    let place = JournalPosition { is_label: matches!(record, RecordReference::Label(_)), sequence };
    Ok(JournalEntry { change, place, changed_by: later.map(ImportId::from_uuid) })
}

fn forget_before(
    connection: &mut SqliteConnection,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<u64, StorageError> {
    let statement: Raw<()> = Raw::same(
        "DELETE FROM import_change WHERE sequence IN (SELECT sequence FROM import_change WHERE import_id IN \
         (SELECT id FROM import WHERE ended_at < ? AND state <> 'undoing' UNION ALL SELECT id FROM import \
         WHERE state = 'running' AND started_at < ? AND coalesce(updated_at, started_at) < ?) LIMIT ?)",
    )
    .bind(micros(before))
    .bind(micros(before))
    .bind(micros(before))
    .bind(i64::from(limit));
    execute(statement)(connection)
}

/// Deletes the profile changes of imports whose notes are deleted.
fn forget_profile_changes_before(
    connection: &mut SqliteConnection,
    before: DateTime<Utc>,
) -> Result<u64, StorageError> {
    let statement: Raw<()> = Raw::same(
        "UPDATE import SET profile_changes = NULL WHERE profile_changes IS NOT NULL AND started_at < ? AND \
         ((ended_at < ? AND state <> 'undoing') \
         OR (state = 'running' AND coalesce(updated_at, started_at) < ?))",
    )
    .bind(micros(before))
    .bind(micros(before))
    .bind(micros(before));
    execute(statement)(connection)
}

#[cfg(test)]
mod tests;
