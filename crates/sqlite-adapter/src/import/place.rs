//! Sessions that cannot come back because others have their place, and whose notes then go to the imports of those.

use super::note::{named, present_number};
use crate::error::StorageResult as _;
use crate::row::Cells;
use crate::statement::Statement;
use application::ports::storage::{RecordReference, StorageError};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel::sqlite::SqliteConnection;
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::sleep::{SleepSession, SleepSource, TimeInBed};

/// Finds what overlaps: no session is longer than `MAX_MILLIS`, so the index bounds the search.
pub(super) fn in_the_way_statement(
    id: ImportId,
    user_id: UserId,
    session: &SleepSession,
) -> Statement<(Binary, Nullable<Binary>)> {
    let time = session.record.time_in_bed();
    Statement::new(
        "SELECT o.id, o.import_id FROM (SELECT s.id, s.change_number, \
         (SELECT c.import_id FROM import_change AS c WHERE c.record_id = s.id AND c.kind = 'session' \
         AND c.user_id = s.user_id AND c.change_number = s.change_number LIMIT 1) AS import_id \
         FROM sleep_session AS s WHERE s.user_id = ? AND s.source = ? AND s.id <> ? \
         AND s.started_at < ? AND s.started_at > ? AND s.ended_at > ?) AS o \
         CROSS JOIN import_change AS n WHERE n.import_id = ? AND n.kind = 'session' AND n.record_id = ? \
         AND (o.import_id = n.import_id OR o.change_number >= n.change_number) \
         AND coalesce(o.import_id <> (SELECT p.import_id FROM import_change AS p \
         WHERE p.record_id = n.record_id AND p.kind = 'session' AND p.user_id = n.user_id \
         AND p.change_number <> -2 AND p.change_number < n.change_number \
         ORDER BY p.change_number DESC LIMIT 1), 1)",
    )
    .blob(user_id.as_uuid().as_bytes())
    .text(session.record.source().map_or("", SleepSource::as_str))
    .blob(session.id.as_uuid().as_bytes())
    .integer(time.end_millis())
    .integer(time.start_millis().saturating_sub(TimeInBed::MAX_MILLIS))
    .integer(time.start_millis())
    .blob(id.as_uuid().as_bytes())
    .blob(session.id.as_uuid().as_bytes())
}

pub(super) fn in_the_way(
    connection: &mut SqliteConnection,
    statement: Statement<(Binary, Nullable<Binary>)>,
) -> Result<Vec<(SleepSessionId, Option<ImportId>)>, StorageError> {
    let rows: Vec<(Vec<u8>, Option<Vec<u8>>)> = statement.load(connection).storage()?;
    let told = |(id, by): (Vec<u8>, Option<Vec<u8>>)| {
        let cells = Cells::of("sleep_session", &id);
        let by = by.map(|by| cells.uuid("import_id", &by)).transpose()?;
        Ok((SleepSessionId::from_uuid(cells.uuid("id", &id)?), by.map(ImportId::from_uuid)))
    };
    rows.into_iter().map(told).collect()
}

pub(super) fn pass_on(
    connection: &mut SqliteConnection,
    id: ImportId,
    record: RecordReference,
    to: ImportId,
) -> Result<(), StorageError> {
    if to != id {
        take_out(connection, to, record)?;
    }
    let (kind, record_id) = named(record);
    let statement: Statement<()> =
        Statement::new(concat!("UPDATE import_change AS c SET change_number = ", present_number!()))
            .sql(", import_id = ? WHERE c.import_id = ? AND c.kind = ? AND c.record_id = ?")
            .blob(to.as_uuid().as_bytes())
            .blob(id.as_uuid().as_bytes())
            .text(kind)
            .blob(record_id.as_bytes());
    statement.execute(connection).storage().map(drop)
}

/// Takes what an import did to a record earlier out of the chain: the next one gets what was before that.
fn take_out(
    connection: &mut SqliteConnection,
    to: ImportId,
    record: RecordReference,
) -> Result<(), StorageError> {
    let (kind, record_id) = named(record);
    let statement: Statement<(BigInt, Nullable<Binary>, Nullable<Text>)> = Statement::new(
        "DELETE FROM import_change WHERE import_id = ? AND kind = ? AND record_id = ? \
         RETURNING change_number, user_id, before",
    )
    .blob(to.as_uuid().as_bytes())
    .text(kind)
    .blob(record_id.as_bytes());
    let gone: Option<(i64, Option<Vec<u8>>, Option<String>)> =
        statement.get_result(connection).optional().storage()?;
    let Some((number, user_id, before)) = gone.filter(|(number, ..)| *number != -2) else { return Ok(()) };
    let statement: Statement<()> = Statement::new(
        "UPDATE import_change SET before = nullif(?, '') WHERE sequence = (SELECT sequence FROM import_change \
         WHERE record_id = ? AND kind = ? AND (kind = 'label' OR user_id = ?) AND change_number > ? \
         ORDER BY change_number LIMIT 1)",
    )
    .text(&before.unwrap_or_default())
    .blob(record_id.as_bytes())
    .text(kind)
    .blob(&user_id.unwrap_or_default())
    .integer(number);
    statement.execute(connection).storage().map(drop)
}
