//! Sleep sessions.

use super::row::{NewSessions, SLEEP_COLUMNS, SleepColumns, SleepRow};
use crate::change::delete_numbered;
use crate::savepoint;
use crate::statement::{returning, stored};
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{SleepRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::query_builder::QueryFragment;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, SmallInt, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::data_kind::DataKind;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::{SleepRecordHead, SleepSession, SleepSource, stretches};
use store_shared::key_kind_name;
use uuid::Uuid;

/// Finds the stored sessions that an import must compare with its records: those with the same key, those
/// that overlap, and twins.
///
/// Overlapping records of one source form one stretch, so that each stretch is searched once. A session lasts
/// at most seven days, so one that overlaps a record starts less than seven days before it. `OFFSET 0` forces
/// an index look-up per stretch and per session; otherwise the planner compares every record with every
/// session of the person. `|| ''` keeps a plan that was made for an empty store from searching by source or
/// kind of key, which most sessions of a person share.
///
/// Sessions with a key from their source may overlap in any number, and each is loaded with its stages.
/// Beyond equal keys, only their twins matter: sessions that start and end in the same minutes as a record
/// with a derived key. One with stages and one without are enough (see [`domain::sleep::reconcile`]).
///
/// One check finds whether any session near the records has a derived key. If none has, the overlap search is
/// skipped.
const CANDIDATES: &str = "FROM (
    SELECT k.started_at, k.id
    FROM unnest($2, $3, $4) AS r (source, key_kind, natural_key)
    CROSS JOIN LATERAL (
        SELECT k.started_at, k.id FROM sleep_session k
        WHERE k.user_id = $1 AND k.source = r.source AND k.natural_key = r.natural_key AND k.key_kind = r.key_kind
        OFFSET 0
    ) AS k
    UNION
    SELECT o.started_at, o.id
    FROM unnest($7, $8, $9) AS r (source, started_at, ended_at)
    CROSS JOIN LATERAL (
        SELECT k.started_at, k.id
        FROM sleep_session k WHERE k.user_id = $1 AND k.source || '' = r.source
            AND k.started_at < r.ended_at AND k.started_at > r.started_at - interval '7 days'
            AND k.ended_at > r.started_at AND k.key_kind || '' = 'derived'
        OFFSET 0
    ) AS o
    WHERE EXISTS (
        SELECT FROM sleep_session n WHERE n.user_id = $1 AND n.key_kind || '' = 'derived'
            AND n.started_at > (SELECT min(f.at) FROM unnest($5) AS f (at)) - interval '7 days'
            AND n.started_at < (SELECT max(l.at) FROM unnest($6) AS l (at))
    )
    UNION
    SELECT t.started_at, t.id
    FROM unnest($2, $3, $5, $6) AS r (source, key_kind, started_at, ended_at)
    CROSS JOIN LATERAL (
        SELECT DISTINCT ON (octet_length(k.stages) > 0) k.started_at, k.id
        FROM sleep_session k WHERE k.user_id = $1 AND k.source || '' = r.source AND k.key_kind || '' = 'given'
            AND k.started_at >= date_trunc('minute', r.started_at, 'UTC')
            AND k.started_at < date_trunc('minute', r.started_at, 'UTC') + interval '1 minute'
            AND date_trunc('minute', k.ended_at, 'UTC') = date_trunc('minute', r.ended_at, 'UTC')
            AND k.started_at < r.ended_at AND k.ended_at > r.started_at
        ORDER BY octet_length(k.stages) > 0, k.started_at, k.id
    ) AS t
    WHERE r.key_kind = 'derived'
) AS c CROSS JOIN LATERAL (
    SELECT * FROM sleep_session f WHERE f.user_id = $1 AND f.started_at = c.started_at AND f.id = c.id OFFSET 0
) AS s";

/// Returns the number of stored rows. Removes the deletion of a session that is stored again; ids are looked
/// up one by one, however many deletions the person has.
const INSERT_ONE: &str = "WITH stored AS (
        INSERT INTO sleep_session (user_id, change_number, started_at, id, ended_at, offset_at_start,
            offset_at_end, source, key_kind, natural_key, is_nap, updated_at, stages, metrics)
        SELECT $1, $14, * FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT DO NOTHING RETURNING id
    ), back AS (
        DELETE FROM deletion WHERE user_id = $1 AND kind = 'sleep' AND id = ANY (ARRAY (SELECT id FROM stored))
    ) SELECT count(*) FROM stored";

/// Stores many rows, all or none. `ON CONFLICT` would take a third of the total time for its check before
/// each row. The caller has already checked, under the person's lock.
const INSERT_ALL: &str = "WITH back AS (
        DELETE FROM deletion WHERE user_id = $1 AND kind = 'sleep' AND id = ANY ($3)
            AND EXISTS (SELECT FROM deletion d WHERE d.user_id = $1 AND d.kind = 'sleep')
    ), stored AS (
        INSERT INTO sleep_session (user_id, change_number, started_at, id, ended_at, offset_at_start,
            offset_at_end, source, key_kind, natural_key, is_nap, updated_at, stages, metrics)
        SELECT $1, $14, * FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    ) SELECT true";

const DELETE: &str = "DELETE FROM sleep_session WHERE user_id = $1 AND id = ANY ($2)";

/// Returns whether the session was updated and whether it exists.
const UPDATE: &str = "WITH taken AS (
        SELECT FROM sleep_session WHERE user_id = $1 AND source = $7 AND natural_key = $9 AND key_kind = $8
            AND id <> $3
    ), updated AS (
        UPDATE sleep_session SET started_at = $2, ended_at = $4, offset_at_start = $5, offset_at_end = $6,
            source = $7, key_kind = $8, natural_key = $9, is_nap = $10, updated_at = $11, stages = $12,
            metrics = $13, change_number = $14
        WHERE user_id = $1 AND id = $3 AND NOT EXISTS (SELECT FROM taken)
        RETURNING id
    ) SELECT EXISTS (SELECT FROM updated), EXISTS (SELECT FROM sleep_session WHERE user_id = $1 AND id = $3)";

#[async_trait]
impl SleepRepository for PgUnitOfWork {
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[SleepRecordHead],
    ) -> Result<Vec<SleepSession>, StorageError> {
        let source =
            |record: &SleepRecordHead| record.source.as_ref().map_or("", SleepSource::as_str).to_owned();
        let sources: Vec<String> = records.iter().map(source).collect();
        let kinds: Vec<&str> = records.iter().map(|record| key_kind_name(record.key.kind())).collect();
        let keys: Vec<&str> = records.iter().map(|record| record.key.as_str()).collect();
        let starts: Vec<_> = records.iter().map(|record| record.time_in_bed.start()).collect();
        let ends: Vec<_> = records.iter().map(|record| record.time_in_bed.end()).collect();
        let stretches = stretches(records);
        let of: Vec<&str> = stretches.iter().map(|it| it.source.map_or("", SleepSource::as_str)).collect();
        let from: Vec<_> = stretches.iter().map(|stretch| stretch.start).collect();
        let until: Vec<_> = stretches.iter().map(|stretch| stretch.end).collect();
        let query = sql_query(format!("SELECT {SLEEP_COLUMNS} {CANDIDATES}"))
            .bind::<SqlUuid, _>(user_id.as_uuid())
            .bind::<Array<Text>, _>(sources)
            .bind::<Array<Text>, _>(kinds)
            .bind::<Array<Text>, _>(keys)
            .bind::<Array<Timestamptz>, _>(starts)
            .bind::<Array<Timestamptz>, _>(ends)
            .bind::<Array<Text>, _>(of)
            .bind::<Array<Timestamptz>, _>(from)
            .bind::<Array<Timestamptz>, _>(until);
        let query = returning::<SleepColumns, _>(query);
        self.connection()?.load_rows(query).await?.into_iter().map(SleepRow::into_session).collect()
    }

    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
    ) -> Result<Vec<SleepSession>, StorageError> {
        let text =
            format!("SELECT {SLEEP_COLUMNS} FROM sleep_session s WHERE s.user_id = $1 AND s.id = ANY ($2)");
        let query =
            sql_query(text).bind::<SqlUuid, _>(user_id.as_uuid()).bind::<Array<SqlUuid>, _>(uuids(ids));
        let query = returning::<SleepColumns, _>(query);
        self.connection()?.load_rows(query).await?.into_iter().map(SleepRow::into_session).collect()
    }

    async fn insert(&mut self, user_id: UserId, sessions: &[SleepSession]) -> Result<(), StorageError> {
        if sessions.is_empty() {
            return Ok(());
        }
        let number = self.change_number(user_id).await?;
        let connection = self.connection()?;
        if let [_] = sessions {
            // A single row needs no savepoint.
            let query = insertion(INSERT_ONE, (user_id, number), sessions);
            let inserted: i64 = connection.load_one(returning::<BigInt, _>(query)).await?;
            return stored(u64::try_from(inserted).unwrap_or_default(), UniqueKey::SleepSession);
        }
        savepoint::open(connection).await?;
        let query = insertion(INSERT_ALL, (user_id, number), sessions);
        let inserted = returning::<(), _>(query).execute(connection).await;
        let are_kept = savepoint::close_unless_violated(connection, inserted).await?;
        stored(u64::from(are_kept), UniqueKey::SleepSession)
    }

    async fn update(&mut self, user_id: UserId, session: &SleepSession) -> Result<bool, StorageError> {
        let row = SleepRow::from(session);
        let number = self.change_number(user_id).await?;
        let connection = self.connection()?;
        let query = sql_query(UPDATE)
            .bind::<SqlUuid, _>(user_id.as_uuid())
            .bind::<Timestamptz, _>(row.started_at)
            .bind::<SqlUuid, _>(row.id)
            .bind::<Timestamptz, _>(row.ended_at)
            .bind::<Nullable<SmallInt>, _>(row.offset_at_start)
            .bind::<Nullable<SmallInt>, _>(row.offset_at_end)
            .bind::<Text, _>(row.source)
            .bind::<Text, _>(row.key_kind)
            .bind::<Text, _>(row.natural_key)
            .bind::<Nullable<Bool>, _>(row.is_nap)
            .bind::<Timestamptz, _>(row.updated_at)
            .bind::<Binary, _>(row.stages)
            .bind::<Binary, _>(row.metrics)
            .bind::<BigInt, _>(number);
        let (is_updated, is_there): (bool, bool) =
            connection.load_one(returning::<(Bool, Bool), _>(query)).await?;
        match (is_updated, is_there) {
            (true, _) => Ok(true),
            (false, true) => Err(StorageError::Conflict(UniqueKey::SleepSession)),
            (false, false) => Ok(false),
        }
    }

    async fn delete(&mut self, user_id: UserId, ids: &[SleepSessionId]) -> Result<u64, StorageError> {
        delete_numbered(self, (DELETE, DataKind::Sleep), user_id, uuids(ids)).await
    }
}

/// Binds the rows to one of the insert statements.
fn insertion(
    statement: &'static str,
    (user_id, number): (UserId, i64),
    sessions: &[SleepSession],
) -> impl QueryFragment<Pg> + Send + use<> {
    let new = NewSessions::from_sessions(user_id, sessions);
    sql_query(statement)
        .bind::<SqlUuid, _>(new.user_id)
        .bind::<Array<Timestamptz>, _>(new.started_at)
        .bind::<Array<SqlUuid>, _>(new.ids)
        .bind::<Array<Timestamptz>, _>(new.ended_at)
        .bind::<Array<Nullable<SmallInt>>, _>(new.offsets_at_start)
        .bind::<Array<Nullable<SmallInt>>, _>(new.offsets_at_end)
        .bind::<Array<Text>, _>(new.sources)
        .bind::<Array<Text>, _>(new.key_kinds)
        .bind::<Array<Text>, _>(new.natural_keys)
        .bind::<Array<Nullable<Bool>>, _>(new.naps)
        .bind::<Array<Timestamptz>, _>(new.updated_at)
        .bind::<Array<Binary>, _>(new.stages)
        .bind::<Array<Binary>, _>(new.metrics)
        .bind::<BigInt, _>(number)
}

fn uuids(ids: &[SleepSessionId]) -> Vec<Uuid> {
    ids.iter().map(SleepSessionId::as_uuid).collect()
}

#[cfg(test)]
mod tests;
