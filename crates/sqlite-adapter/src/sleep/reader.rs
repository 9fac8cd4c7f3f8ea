//! Pages and exports of sleep sessions.

use super::row::{SleepRow, offset};
use crate::error::StorageResult as _;
use crate::row::{Cells, blob};
use crate::schema::sleep_session;
use crate::store::SqliteStore;
use application::ports::storage::{
    PackedSleepRow, SleepPage, SleepPageQuery, SleepPosition, SleepReader, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
use diesel::sqlite::SqliteConnection;
use domain::id::{SleepSessionId, UserId};
use domain::paging::SortDirection;
use domain::sleep::SleepSession;
use store_shared::Raw;

/// The SQL types of a row of a page.
type PageSql = (
    Binary,
    BigInt,
    BigInt,
    Nullable<Integer>,
    Nullable<Integer>,
    Text,
    Nullable<Bool>,
    BigInt,
    Binary,
    Binary,
);

/// Row of a page, in the order of [`columns`].
#[derive(Queryable)]
struct PageRow {
    id: Vec<u8>,
    started_at: i64,
    ended_at: i64,
    offset_at_start: Option<i32>,
    offset_at_end: Option<i32>,
    source: String,
    is_nap: Option<bool>,
    updated_at: i64,
    stages: Vec<u8>,
    metrics: Vec<u8>,
}

impl PageRow {
    fn into_packed(self) -> Result<PackedSleepRow, StorageError> {
        let Self {
            id,
            started_at,
            ended_at,
            offset_at_start,
            offset_at_end,
            source,
            is_nap,
            updated_at,
            stages,
            metrics,
        } = self;
        let cells = Cells::new("sleep_session", &id);
        Ok(PackedSleepRow {
            id: SleepSessionId::from_uuid(cells.uuid("id", &id)?),
            started_at_millis: started_at,
            ended_at_millis: ended_at,
            offset_at_start: offset(cells, "offset_at_start", offset_at_start)?,
            offset_at_end: offset(cells, "offset_at_end", offset_at_end)?,
            source: (!source.is_empty()).then(|| source.into_boxed_str()),
            is_nap,
            updated_at_millis: updated_at,
            stages: stages.into_boxed_slice(),
            metrics: metrics.into_boxed_slice(),
        })
    }
}

#[async_trait]
impl SleepReader for SqliteStore {
    async fn page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        self.read(move |connection| {
            let size = usize::from(query.page.size.get());
            let mut page = SleepPage::default();
            for row in page_statement(&query).load_iter::<PageRow, _>(connection).storage()? {
                if page.rows.len() == size {
                    page.has_more = true;
                    break;
                }
                page.rows.push(row.storage()?.into_packed()?);
            }
            Ok(page)
        })
        .await
    }

    async fn find(&self, user_id: UserId, id: SleepSessionId) -> Result<Option<SleepSession>, StorageError> {
        self.read(move |connection| {
            use sleep_session::dsl;
            let row: Option<SleepRow> = dsl::sleep_session
                .select(SleepRow::as_select())
                .filter(dsl::user_id.eq(blob(user_id.as_uuid())))
                .filter(dsl::id.eq(blob(id.as_uuid())))
                .first(connection)
                .optional()
                .storage()?;
            row.map(SleepRow::into_session).transpose()
        })
        .await
    }

    async fn walk(
        &self,
        user_id: UserId,
        after: Option<SleepPosition>,
        limit: u32,
    ) -> Result<Vec<SleepSession>, StorageError> {
        let (start, id) = after.map_or((i64::MIN, Vec::new()), |(start, id)| (start, blob(id.as_uuid())));
        self.read(move |connection| {
            use sleep_session::dsl;
            // The first condition is for the index; the second decides between equal start times.
            let rows: Vec<SleepRow> = dsl::sleep_session
                .select(SleepRow::as_select())
                .filter(dsl::user_id.eq(blob(user_id.as_uuid())))
                .filter(dsl::started_at.ge(start))
                .filter(dsl::started_at.gt(start).or(dsl::id.gt(id)))
                .order((dsl::started_at, dsl::id))
                .limit(i64::from(limit))
                .load(connection)
                .storage()?;
            rows.into_iter().map(SleepRow::into_session).collect()
        })
        .await
    }
}

/// Reads one whole session in packed form.
pub(crate) fn find_packed(
    connection: &mut SqliteConnection,
    user_id: &[u8],
    id: &[u8],
) -> Result<Option<PackedSleepRow>, StorageError> {
    let statement: Raw<PageSql> = Raw::same(
        "SELECT id, started_at, ended_at, offset_at_start, offset_at_end, source, is_nap, updated_at, stages, metrics \
         FROM sleep_session WHERE user_id = ? AND id = ?",
    )
    .blob(user_id)
    .blob(id);
    let row: Option<PageRow> = statement.get_result(connection).optional().storage()?;
    row.map(PageRow::into_packed).transpose()
}

fn page_statement(query: &SleepPageQuery) -> Raw<PageSql> {
    let statement = if query.page.offset() == 0 { first_page(query) } else { later_page(query) };
    statement.sql(order(query)).sql("?").bind(query.page.limit_with_lookahead())
}

fn first_page(query: &SleepPageQuery) -> Raw<PageSql> {
    let (start, end) = bounds(query);
    columns(query, Raw::same("SELECT "))
        .sql(" WHERE user_id = ? AND started_at >= ? AND started_at <= ?")
        .blob(query.user_id.as_uuid().as_bytes())
        .bind(start)
        .bind(end)
}

/// Returns the statement of a later page. A subquery finds its first key in the index `sleep_session_start`,
/// which contains keys only; the rows are read from the table from that key on. The subquery is materialized,
/// so that it runs once. A second bound on the side of the first key must be omitted: SQLite would start the
/// scan there.
fn later_page(query: &SleepPageQuery) -> Raw<PageSql> {
    let user_id = query.user_id.as_uuid();
    let (start, end) = bounds(query);
    let (near, outermost, far) = match query.page.sort {
        SortDirection::Ascending => (start, [0x00; 16], end),
        SortDirection::Descending => (end, [0xff; 16], start),
    };
    let (beyond, within) = match query.page.sort {
        SortDirection::Ascending => (" AND (started_at, id) >= ", " AND started_at <= ?"),
        SortDirection::Descending => (" AND (started_at, id) <= ", " AND started_at >= ?"),
    };
    let skip = Raw::same("WITH first (started_at, id) AS MATERIALIZED (SELECT started_at, id")
        .sql(" FROM sleep_session INDEXED BY sleep_session_start WHERE user_id = ?")
        .blob(user_id.as_bytes())
        .sql(beyond)
        .sql("(?, ?)")
        .bind(near)
        .blob(&outermost)
        .sql(within)
        .bind(far)
        .sql(order(query))
        .sql("1 OFFSET ?) SELECT ")
        .bind(query.page.offset());
    columns(query, skip)
        .sql(" WHERE user_id = ?")
        .blob(user_id.as_bytes())
        .sql(beyond)
        .sql("(SELECT started_at, id FROM first)")
        .sql(within)
        .bind(far)
}

/// Returns the range in milliseconds.
fn bounds(query: &SleepPageQuery) -> (i64, i64) {
    let start = query.range.start().map_or(i64::MIN, millis_rounded_up);
    (start, query.range.end().map_or(i64::MAX, |end| end.timestamp_millis()))
}

const fn order(query: &SleepPageQuery) -> &'static str {
    match query.page.sort {
        SortDirection::Ascending => " ORDER BY started_at, id LIMIT ",
        SortDirection::Descending => " ORDER BY started_at DESC, id DESC LIMIT ",
    }
}

/// Appends the columns and the table; columns that were not requested are not read.
fn columns<R>(query: &SleepPageQuery, statement: Raw<R>) -> Raw<R> {
    statement
        .sql("id, started_at, ended_at, offset_at_start, offset_at_end, source, is_nap, updated_at, ")
        .sql(if query.with_stages { "stages, " } else { "x'', " })
        .sql(if query.with_metrics { "metrics " } else { "x'' " })
        .sql("FROM sleep_session")
}

/// Rounds up to milliseconds, so that a session before the start of the range is excluded.
fn millis_rounded_up(instant: DateTime<Utc>) -> i64 {
    let round_up = i64::from(!instant.timestamp_subsec_nanos().is_multiple_of(1_000_000));
    instant.timestamp_millis().saturating_add(round_up)
}

#[cfg(test)]
mod tests;
