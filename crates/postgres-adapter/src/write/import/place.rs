//! Sessions that cannot come back because others have their place, and whose notes then go to the imports of those.

use super::note::present_number;
use crate::connection::Pooled;
use crate::error::storage_error;
use crate::row::record_parts;
use crate::statement::returning;
use application::ports::storage::{RecordReference, StorageError};
use diesel::sql_query;
use diesel::sql_types::{Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::sleep::{SleepSession, SleepSource};
use uuid::Uuid;

pub(super) async fn in_the_way(
    connection: &mut Pooled,
    id: ImportId,
    user_id: UserId,
    session: &SleepSession,
) -> Result<Vec<(SleepSessionId, Option<ImportId>)>, StorageError> {
    /// No session is longer than seven days, so that the index bounds the search.
    const IN_THE_WAY: &str = "SELECT o.id, o.import_id FROM (
            SELECT s.id, s.change_number, (
                SELECT c.import_id FROM import_change c
                WHERE c.record_id = s.id AND c.kind = 'session' AND c.user_id = s.user_id
                    AND c.change_number = s.change_number LIMIT 1
            ) AS import_id
            FROM sleep_session s
            WHERE s.user_id = $2 AND s.source || '' = $4 AND s.id <> $3
                AND s.started_at < $6 AND s.started_at > $5 - interval '7 days' AND s.ended_at > $5
        ) AS o
        CROSS JOIN import_change n
        WHERE n.import_id = $1 AND n.kind = 'session' AND n.record_id = $3
            AND (o.import_id = $1 OR o.change_number >= n.change_number)
            AND coalesce(o.import_id <> (
                SELECT p.import_id FROM import_change p
                WHERE p.record_id = $3 AND p.kind = 'session' AND p.user_id = $2 AND p.change_number <> -2
                    AND p.change_number < n.change_number ORDER BY p.change_number DESC LIMIT 1
            ), true)";

    let time = session.record.time_in_bed();
    let query = sql_query(IN_THE_WAY)
        .bind::<SqlUuid, _>(id.as_uuid())
        .bind::<SqlUuid, _>(user_id.as_uuid())
        .bind::<SqlUuid, _>(session.id.as_uuid())
        .bind::<Text, _>(session.record.source().map_or("", SleepSource::as_str))
        .bind::<Timestamptz, _>(time.start())
        .bind::<Timestamptz, _>(time.end());
    let rows: Vec<(Uuid, Option<Uuid>)> =
        returning::<(SqlUuid, Nullable<SqlUuid>), _>(query).load(connection).await.map_err(storage_error)?;
    let told = |(id, by): (Uuid, Option<Uuid>)| (SleepSessionId::from_uuid(id), by.map(ImportId::from_uuid));
    Ok(rows.into_iter().map(told).collect())
}

pub(super) async fn pass_on(
    connection: &mut Pooled,
    id: ImportId,
    record: RecordReference,
    to: ImportId,
) -> Result<(), StorageError> {
    /// What the other import did to the record earlier goes out of the chain: the next one gets what was before that.
    const TAKE_OUT: &str = "WITH gone AS (
            DELETE FROM import_change WHERE import_id = $1 AND kind = $2 AND record_id = $3
            RETURNING user_id, change_number, before
        ), next AS (
            SELECT o.import_id, g.before FROM gone g CROSS JOIN LATERAL (
                SELECT r.import_id FROM import_change r
                WHERE r.kind = $2 AND r.record_id = $3 AND r.import_id <> $1 AND g.change_number <> -2
                    AND r.change_number > g.change_number AND ($2 = 'label' OR r.user_id = g.user_id)
                ORDER BY r.change_number LIMIT 1
            ) AS o
        )
        UPDATE import_change c SET before = next.before FROM next
        WHERE c.import_id = next.import_id AND c.kind = $2 AND c.record_id = $3";

    let (kind, record_id) = record_parts(record);
    if to != id {
        let query = sql_query(TAKE_OUT)
            .bind::<SqlUuid, _>(to.as_uuid())
            .bind::<Text, _>(kind)
            .bind::<SqlUuid, _>(record_id);
        returning::<(), _>(query).execute(connection).await.map_err(storage_error)?;
    }
    let text = format!(
        "UPDATE import_change c SET import_id = $4, change_number = {}
        WHERE c.import_id = $1 AND c.kind = $2 AND c.record_id = $3",
        present_number("c", "c.user_id")
    );
    let query = sql_query(text)
        .bind::<SqlUuid, _>(id.as_uuid())
        .bind::<Text, _>(kind)
        .bind::<SqlUuid, _>(record_id)
        .bind::<SqlUuid, _>(to.as_uuid());
    returning::<(), _>(query).execute(connection).await.map(|_| ()).map_err(storage_error)
}
