//! What an import did, until it is taken back.
//!
//! The number of a note is -2 once something that is no import changed the record. No record has it, so that the note
//! is neither the latest one nor in the chain of the others.

use super::before;
use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::import_change;
use crate::statement::{Statement, count};
use application::ports::storage::{ImportChange, RecordReference, Standing, StorageError};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use domain::id::{ImportId, IntakeLogId, SleepSessionId, SupplementId, UserId};
use uuid::Uuid;

/// The number of the record of a note `c` as it is now: its own, or that of its deletion; -1 when nothing is left of
/// it. Numbers of labels count how often they were overwritten.
macro_rules! present_number {
    () => {
        "CASE c.kind \
         WHEN 'session' THEN coalesce(\
         (SELECT change_number FROM sleep_session WHERE user_id = c.user_id AND id = c.record_id), \
         (SELECT change_number FROM deletion WHERE user_id = c.user_id AND kind = 'sleep' AND id = c.record_id), -1) \
         WHEN 'log' THEN coalesce(\
         (SELECT change_number FROM intake_log WHERE user_id = c.user_id AND id = c.record_id), \
         (SELECT change_number FROM deletion \
         WHERE user_id = c.user_id AND kind = 'supplements' AND id = c.record_id), -1) \
         WHEN 'profile' THEN coalesce((SELECT profile_change_number FROM account WHERE id = c.record_id), -1) \
         ELSE coalesce((SELECT revision FROM supplement WHERE id = c.record_id), -1) END"
    };
}

pub(super) use present_number;

const SESSION: &str = "session";
const LOG: &str = "log";
const PROFILE: &str = "profile";
const LABEL: &str = "label";

/// Names a record as the table does.
pub(super) fn named(record: RecordReference) -> (&'static str, Uuid) {
    match record {
        RecordReference::Session(id) => (SESSION, id.as_uuid()),
        RecordReference::Log(id) => (LOG, id.as_uuid()),
        RecordReference::Profile(id) => (PROFILE, id.as_uuid()),
        RecordReference::Label(id) => (LABEL, id.as_uuid()),
    }
}

fn reference(cells: Cells<'_>, kind: &str, id: &[u8]) -> Result<RecordReference, StorageError> {
    let id = cells.uuid("record_id", id)?;
    match kind {
        SESSION => Ok(RecordReference::Session(SleepSessionId::from_uuid(id))),
        LOG => Ok(RecordReference::Log(IntakeLogId::from_uuid(id))),
        PROFILE => Ok(RecordReference::Profile(UserId::from_uuid(id))),
        LABEL => Ok(RecordReference::Label(SupplementId::from_uuid(id))),
        _ => Err(cells.corrupt("kind")),
    }
}

/// A note before its number is known.
pub(super) struct NewNote {
    kind: &'static str,
    record_id: Vec<u8>,
    before: Option<String>,
}

impl NewNote {
    pub(super) fn of(user_id: Option<UserId>, change: &ImportChange) -> Result<Self, StorageError> {
        let ImportChange { record, before } = change;
        let (kind, record_id) = named(*record);
        // A label names no person, so that any would do.
        let user_id = user_id.unwrap_or(UserId::from_uuid(Uuid::nil()));
        let before = before.as_ref().map(|before| before::to_json(user_id, before)).transpose()?;
        Ok(Self { kind, record_id: blob(record_id), before })
    }
}

pub(super) fn note(
    connection: &mut SqliteConnection,
    id: ImportId,
    (user_id, number): (Option<UserId>, i64),
    notes: &[NewNote],
) -> Result<(), StorageError> {
    let (import_id, user_id) = (blob(id.as_uuid()), user_id.map(|id| blob(id.as_uuid())));
    for note in notes {
        let number = (note.kind != LABEL).then_some(number);
        let statement = NoteStatement { import_id: &import_id, user_id: user_id.as_deref(), note, number };
        statement.execute(connection).storage()?;
    }
    Ok(())
}

/// The statement that stores a note. An import makes very many, so its text is the same for all of them, and the
/// connection finds it prepared by its type.
struct NoteStatement<'a> {
    import_id: &'a [u8],
    user_id: Option<&'a [u8]>,
    note: &'a NewNote,
    /// That of the unit of work; a label has its own.
    number: Option<i64>,
}

impl QueryFragment<Sqlite> for NoteStatement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        let NewNote { kind, record_id, before } = self.note;
        out.push_sql(
            "INSERT INTO import_change (import_id, kind, record_id, user_id, before, change_number) \
             VALUES (?1, ?2, ?3, ?4, ?5, coalesce(?6, (SELECT revision FROM supplement WHERE id = ?3), -1)) \
             ON CONFLICT (record_id, kind, import_id) DO UPDATE SET change_number = excluded.change_number, \
             waiting = NULL, \
             before = CASE import_change.change_number WHEN -2 THEN excluded.before ELSE import_change.before END",
        );
        out.push_bind_param_value_only::<Binary, _>(self.import_id)?;
        out.push_bind_param_value_only::<Text, _>(*kind)?;
        out.push_bind_param_value_only::<Binary, _>(record_id)?;
        out.push_bind_param_value_only::<Nullable<Binary>, _>(&self.user_id)?;
        out.push_bind_param_value_only::<Nullable<Text>, _>(before)?;
        out.push_bind_param_value_only::<Nullable<BigInt>, _>(&self.number)
    }
}

impl QueryId for NoteStatement<'_> {
    type QueryId = NoteStatement<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl RunQueryDsl<SqliteConnection> for NoteStatement<'_> {}

/// The SQL types of a note with the later import, and the record's number now.
type NotedSql = (Text, Binary, BigInt, Nullable<Text>, Nullable<Binary>, BigInt);
type NotedRow = (String, Vec<u8>, i64, Option<String>, Option<Vec<u8>>, i64);

/// Lists notes, logs before labels, the latest first. Numbers of sessions, logs and profile are the person's and grow
/// from write to write; those of labels do not tell which came later, the sequence does.
pub(super) fn noted_statement(id: ImportId, limit: u32) -> Statement<NotedSql> {
    Statement::new(concat!(
        "SELECT c.kind, c.record_id, c.change_number, c.before, \
         (SELECT later.import_id FROM import_change AS later \
         WHERE later.record_id = c.record_id AND later.kind = c.kind \
         AND later.change_number > c.change_number AND later.import_id <> c.import_id AND c.change_number <> -2 \
         AND (c.kind = 'label' OR later.user_id = c.user_id) \
         ORDER BY later.change_number LIMIT 1), ",
        present_number!(),
        " FROM import_change AS c WHERE c.import_id = ? \
         ORDER BY c.kind <> 'label' DESC, c.change_number DESC, c.sequence DESC LIMIT ?"
    ))
    .blob(id.as_uuid().as_bytes())
    .integer(i64::from(limit))
}

pub(super) fn noted(
    connection: &mut SqliteConnection,
    id: ImportId,
    limit: u32,
) -> Result<Vec<(ImportChange, Standing)>, StorageError> {
    let rows: Vec<NotedRow> = noted_statement(id, limit).load(connection).storage()?;
    rows.into_iter()
        .map(|(kind, record_id, number, before, later, present)| {
            let cells = Cells::of("import_change", &record_id);
            let standing = match later {
                Some(later) => Standing::ChangedBy(ImportId::from_uuid(cells.uuid("import_id", &later)?)),
                None if present == number => Standing::Latest,
                None => Standing::Overtaken,
            };
            let record = reference(cells, &kind, &record_id)?;
            let before = before.map(|text| before::of_json(cells, &text)).transpose()?;
            Ok((ImportChange { record, before }, standing))
        })
        .collect()
}

pub(super) fn rebase(
    connection: &mut SqliteConnection,
    later: ImportId,
    change: &ImportChange,
) -> Result<(), StorageError> {
    use import_change::dsl;
    let (kind, record_id) = named(change.record);
    let noted = dsl::import_change
        .filter(dsl::import_id.eq(blob(later.as_uuid())))
        .filter(dsl::kind.eq(kind))
        .filter(dsl::record_id.eq(blob(record_id)));
    let user_id: Option<Option<Vec<u8>>> =
        noted.clone().select(dsl::user_id).first(connection).optional().storage()?;
    let Some(user_id) = user_id else { return Ok(()) };
    let cells = Cells::of("import_change", record_id.as_bytes());
    let user_id = user_id.map(|id| cells.uuid("user_id", &id)).transpose()?.map(UserId::from_uuid);
    let NewNote { before, .. } = NewNote::of(user_id, change)?;
    diesel::update(noted).set(dsl::before.eq(before)).execute(connection).storage().map(drop)
}

/// Deletes a note; the number that it had, and whose record it was about.
fn drop_note(
    connection: &mut SqliteConnection,
    id: ImportId,
    record: RecordReference,
) -> Result<Option<(i64, Vec<u8>)>, StorageError> {
    let (kind, record_id) = named(record);
    let statement: Statement<(BigInt, Nullable<Binary>)> = Statement::new(
        "DELETE FROM import_change WHERE import_id = ? AND kind = ? AND record_id = ? \
         RETURNING change_number, user_id",
    )
    .blob(id.as_uuid().as_bytes())
    .text(kind)
    .blob(record_id.as_bytes());
    let dropped: Option<(i64, Option<Vec<u8>>)> = statement.get_result(connection).optional().storage()?;
    // A label names no person, so that any would do.
    Ok(dropped.map(|(number, user_id)| (number, user_id.unwrap_or_default())))
}

/// Deletes a note. What imports did to the record before is overtaken by what is left.
pub(super) fn leave(
    connection: &mut SqliteConnection,
    id: ImportId,
    record: RecordReference,
) -> Result<(), StorageError> {
    let Some((number, user_id)) = drop_note(connection, id, record)? else { return Ok(()) };
    overtake_before(connection, record, &user_id, number)
}

pub(super) fn overtake(
    connection: &mut SqliteConnection,
    user_id: Option<UserId>,
    records: &[RecordReference],
) -> Result<(), StorageError> {
    let user_id = user_id.map(|id| blob(id.as_uuid())).unwrap_or_default();
    records.iter().try_for_each(|record| overtake_before(connection, *record, &user_id, i64::MAX))
}

/// Overtakes what has a smaller number.
fn overtake_before(
    connection: &mut SqliteConnection,
    record: RecordReference,
    user_id: &[u8],
    number: i64,
) -> Result<(), StorageError> {
    let (kind, record_id) = named(record);
    let statement: Statement<()> = Statement::new(
        "UPDATE import_change SET change_number = -2, before = NULL, waiting = NULL \
         WHERE record_id = ? AND kind = ? AND (kind = 'label' OR user_id = ?) \
         AND change_number <> -2 AND change_number < ?",
    )
    .blob(record_id.as_bytes())
    .text(kind)
    .blob(user_id)
    .integer(number);
    statement.execute(connection).storage().map(drop)
}

/// Deletes a note. The import with the greatest number before it left the record as it is now, unless a later one
/// changed it.
pub(super) fn forget(
    connection: &mut SqliteConnection,
    id: ImportId,
    record: RecordReference,
) -> Result<(), StorageError> {
    let Some((number, user_id)) = drop_note(connection, id, record)? else { return Ok(()) };
    let (kind, record_id) = named(record);
    let statement: Statement<()> = Statement::new(concat!(
        "UPDATE import_change AS c SET change_number = ",
        present_number!(),
        " WHERE c.sequence = (SELECT sequence FROM import_change \
         WHERE record_id = ? AND kind = ? AND (kind = 'label' OR user_id = ?) AND change_number <> -2 \
         ORDER BY change_number DESC LIMIT 1) AND c.change_number < ?"
    ))
    .blob(record_id.as_bytes())
    .text(kind)
    .blob(&user_id)
    .integer(number);
    statement.execute(connection).storage().map(drop)
}

pub(super) fn forget_before(
    connection: &mut SqliteConnection,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<u64, StorageError> {
    let statement: Statement<()> = Statement::new(
        "DELETE FROM import_change WHERE sequence IN (SELECT sequence FROM import_change WHERE import_id IN \
         (SELECT id FROM import WHERE ended_at < ? AND NOT (state = 'undone' AND taken_back_at IS NULL) UNION ALL SELECT id FROM import \
         WHERE state = 'running' AND started_at < ? AND coalesce(updated_at, started_at) < ?) LIMIT ?)",
    )
    .integer(micros(before))
    .integer(micros(before))
    .integer(micros(before))
    .integer(i64::from(limit));
    count(statement.execute(connection))
}

/// Takes the import whose undoing waits longest.
pub(super) fn take_undoing(
    connection: &mut SqliteConnection,
    idle: TimeDelta,
) -> Result<Option<ImportId>, StorageError> {
    let statement: Statement<Binary> = Statement::new(
        "UPDATE import SET updated_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) WHERE id = \
         (SELECT id FROM import WHERE state = 'undone' AND taken_back_at IS NULL \
         AND coalesce(updated_at, started_at) < CAST(unixepoch('subsec') * 1000000 AS INTEGER) - ? \
         ORDER BY coalesce(updated_at, started_at), id LIMIT 1) RETURNING id",
    )
    .integer(idle.num_microseconds().unwrap_or(i64::MAX));
    let id: Option<Vec<u8>> = statement.get_result(connection).optional().storage()?;
    id.map(|id| Cells::of("import", &id).uuid("id", &id).map(ImportId::from_uuid)).transpose()
}

pub(super) fn has_any(connection: &mut SqliteConnection, id: ImportId) -> Result<bool, StorageError> {
    let own = import_change::table.filter(import_change::import_id.eq(blob(id.as_uuid())));
    diesel::select(exists(own)).get_result(connection).storage()
}

#[cfg(test)]
mod tests;
