//! Changes of a person's records.

use crate::error::unexpected;
use crate::sleep::{PageSession, PageSessionColumns, unix_micros};
use crate::statement::returning;
use crate::store::PostgresStore;
use crate::supplement::KnownLabels;
use application::ports::storage::{
    Change, ChangePage, ChangePageQuery, ChangeReader, IntakeLogRow, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::data_types::PgTimestamp;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{BigInt, Bool, Double, Nullable, SmallInt, Timestamptz};
use domain::change::ChangePosition;
use domain::data_kind::DataKind;
use domain::id::IntakeLogId;
use std::cmp::Ordering;
use store_shared::{ACCOUNT_COLUMNS, AccountColumns, AccountRow, LabelColumns, LabelRow, Stored as _};
use uuid::Uuid;

#[cfg(test)]
mod tests;

/// Returns the statement of one page: `$1` person, `$2` limit, then the start position of each kind.
///
/// The first part finds the positions: each kind, and its deletions, enters its index at its start and reads
/// at most one page. The second part looks up the records of the page one by one; without the page's length,
/// the planner would rather read all of the person's records. One statement sees one snapshot. `$9` is the
/// position's number: if the person's changes have not reached it, the only row is of kind 3.
fn page_sql() -> String {
    format!("WITH page AS MATERIALIZED (
        SELECT c.number, c.kind, c.id, c.is_gone FROM (
            SELECT a.profile_change_number AS number, 0::smallint AS kind, a.id, false AS is_gone FROM account a
            WHERE a.id = $1 AND (a.profile_change_number, a.id) > ($3, $4)
            UNION ALL
            (SELECT s.change_number, 1::smallint, s.id, false FROM sleep_session s
            WHERE s.user_id = $1 AND (s.change_number, s.id) > ($5, $6)
            ORDER BY s.change_number, s.id LIMIT $2)
            UNION ALL
            (SELECT d.change_number, 1::smallint, d.id, true FROM deletion d
            WHERE d.user_id = $1 AND d.kind = 'sleep' AND (d.change_number, d.id) > ($5, $6)
            ORDER BY d.change_number, d.id LIMIT $2)
            UNION ALL
            (SELECT l.change_number, 2::smallint, l.id, false FROM intake_log l
            WHERE l.user_id = $1 AND (l.change_number, l.id) > ($7, $8)
            ORDER BY l.change_number, l.id LIMIT $2)
            UNION ALL
            (SELECT d.change_number, 2::smallint, d.id, true FROM deletion d
            WHERE d.user_id = $1 AND d.kind = 'supplements' AND (d.change_number, d.id) > ($7, $8)
            ORDER BY d.change_number, d.id LIMIT $2)
        ) AS c ORDER BY c.number, c.kind, c.id LIMIT $2
    )
    SELECT p.number, p.kind, p.id, p.is_gone, session.*, log.*, profile.*
    FROM (
        SELECT number, kind, id, is_gone FROM page
        UNION ALL
        SELECT a.change_number, 3::smallint, a.id, true FROM account a WHERE a.id = $1 AND a.change_number < $9
    ) AS p
    LEFT JOIN LATERAL (
        SELECT s.id, s.started_at, s.ended_at, s.offset_at_start, s.offset_at_end, s.source, s.is_nap, s.updated_at,
            s.stages, s.metrics
        FROM sleep_session s WHERE p.kind = 1 AND NOT p.is_gone AND s.user_id = $1 AND s.id = p.id OFFSET 0
    ) AS session ON true
    LEFT JOIN LATERAL (
        SELECT l.id, l.created_at, l.servings AS taken, v.id AS version, v.brand, v.name, v.servings, v.upc,
            v.label_date, v.entry_date, v.ingredients::text
        FROM intake_log l JOIN supplement v ON v.id = l.supplement_id
        WHERE p.kind = 2 AND NOT p.is_gone AND l.user_id = $1 AND l.id = p.id OFFSET 0
    ) AS log ON true
    LEFT JOIN LATERAL (
        SELECT {ACCOUNT_COLUMNS} FROM account a WHERE p.kind = 0 AND a.id = $1 OFFSET 0
    ) AS profile ON true
    ORDER BY p.number, p.kind, p.id")
}

/// Kind of the row that reports a position ahead of the person's changes.
const AHEAD: i16 = 3;

/// Skips locked deletions; a later run deletes them. The forms are those for sums of reads.
const FORGET: [&str; 2] = [
    "WITH old AS MATERIALIZED (
        SELECT tableoid, ctid FROM deletion WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM deletion
    WHERE ctid = ANY (ARRAY (SELECT ctid FROM old)) AND (tableoid, ctid) IN (SELECT tableoid, ctid FROM old)",
    "WITH old AS MATERIALIZED (
        SELECT user_id, kind, id FROM deletion WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2
    )
    DELETE FROM deletion d USING old WHERE d.user_id = old.user_id AND d.kind = old.kind AND d.id = old.id",
];

type LogColumns = (SqlUuid, Timestamptz, Double, LabelColumns);

/// A log and its version.
type LogAndVersion = (Uuid, PgTimestamp, f64, LabelRow);

type Columns = (
    BigInt,
    SmallInt,
    SqlUuid,
    Bool,
    Nullable<PageSessionColumns>,
    Nullable<LogColumns>,
    Nullable<AccountColumns>,
);

type Row = (i64, i16, Uuid, bool, Option<PageSession>, Option<LogAndVersion>, Option<AccountRow>);

#[async_trait]
impl ChangeReader for PostgresStore {
    async fn changes(&self, query: ChangePageQuery) -> Result<ChangePage, StorageError> {
        let [profile, sleep, supplements] = DataKind::ALL.map(|kind| start(&query, kind));
        let limit = i64::from(query.limit);
        let user_id = query.user_id.as_uuid();
        let reached = query.after.map_or(0, |after| after.number);
        let rows: Vec<Row> = self
            .read_rows(move || {
                returning::<Columns, _>(
                    sql_query(page_sql())
                        .bind::<SqlUuid, _>(user_id)
                        .bind::<BigInt, _>(limit.saturating_add(1))
                        .bind::<BigInt, _>(profile.0)
                        .bind::<SqlUuid, _>(profile.1)
                        .bind::<BigInt, _>(sleep.0)
                        .bind::<SqlUuid, _>(sleep.1)
                        .bind::<BigInt, _>(supplements.0)
                        .bind::<SqlUuid, _>(supplements.1)
                        .bind::<BigInt, _>(reached),
                )
            })
            .await?;
        if rows.iter().any(|row| row.1 == AHEAD) {
            return Ok(ChangePage { is_ahead: true, ..ChangePage::default() });
        }
        let size = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let has_more = rows.len() > size;
        let changes =
            rows.into_iter().take(size).map(|row| change(row, &self.labels)).collect::<Result<_, _>>()?;
        Ok(ChangePage { changes, has_more, is_ahead: false })
    }

    async fn forget_deletions(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let mut connection = self.pooled().await?;
        let statement = connection.form(FORGET);
        connection.delete_before(statement, before, limit).await
    }
}

/// Returns the number and id after which a kind starts: beyond everything if the kind is not requested.
fn start(query: &ChangePageQuery, kind: DataKind) -> (i64, Uuid) {
    if !query.kinds.contains(&kind) {
        return (i64::MAX, Uuid::max());
    }
    let Some(after) = query.after else { return (-1, Uuid::max()) };
    match kind.cmp(&after.kind) {
        Ordering::Less => (after.number, Uuid::max()),
        Ordering::Equal => (after.number, after.id),
        // All changes of this kind with this number are after the position.
        Ordering::Greater => (after.number.saturating_sub(1), Uuid::max()),
    }
}

fn change(row: Row, labels: &KnownLabels) -> Result<(ChangePosition, Change), StorageError> {
    let (number, place, id, is_gone, session, log, profile) = row;
    let kind = usize::try_from(place).ok().and_then(|place| DataKind::ALL.get(place).copied());
    let kind = kind.ok_or_else(|| unexpected("a change of an unknown kind"))?;
    let change = match (is_gone, session, log, profile) {
        (true, None, None, None) => Change::Deleted,
        (false, Some(session), None, None) => Change::Session(Box::new(session.into_packed()?)),
        (false, None, Some(log), None) => log_change(log, labels)?,
        (false, None, None, Some(profile)) => Change::Profile(Box::new(profile.into_value()?)),
        _ => return Err(unexpected("a change without its record")),
    };
    Ok((ChangePosition { number, kind, id }, change))
}

fn log_change(row: LogAndVersion, labels: &KnownLabels) -> Result<Change, StorageError> {
    let (id, taken_at, servings, version) = row;
    let id = IntakeLogId::from_uuid(id);
    let log = IntakeLogRow { id, created_at_micros: unix_micros(taken_at), servings };
    Ok(Change::Log { supplement: labels.version(version)?, log })
}
