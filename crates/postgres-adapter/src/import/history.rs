//! What imports did to sessions, as an undoing reads it and writes it anew.

use super::before::{read_before, write_before};
use super::note::present_number;
use crate::connection::Pooled;
use crate::error::{storage_error, unexpected};
use crate::statement::returning;
use application::ports::storage::{RecordBefore, RecordReference, SessionNote, StorageError};
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text};
use diesel_async::RunQueryDsl;
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::sleep::{SleepSession, TimeInBed};
use std::collections::HashMap;
use uuid::Uuid;

/// The number of the first of several notes of one session, all but the last: below that of any record.
const EARLIER: i64 = -1_000_000;

/// Import, session, position, what was before, what waits, whether the session is as the import left it.
type NoteColumns = (SqlUuid, SqlUuid, BigInt, Nullable<Text>, Nullable<Text>, Bool);
type NoteRow = (Uuid, Uuid, i64, Option<String>, Option<String>, bool);

pub(super) async fn notes(
    connection: &mut Pooled,
    user_id: UserId,
    ids: &[SleepSessionId],
) -> Result<Vec<SessionNote>, StorageError> {
    let text = format!(
        "SELECT c.import_id, c.record_id, coalesce(c.position, c.sequence), c.before::text, c.waiting::text,
            c.change_number = {}
        FROM import_change c
        WHERE c.record_id = ANY ($2) AND c.kind = 'session' AND c.user_id = $1 AND c.change_number <> -2
        ORDER BY 3",
        present_number("c", "c.user_id")
    );
    let query = sql_query(text)
        .bind::<SqlUuid, _>(user_id.as_uuid())
        .bind::<Array<SqlUuid>, _>(ids.iter().map(SleepSessionId::as_uuid).collect::<Vec<_>>());
    let rows: Vec<NoteRow> =
        returning::<NoteColumns, _>(query).load(connection).await.map_err(storage_error)?;
    rows.into_iter().map(note).collect()
}

fn note(row: NoteRow) -> Result<SessionNote, StorageError> {
    let (import, id, position, before, waiting, is_latest) = row;
    let id = SleepSessionId::from_uuid(id);
    let session = |json: Option<String>| {
        let read = json.map(|json| read_before(RecordReference::Session(id), &json)).transpose()?;
        match read {
            None => Ok(None),
            Some(RecordBefore::Session(session)) => Ok(Some(*session)),
            Some(RecordBefore::Log(_) | RecordBefore::Profile(_) | RecordBefore::Label(_)) => {
                Err(unexpected("a session that reads as another record"))
            }
        }
    };
    Ok(SessionNote {
        import: ImportId::from_uuid(import),
        id,
        position,
        before: session(before)?,
        waiting: session(waiting)?,
        is_latest,
    })
}

pub(super) async fn near(
    connection: &mut Pooled,
    user_id: UserId,
    stretches: &[TimeInBed],
) -> Result<Vec<SleepSessionId>, StorageError> {
    /// No session is longer than seven days, so that the indexes bound the search. Times are in microseconds.
    const NEAR: &str = "SELECT DISTINCT n.record_id
        FROM unnest($2, $3) AS r (started_at, ended_at)
        CROSS JOIN LATERAL (
            SELECT c.record_id FROM import_change c
            WHERE c.user_id = $1 AND c.kind = 'session' AND c.before IS NOT NULL
                AND (c.before ->> 'started_at')::bigint < r.ended_at
                AND (c.before ->> 'started_at')::bigint > r.started_at - 604800000000
                AND (c.before ->> 'ended_at')::bigint > r.started_at
            UNION ALL
            SELECT c.record_id FROM import_change c
            WHERE c.user_id = $1 AND c.waiting IS NOT NULL
                AND (c.waiting ->> 'started_at')::bigint < r.ended_at
                AND (c.waiting ->> 'started_at')::bigint > r.started_at - 604800000000
                AND (c.waiting ->> 'ended_at')::bigint > r.started_at
        ) AS n";

    let query = sql_query(NEAR)
        .bind::<SqlUuid, _>(user_id.as_uuid())
        .bind::<Array<BigInt>, _>(
            stretches.iter().map(|time| time.start().timestamp_micros()).collect::<Vec<_>>(),
        )
        .bind::<Array<BigInt>, _>(
            stretches.iter().map(|time| time.end().timestamp_micros()).collect::<Vec<_>>(),
        );
    let ids: Vec<Uuid> = returning::<SqlUuid, _>(query).load(connection).await.map_err(storage_error)?;
    Ok(ids.into_iter().map(SleepSessionId::from_uuid).collect())
}

pub(super) async fn rewrite(
    connection: &mut Pooled,
    user_id: UserId,
    ids: &[SleepSessionId],
    notes: &[SessionNote],
) -> Result<(), StorageError> {
    const FORGET: &str = "DELETE FROM import_change
        WHERE record_id = ANY ($2) AND kind = 'session' AND user_id = $1 AND change_number <> -2";
    /// The last note of a session has the number of the session, or of its deletion.
    const STORE: &str = "INSERT INTO import_change
            (import_id, kind, record_id, user_id, before, waiting, position, change_number)
        SELECT n.import_id, 'session', n.record_id, $1, n.before::json, n.waiting::json, n.position,
            coalesce(n.number,
                (SELECT s.change_number FROM sleep_session s WHERE s.user_id = $1 AND s.id = n.record_id),
                (SELECT d.change_number FROM deletion d
                    WHERE d.user_id = $1 AND d.kind = 'sleep' AND d.id = n.record_id), -1)
        FROM unnest($2, $3, $4, $5, $6, $7)
            WITH ORDINALITY AS n (import_id, record_id, before, waiting, position, number, place)
        ORDER BY n.place
        ON CONFLICT (record_id, kind, import_id) DO UPDATE SET before = excluded.before,
            waiting = excluded.waiting, position = excluded.position, change_number = excluded.change_number";

    let query = sql_query(FORGET)
        .bind::<SqlUuid, _>(user_id.as_uuid())
        .bind::<Array<SqlUuid>, _>(ids.iter().map(SleepSessionId::as_uuid).collect::<Vec<_>>());
    returning::<(), _>(query).execute(connection).await.map_err(storage_error)?;
    if notes.is_empty() {
        return Ok(());
    }
    let json = |session: &Option<SleepSession>| {
        let before = session.clone().map(|session| RecordBefore::Session(Box::new(session)));
        before.as_ref().map(write_before).transpose()
    };
    let befores: Vec<_> = notes.iter().map(|note| json(&note.before)).collect::<Result<_, _>>()?;
    let waiting: Vec<_> = notes.iter().map(|note| json(&note.waiting)).collect::<Result<_, _>>()?;
    let query = sql_query(STORE)
        .bind::<SqlUuid, _>(user_id.as_uuid())
        .bind::<Array<SqlUuid>, _>(notes.iter().map(|note| note.import.as_uuid()).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(notes.iter().map(|note| note.id.as_uuid()).collect::<Vec<_>>())
        .bind::<Array<Nullable<Text>>, _>(befores)
        .bind::<Array<Nullable<Text>>, _>(waiting)
        .bind::<Array<BigInt>, _>(notes.iter().map(|note| note.position).collect::<Vec<_>>())
        .bind::<Array<Nullable<BigInt>>, _>(numbers(notes));
    returning::<(), _>(query).execute(connection).await.map(|_| ()).map_err(storage_error)
}

/// Numbers all but the last note of each session, in their order.
fn numbers(notes: &[SessionNote]) -> Vec<Option<i64>> {
    let mut left: HashMap<SleepSessionId, i64> = HashMap::new();
    for note in notes {
        *left.entry(note.id).or_default() += 1;
    }
    let number = |note: &SessionNote| {
        let left = left.entry(note.id).or_default();
        *left -= 1;
        (*left > 0).then(|| EARLIER - *left)
    };
    notes.iter().map(number).collect()
}
