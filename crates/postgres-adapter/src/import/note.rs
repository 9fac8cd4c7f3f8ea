//! What imports did.
//!
//! The number of a note is -2 once something that is no import changed the record. No record has it, so that the note
//! is neither the latest one nor in the chain of the others.

use super::before::{read_before, record_parts, record_reference, write_before};
use crate::connection::Pooled;
use crate::error::storage_error;
use crate::savepoint;
use crate::schema::import_change as change_table;
use crate::statement::{count, returning};
use application::ports::storage::{ImportChange, RecordBefore, RecordReference, Standing, StorageError};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::id::{ImportId, UserId};
use std::collections::HashSet;
use uuid::Uuid;

/// What is noted, with the import that changed the same record next, and whether the record still is as it was left.
type NotedColumns = (Text, SqlUuid, Nullable<Text>, Nullable<SqlUuid>, Bool);

/// Writes the number that a record has now: that of its change, of its deletion, or a label's revision; -1 when nothing
/// is left of it. Two people may have records of one id, so that the person is named; a label is everybody's.
pub(super) fn present_number(of: &str, user_id: &str) -> String {
    let numbered = |kind: &str, table: &str, deletions: &str| {
        format!(
            "WHEN '{kind}' THEN coalesce(
                (SELECT r.change_number FROM {table} r WHERE r.user_id = {user_id} AND r.id = {of}.record_id),
                (SELECT d.change_number FROM deletion d
                    WHERE d.user_id = {user_id} AND d.kind = '{deletions}' AND d.id = {of}.record_id), -1)"
        )
    };
    format!(
        "CASE {of}.kind {} {}
            WHEN 'profile' THEN coalesce(
                (SELECT r.profile_change_number FROM account r WHERE r.id = {of}.record_id), -1)
            ELSE coalesce((SELECT r.revision FROM supplement r WHERE r.id = {of}.record_id), -1) END",
        numbered("session", "sleep_session", "sleep"),
        numbered("log", "intake_log", "supplements")
    )
}

/// Notes changes in their order, with the number that the unit of work gave everything of the person. What was first
/// there stays noted, and so does its place.
pub(super) async fn note(
    connection: &mut Pooled,
    id: ImportId,
    (user_id, number): (Option<UserId>, i64),
    changes: &[ImportChange],
) -> Result<(), StorageError> {
    const ALL: &str =
        "INSERT INTO import_change AS known (import_id, kind, record_id, user_id, change_number, before)
        SELECT $1, n.kind, n.record_id, $2, CASE n.kind
            WHEN 'label' THEN coalesce((SELECT r.revision FROM supplement r WHERE r.id = n.record_id), -1)
            ELSE $6 END, n.before::json
        FROM unnest($3, $4, $5) WITH ORDINALITY AS n (kind, record_id, before, place) ORDER BY n.place";
    const UNLESS_NOTED: &str =
        " ON CONFLICT (record_id, kind, import_id) DO UPDATE SET change_number = excluded.change_number,
            waiting = NULL,
            before = CASE known.change_number WHEN -2 THEN excluded.before ELSE known.before END";

    let mut seen = HashSet::new();
    let (mut kinds, mut records, mut befores) = (Vec::new(), Vec::new(), Vec::new());
    for ImportChange { record, before } in changes {
        if seen.insert(*record) {
            let (kind, record) = record_parts(*record);
            kinds.push(kind);
            records.push(record);
            befores.push(before.as_ref().map(write_before).transpose()?);
        }
    }
    if records.is_empty() {
        return Ok(());
    }
    let statement = |text: String| {
        let query = sql_query(text)
            .bind::<SqlUuid, _>(id.as_uuid())
            .bind::<Nullable<SqlUuid>, _>(user_id.map(|id| id.as_uuid()))
            .bind::<Array<Text>, _>(kinds.clone())
            .bind::<Array<SqlUuid>, _>(records.clone())
            .bind::<Array<Nullable<Text>>, _>(befores.clone())
            .bind::<BigInt, _>(number);
        returning::<(), _>(query)
    };
    // An import hardly ever makes a record twice, and to look for that before each note takes as long as the note.
    if records.len() > 1 && befores.iter().all(Option::is_none) {
        savepoint::open(connection).await?;
        let noted = statement(ALL.to_owned()).execute(connection).await;
        if savepoint::close_unless_violated(connection, noted).await? {
            return Ok(());
        }
    }
    let query = statement(format!("{ALL}{UNLESS_NOTED}"));
    query.execute(connection).await.map(|_| ()).map_err(storage_error)
}

pub(super) async fn noted(
    connection: &mut Pooled,
    id: ImportId,
    limit: u32,
) -> Result<Vec<(ImportChange, Standing)>, StorageError> {
    let text = format!(
        "SELECT c.kind, c.record_id, c.before::text, (
            SELECT o.import_id FROM import_change o
            WHERE o.kind = c.kind AND o.record_id = c.record_id AND o.change_number > c.change_number
                AND c.change_number <> -2 AND (c.kind = 'label' OR o.user_id = c.user_id)
            ORDER BY o.change_number LIMIT 1
         ), c.change_number = {}
         FROM import_change c WHERE c.import_id = $1
         ORDER BY (c.kind <> 'label') DESC, c.change_number DESC, c.sequence DESC LIMIT $2",
        present_number("c", "c.user_id")
    );
    let query = sql_query(text).bind::<SqlUuid, _>(id.as_uuid()).bind::<BigInt, _>(i64::from(limit));
    let rows: Vec<Noted> =
        returning::<NotedColumns, _>(query).load(connection).await.map_err(storage_error)?;
    rows.into_iter().map(standing).collect()
}

/// Kind and id of a record, what it was before, the next import that changed it, whether it is as it was left.
type Noted = (String, Uuid, Option<String>, Option<Uuid>, bool);

fn standing(row: Noted) -> Result<(ImportChange, Standing), StorageError> {
    let (kind, record_id, before, changed_by, is_latest) = row;
    let record = record_reference(&kind, record_id)?;
    let before = before.map(|json| read_before(record, &json)).transpose()?;
    let standing = match (changed_by, is_latest) {
        (Some(later), _) => Standing::ChangedBy(ImportId::from_uuid(later)),
        (None, true) => Standing::Latest,
        (None, false) => Standing::Overtaken,
    };
    Ok((ImportChange { record, before }, standing))
}

pub(super) async fn rebase(
    connection: &mut Pooled,
    later: ImportId,
    record: RecordReference,
    before: Option<&RecordBefore>,
) -> Result<(), StorageError> {
    const REBASE: &str = "UPDATE import_change SET before = $4::json
        WHERE import_id = $1 AND kind = $2 AND record_id = $3";

    let (kind, record_id) = record_parts(record);
    let query = sql_query(REBASE)
        .bind::<SqlUuid, _>(later.as_uuid())
        .bind::<Text, _>(kind)
        .bind::<SqlUuid, _>(record_id)
        .bind::<Nullable<Text>, _>(before.map(write_before).transpose()?);
    returning::<(), _>(query).execute(connection).await.map(|_| ()).map_err(storage_error)
}

/// Deletes a note. The import with the greatest number before it left the record as it is now, unless a later one
/// changed it.
pub(super) async fn forget(
    connection: &mut Pooled,
    id: ImportId,
    record: RecordReference,
) -> Result<(), StorageError> {
    let text = format!(
        "WITH gone AS (
            DELETE FROM import_change WHERE import_id = $1 AND kind = $2 AND record_id = $3
            RETURNING user_id, change_number
        ), last AS (
            SELECT o.import_id, o.change_number < g.change_number AS is_before
            FROM gone g CROSS JOIN LATERAL (
                SELECT r.import_id, r.change_number FROM import_change r
                WHERE r.kind = $2 AND r.record_id = $3 AND r.import_id <> $1 AND r.change_number <> -2
                    AND ($2 = 'label' OR r.user_id = g.user_id)
                ORDER BY r.change_number DESC LIMIT 1
            ) AS o
        )
        UPDATE import_change c SET change_number = {} FROM last
        WHERE c.import_id = last.import_id AND c.kind = $2 AND c.record_id = $3 AND last.is_before",
        present_number("c", "c.user_id")
    );
    let (kind, record_id) = record_parts(record);
    let query =
        sql_query(text).bind::<SqlUuid, _>(id.as_uuid()).bind::<Text, _>(kind).bind::<SqlUuid, _>(record_id);
    returning::<(), _>(query).execute(connection).await.map(|_| ()).map_err(storage_error)
}

/// Deletes a note. What imports did to the record before is overtaken by what is left.
pub(super) async fn leave(
    connection: &mut Pooled,
    id: ImportId,
    record: RecordReference,
) -> Result<(), StorageError> {
    const LEAVE: &str = "WITH gone AS (
            DELETE FROM import_change WHERE import_id = $1 AND kind = $2 AND record_id = $3
            RETURNING user_id, change_number
        )
        UPDATE import_change c SET change_number = -2, before = NULL, waiting = NULL FROM gone
        WHERE c.kind = $2 AND c.record_id = $3 AND c.import_id <> $1 AND ($2 = 'label' OR c.user_id = gone.user_id)
            AND c.change_number <> -2 AND c.change_number < gone.change_number";

    let (kind, record_id) = record_parts(record);
    let query =
        sql_query(LEAVE).bind::<SqlUuid, _>(id.as_uuid()).bind::<Text, _>(kind).bind::<SqlUuid, _>(record_id);
    returning::<(), _>(query).execute(connection).await.map(|_| ()).map_err(storage_error)
}

pub(super) async fn overtake(
    connection: &mut Pooled,
    user_id: Option<UserId>,
    records: &[RecordReference],
) -> Result<(), StorageError> {
    /// Looks up each record in the index; left to itself the planner might read all notes there are.
    const OVERTAKE: &str =
        "UPDATE import_change SET change_number = -2, before = NULL, waiting = NULL WHERE ctid = ANY (ARRAY (
        SELECT n.place FROM unnest($1, $2) AS r (kind, record_id)
        CROSS JOIN LATERAL (
            SELECT c.ctid AS place FROM import_change c
            WHERE c.record_id = r.record_id AND c.kind = r.kind AND (c.kind = 'label' OR c.user_id = $3)
                AND c.change_number <> -2
            FOR UPDATE
        ) AS n))";

    let (kinds, ids): (Vec<&str>, Vec<Uuid>) = records.iter().map(|record| record_parts(*record)).unzip();
    let query = sql_query(OVERTAKE)
        .bind::<Array<Text>, _>(kinds)
        .bind::<Array<SqlUuid>, _>(ids)
        .bind::<Nullable<SqlUuid>, _>(user_id.map(|id| id.as_uuid()));
    returning::<(), _>(query).execute(connection).await.map(|_| ()).map_err(storage_error)
}

pub(super) async fn forget_before(
    connection: &mut Pooled,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<u64, StorageError> {
    /// Looks into each import that ended or broke off; left to itself the planner would rather read all notes there
    /// are.
    const FORGET: &str = "DELETE FROM import_change WHERE ctid = ANY (ARRAY (
        SELECT n.place FROM (
            SELECT id FROM import WHERE ended_at < $1 AND NOT (state = 'undone' AND taken_back_at IS NULL)
            UNION ALL
            SELECT id FROM import
            WHERE state = 'running' AND started_at < $1 AND coalesce(updated_at, started_at) < $1
        ) AS i
        CROSS JOIN LATERAL (
            SELECT c.ctid AS place FROM import_change c WHERE c.import_id = i.id LIMIT $2 FOR UPDATE SKIP LOCKED
        ) AS n LIMIT $2))";

    let query = sql_query(FORGET).bind::<Timestamptz, _>(before).bind::<BigInt, _>(i64::from(limit));
    returning::<(), _>(query).execute(connection).await.map(count).map_err(storage_error)
}

/// Forgets the profile changes of imports whose notes are forgotten.
pub(super) async fn forget_profile_changes_before(
    connection: &mut Pooled,
    before: DateTime<Utc>,
) -> Result<(), StorageError> {
    const FORGET: &str = "UPDATE import SET profile_changes = NULL WHERE id = ANY (ARRAY (
        SELECT id FROM import WHERE profile_changes IS NOT NULL AND started_at < $1
        AND ((ended_at < $1 AND NOT (state = 'undone' AND taken_back_at IS NULL))
            OR (state = 'running' AND coalesce(updated_at, started_at) < $1))
        FOR UPDATE SKIP LOCKED))";

    let query = sql_query(FORGET).bind::<Timestamptz, _>(before);
    returning::<(), _>(query).execute(connection).await.map(|_| ()).map_err(storage_error)
}

/// Takes the import whose undoing waits longest, and skips those that somebody else holds.
pub(super) async fn take_undoing(
    connection: &mut Pooled,
    idle: TimeDelta,
) -> Result<Option<ImportId>, StorageError> {
    const TAKE: &str = "WITH next AS MATERIALIZED (
            SELECT id FROM import
            WHERE state = 'undone' AND taken_back_at IS NULL
                AND coalesce(updated_at, started_at) < now() - $1 * interval '1 second'
            ORDER BY coalesce(updated_at, started_at), id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE import i SET updated_at = now() FROM next WHERE i.id = next.id RETURNING i.id";

    let query = sql_query(TAKE).bind::<BigInt, _>(idle.num_seconds());
    let id: Option<Uuid> =
        returning::<SqlUuid, _>(query).get_result(connection).await.optional().map_err(storage_error)?;
    Ok(id.map(ImportId::from_uuid))
}

pub(super) async fn has_notes(connection: &mut Pooled, id: ImportId) -> Result<bool, StorageError> {
    let notes = change_table::table.filter(change_table::import_id.eq(id.as_uuid()));
    diesel::select(exists(notes)).get_result(connection).await.map_err(storage_error)
}
