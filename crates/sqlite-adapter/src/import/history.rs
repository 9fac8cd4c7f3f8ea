//! What imports did to sessions, as an undoing reads it and writes it anew.

use super::before;
use super::note::present_number;
use crate::error::StorageResult as _;
use crate::row::Cells;
use crate::statement::Statement;
use application::ports::storage::{RecordBefore, SessionNote, StorageError};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel::sqlite::SqliteConnection;
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::sleep::{SleepSession, TimeInBed};
use std::collections::{BTreeSet, HashMap};

/// The number of the first of several notes of one session, all but the last: below that of any record.
const EARLIER: i64 = -1_000_000;

/// Import, position, what was before, what waits, whether the session is as the import left it.
type NoteSql = (Binary, BigInt, Nullable<Text>, Nullable<Text>, BigInt);
type NoteRow = (Vec<u8>, i64, Option<String>, Option<String>, i64);

pub(super) fn notes(
    connection: &mut SqliteConnection,
    user_id: UserId,
    ids: &[SleepSessionId],
) -> Result<Vec<SessionNote>, StorageError> {
    let mut notes = Vec::new();
    for id in ids {
        let statement: Statement<NoteSql> = Statement::new(concat!(
            "SELECT c.import_id, coalesce(c.position, c.sequence), c.before, c.waiting, c.change_number = ",
            present_number!(),
            " FROM import_change AS c WHERE c.record_id = ? AND c.kind = 'session' AND c.user_id = ? \
             AND c.change_number <> -2"
        ))
        .blob(id.as_uuid().as_bytes())
        .blob(user_id.as_uuid().as_bytes());
        let rows: Vec<NoteRow> = statement.load(connection).storage()?;
        for row in rows {
            notes.push(note(*id, row)?);
        }
    }
    notes.sort_by_key(|note| note.position);
    Ok(notes)
}

fn note(id: SleepSessionId, row: NoteRow) -> Result<SessionNote, StorageError> {
    let (import, position, before, waiting, is_latest) = row;
    let record_id = id.as_uuid();
    let cells = Cells::of("import_change", record_id.as_bytes());
    let session = |text: Option<String>| match text.map(|text| before::of_json(cells, &text)).transpose()? {
        None => Ok(None),
        Some(RecordBefore::Session(session)) => Ok(Some(*session)),
        Some(RecordBefore::Log(_) | RecordBefore::Profile(_) | RecordBefore::Label(_)) => {
            Err(cells.corrupt("before"))
        }
    };
    Ok(SessionNote {
        import: ImportId::from_uuid(cells.uuid("import_id", &import)?),
        id,
        position,
        before: session(before)?,
        waiting: session(waiting)?,
        is_latest: is_latest == 1,
    })
}

/// Finds what overlaps: no session is longer than `MAX_MILLIS`, so the indexes bound the search.
pub(super) fn near_statement(user_id: UserId, stretch: &TimeInBed) -> Statement<Binary> {
    let (user_id, start, end) = (user_id.as_uuid(), stretch.start_millis(), stretch.end_millis());
    let earliest = start.saturating_sub(TimeInBed::MAX_MILLIS);
    let bound = |statement: Statement<Binary>| {
        statement.blob(user_id.as_bytes()).integer(end).integer(earliest).integer(start)
    };
    let statement = Statement::new(
        "SELECT record_id FROM import_change WHERE kind = 'session' AND before IS NOT NULL AND user_id = ? \
         AND json_extract(before, '$.session.started_at') < ? AND json_extract(before, '$.session.started_at') > ? \
         AND json_extract(before, '$.session.ended_at') > ? UNION ALL ",
    );
    bound(bound(statement).sql(
        "SELECT record_id FROM import_change WHERE waiting IS NOT NULL AND user_id = ? \
         AND json_extract(waiting, '$.session.started_at') < ? AND json_extract(waiting, '$.session.started_at') > ? \
         AND json_extract(waiting, '$.session.ended_at') > ?",
    ))
}

pub(super) fn near(
    connection: &mut SqliteConnection,
    user_id: UserId,
    stretches: &[TimeInBed],
) -> Result<Vec<SleepSessionId>, StorageError> {
    let mut ids = BTreeSet::new();
    for stretch in stretches {
        let found: Vec<Vec<u8>> = near_statement(user_id, stretch).load(connection).storage()?;
        for id in found {
            ids.insert(SleepSessionId::from_uuid(Cells::of("import_change", &id).uuid("record_id", &id)?));
        }
    }
    Ok(ids.into_iter().collect())
}

pub(super) fn rewrite(
    connection: &mut SqliteConnection,
    user_id: UserId,
    ids: &[SleepSessionId],
    notes: &[SessionNote],
) -> Result<(), StorageError> {
    for id in ids {
        let statement: Statement<()> = Statement::new(
            "DELETE FROM import_change WHERE record_id = ? AND kind = 'session' AND user_id = ? \
             AND change_number <> -2",
        )
        .blob(id.as_uuid().as_bytes())
        .blob(user_id.as_uuid().as_bytes());
        statement.execute(connection).storage()?;
    }
    let mut left: HashMap<SleepSessionId, i64> = HashMap::new();
    for note in notes {
        *left.entry(note.id).or_default() += 1;
    }
    for note in notes {
        let left = left.entry(note.id).or_default();
        *left -= 1;
        let number = (*left > 0).then(|| EARLIER - *left);
        store(connection, user_id, note, number)?;
    }
    Ok(())
}

/// Stores a note with this number, or with that of its session.
fn store(
    connection: &mut SqliteConnection,
    user_id: UserId,
    note: &SessionNote,
    number: Option<i64>,
) -> Result<(), StorageError> {
    let SessionNote { import, id, position, before, waiting, is_latest: _ } = note;
    let json = |session: &Option<SleepSession>| match session {
        Some(session) => before::to_json(user_id, &RecordBefore::Session(Box::new(session.clone()))),
        None => Ok(String::new()),
    };
    let (person, session) = (user_id.as_uuid(), id.as_uuid());
    let statement: Statement<()> = Statement::new(
        "INSERT INTO import_change (import_id, kind, record_id, user_id, before, waiting, position, change_number) \
         VALUES (?, 'session', ?, ?, nullif(?, ''), nullif(?, ''), ?, coalesce(?, \
         (SELECT change_number FROM sleep_session WHERE user_id = ? AND id = ?), \
         (SELECT change_number FROM deletion WHERE user_id = ? AND kind = 'sleep' AND id = ?), -1)) \
         ON CONFLICT (record_id, kind, import_id) DO UPDATE SET before = excluded.before, \
         waiting = excluded.waiting, position = excluded.position, change_number = excluded.change_number",
    )
    .blob(import.as_uuid().as_bytes())
    .blob(session.as_bytes())
    .blob(person.as_bytes())
    .text(&json(before)?)
    .text(&json(waiting)?)
    .integer(*position)
    .optional_integer(number)
    .blob(person.as_bytes())
    .blob(session.as_bytes())
    .blob(person.as_bytes())
    .blob(session.as_bytes());
    statement.execute(connection).storage().map(drop)
}
