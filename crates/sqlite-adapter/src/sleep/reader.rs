//! Sessions read outside a transaction.

use super::row::{SleepRow, offset};
use crate::error::StorageResult as _;
use crate::row::{Cells, blob};
use crate::schema::sleep_session;
use crate::statement::Statement;
use crate::store::SqliteStore;
use application::ports::storage::{
    PackedSleepRow, RecordsState, SleepLandmark, SleepPage, SleepPageQuery, SleepPosition, SleepReader,
    StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
use diesel::sqlite::SqliteConnection;
use domain::id::{SleepSessionId, UserId};
use domain::paging::SortDirection;
use domain::sleep::SleepSession;
use uuid::Uuid;

/// Numbers of changes begin at 0: nobody has this one.
const NO_NUMBER: i64 = -1;

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

/// A row of a page, in the order of [`columns`].
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
        let cells = Cells::of("sleep_session", &id);
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
            for row in page_statement(&query).load_iter::<(PageRow, Option<i64>), _>(connection).storage()? {
                let (row, change_number) = row.storage()?;
                page.state = change_number.map(state);
                let row = row.into_packed()?;
                if page.rows.len() == size {
                    page.has_more = true;
                    page.next = Some((row.started_at_millis, row.id));
                    break;
                }
                page.rows.push(row);
            }
            Ok(page)
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
            // The first condition is for the index; the second tells apart what starts at the same time.
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

/// Reads one session of a person, whole and packed.
pub(crate) fn find_packed(
    connection: &mut SqliteConnection,
    user_id: &[u8],
    id: &[u8],
) -> Result<Option<PackedSleepRow>, StorageError> {
    let statement: Statement<PageSql> = Statement::new(
        "SELECT id, started_at, ended_at, offset_at_start, offset_at_end, source, is_nap, updated_at, stages, metrics \
         FROM sleep_session WHERE user_id = ? AND id = ?",
    )
    .blob(user_id)
    .blob(id);
    let row: Option<PageRow> = statement.get_result(connection).optional().storage()?;
    row.map(PageRow::into_packed).transpose()
}

/// Makes the statement of a page, whose rows end with the person's number of changes on all pages but the first.
fn page_statement(query: &SleepPageQuery) -> Statement<(PageSql, Nullable<BigInt>)> {
    let statement = if query.page.offset() == 0 { first_page(query) } else { later_page(query) };
    statement.sql(order(query)).sql("?").integer(query.page.limit_with_lookahead())
}

fn first_page(query: &SleepPageQuery) -> Statement<(PageSql, Nullable<BigInt>)> {
    let (start, end) = bounds(query);
    columns(query, Statement::new("SELECT "), "NULL")
        .sql(" WHERE user_id = ? AND started_at >= ? AND started_at <= ?")
        .blob(query.user_id.as_uuid().as_bytes())
        .integer(start)
        .integer(end)
}

/// A page further back: its first key is found by a skip on `sleep_session_start`, which holds keys alone; its rows are
/// read from the table from there on. Materialised, or the skip would be done twice. Beside the first key there must be
/// no second bound on that side: SQLite would begin at that one.
///
/// The skip begins at the landmark while the person's number of changes is still that of the landmark, and at the near
/// end of the range otherwise: both are seen by one statement, as they are at one moment.
fn later_page(query: &SleepPageQuery) -> Statement<(PageSql, Nullable<BigInt>)> {
    let user_id = query.user_id.as_uuid();
    let (start, end) = bounds(query);
    let skipped = query.page.offset();
    let (near, outermost, far) = match query.page.sort {
        SortDirection::Ascending => (start, [0x00; 16], end),
        SortDirection::Descending => (end, [0xff; 16], start),
    };
    let (beyond, within) = match query.page.sort {
        SortDirection::Ascending => (" AND (started_at, id) >= ", " AND started_at <= ?"),
        SortDirection::Descending => (" AND (started_at, id) <= ", " AND started_at >= ?"),
    };
    let near_end = SleepLandmark {
        skipped: 0,
        position: (near, SleepSessionId::from_uuid(Uuid::from_bytes(outermost))),
        state: state(NO_NUMBER),
    };
    let known = query.known.filter(|known| known.skipped <= skipped).unwrap_or(near_end);
    let (known_start, known_id) = known.position;
    let skip =
        Statement::new("WITH known (number, holds) AS MATERIALIZED (SELECT change_number, change_number = ?")
            .integer(known.state.change_number)
            .sql(" FROM account WHERE id = ?), first (started_at, id) AS MATERIALIZED (SELECT started_at, id")
            .blob(user_id.as_bytes())
            .sql(" FROM sleep_session INDEXED BY sleep_session_start WHERE user_id = ?")
            .blob(user_id.as_bytes())
            .sql(beyond)
            .sql("(SELECT iif(holds, ?, ?), iif(holds, ?, ?) FROM known)")
            .integer(known_start)
            .integer(near)
            .blob(known_id.as_uuid().as_bytes())
            .blob(&outermost)
            .sql(within)
            .integer(far)
            .sql(order(query))
            .sql("1 OFFSET (SELECT iif(holds, ?, ?) FROM known)) SELECT ")
            .integer(skipped.saturating_sub(known.skipped))
            .integer(skipped);
    columns(query, skip, "(SELECT number FROM known)")
        .sql(" WHERE user_id = ?")
        .blob(user_id.as_bytes())
        .sql(beyond)
        .sql("(SELECT started_at, id FROM first)")
        .sql(within)
        .integer(far)
}

/// A file has one history, so that the number alone tells the state.
const fn state(change_number: i64) -> RecordsState {
    RecordsState { change_number, transaction: 0 }
}

/// The ends of the range in milliseconds.
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

/// Appends the columns, that of the number of changes last, and the table; what is not wanted is not read.
fn columns<R>(query: &SleepPageQuery, statement: Statement<R>, number: &'static str) -> Statement<R> {
    statement
        .sql("id, started_at, ended_at, offset_at_start, offset_at_end, source, is_nap, updated_at, ")
        .sql(if query.with_stages { "stages, " } else { "x'', " })
        .sql(if query.with_metrics { "metrics, " } else { "x'', " })
        .sql(number)
        .sql(" FROM sleep_session")
}

/// Rounds up to the next whole millisecond: what starts in the millisecond before does not start in the range.
fn millis_rounded_up(instant: DateTime<Utc>) -> i64 {
    let begun = i64::from(!instant.timestamp_subsec_nanos().is_multiple_of(1_000_000));
    instant.timestamp_millis().saturating_add(begun)
}

#[cfg(test)]
mod tests;
