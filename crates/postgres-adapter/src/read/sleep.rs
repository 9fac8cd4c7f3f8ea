//! Pages and walks of sleep sessions.

use super::sleep_page::SleepPageText;
use crate::connection::PageSpan;
use crate::row::{SLEEP_COLUMNS, SleepColumns, SleepRow, lower_bound, sleep_offset, upper_bound};
use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{
    PackedSleepRow, RecordsState, SleepLandmark, SleepPage, SleepPageQuery, SleepPosition, SleepReader,
    StorageError,
};
use async_trait::async_trait;
use chrono::DateTime;
use diesel::data_types::PgTimestamp;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::id::{SleepSessionId, UserId};
use futures_util::FutureExt;
use uuid::Uuid;

/// From the epoch of Postgres, 2000-01-01, to that of Unix, in microseconds.
const POSTGRES_EPOCH_MICROS: i64 = 946_684_800_000_000;

/// What is known when nothing is: no person ever has a number below zero.
const NOWHERE: SleepLandmark = SleepLandmark {
    skipped: 0,
    position: (0, SleepSessionId::from_uuid(Uuid::nil())),
    state: RecordsState { change_number: -1, transaction: 0 },
};

/// The columns of a page's row.
pub(super) type Columns = (
    SqlUuid,
    Timestamptz,
    Timestamptz,
    Nullable<SmallInt>,
    Nullable<SmallInt>,
    Text,
    Nullable<Bool>,
    Timestamptz,
    Binary,
    Binary,
);

/// A page's row as it comes; times stay numbers, because nothing here needs a calendar.
pub(super) type Row = (
    Uuid,
    PgTimestamp,
    PgTimestamp,
    Option<i16>,
    Option<i16>,
    String,
    Option<bool>,
    PgTimestamp,
    Vec<u8>,
    Vec<u8>,
);

#[async_trait]
impl SleepReader for PostgresStore {
    async fn page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        if query.page.offset() == 0 { self.first_page(query).await } else { self.later_page(query).await }
    }

    async fn walk(
        &self,
        user_id: UserId,
        after: Option<SleepPosition>,
        limit: u32,
    ) -> Result<Vec<domain::sleep::SleepSession>, StorageError> {
        let text = format!(
            "SELECT {SLEEP_COLUMNS} FROM sleep_session s
             WHERE s.user_id = $1 AND (s.started_at, s.id) > ($2, $3)
             ORDER BY s.started_at, s.id LIMIT $4"
        );
        let (start, id) = after.map_or((None, Uuid::nil()), |(millis, id)| {
            (DateTime::from_timestamp_millis(millis), id.as_uuid())
        });
        let rows: Vec<SleepRow> = self
            .read_page(move |connection| {
                let statement = sql_query(text.clone())
                    .bind::<SqlUuid, _>(user_id.as_uuid())
                    .bind::<Timestamptz, _>(lower_bound(start))
                    .bind::<SqlUuid, _>(id)
                    .bind::<BigInt, _>(i64::from(limit));
                async move { returning::<SleepColumns, _>(statement).load(connection).await }.boxed()
            })
            .await?;
        rows.into_iter().map(SleepRow::into_session).collect()
    }
}

impl PostgresStore {
    async fn first_page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        let span = PageSpan::of_rows(0, query.page.limit_with_lookahead());
        let rows: Vec<Row> = self
            .read_one_page(span, move |mut link| {
                let statement = sql_query(SleepPageText::of(&query).sql())
                    .bind::<SqlUuid, _>(query.user_id.as_uuid())
                    .bind::<Timestamptz, _>(lower_bound(query.range.start()))
                    .bind::<Timestamptz, _>(upper_bound(query.range.end()))
                    .bind::<BigInt, _>(query.page.offset())
                    .bind::<BigInt, _>(query.page.limit_with_lookahead());
                async move { returning::<Columns, _>(statement).load(&mut link).await }.boxed()
            })
            .await?;
        page(&query, rows, None)
    }

    /// Reads a page that something comes before, together with the state of the person's records.
    async fn later_page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        let known = query.known.filter(|known| known.skipped <= query.page.offset()).unwrap_or(NOWHERE);
        let (started_at, id) = known.position;
        let started_at = DateTime::from_timestamp_millis(started_at);
        let skipped = query.page.offset().saturating_sub(known.skipped);
        let span = PageSpan::of_rows(skipped, query.page.limit_with_lookahead());
        let rows: Vec<(Row, i64, i64)> = self
            .read_one_page(span, move |mut link| {
                let statement = sql_query(SleepPageText::of(&query).sql())
                    .bind::<SqlUuid, _>(query.user_id.as_uuid())
                    .bind::<Timestamptz, _>(lower_bound(query.range.start()))
                    .bind::<Timestamptz, _>(upper_bound(query.range.end()))
                    .bind::<BigInt, _>(query.page.offset())
                    .bind::<BigInt, _>(query.page.limit_with_lookahead())
                    .bind::<BigInt, _>(known.state.change_number)
                    .bind::<Timestamptz, _>(lower_bound(started_at))
                    .bind::<SqlUuid, _>(id.as_uuid())
                    .bind::<BigInt, _>(skipped)
                    .bind::<BigInt, _>(known.state.transaction);
                async move { returning::<(Columns, BigInt, BigInt), _>(statement).load(&mut link).await }
                    .boxed()
            })
            .await?;
        let state = |(_, change_number, transaction): &(Row, i64, i64)| RecordsState {
            change_number: *change_number,
            transaction: *transaction,
        };
        let state = rows.as_slice().first().map(state);
        page(&query, rows.into_iter().map(|(row, ..)| row), state)
    }
}

/// Takes the row apart that only tells that, and where, there is more.
fn page(
    query: &SleepPageQuery,
    rows: impl IntoIterator<Item = Row>,
    state: Option<RecordsState>,
) -> Result<SleepPage, StorageError> {
    let size = usize::from(query.page.size.get());
    let mut rows = rows.into_iter();
    let page = rows.by_ref().take(size).map(packed).collect::<Result<_, _>>()?;
    let next = rows.next().map(|(id, started_at, ..)| (millis(started_at), SleepSessionId::from_uuid(id)));
    Ok(SleepPage { rows: page, has_more: next.is_some(), next, state })
}

/// Reads a page's row.
pub(super) fn packed(row: Row) -> Result<PackedSleepRow, StorageError> {
    let (id, started_at, ended_at, at_start, at_end, source, is_nap, updated_at, stages, metrics) = row;
    Ok(PackedSleepRow {
        id: SleepSessionId::from_uuid(id),
        started_at_millis: millis(started_at),
        ended_at_millis: millis(ended_at),
        offset_at_start: sleep_offset(at_start, "offset_at_start", id)?,
        offset_at_end: sleep_offset(at_end, "offset_at_end", id)?,
        source: Some(source).filter(|source| !source.is_empty()).map(String::into_boxed_str),
        is_nap,
        updated_at_millis: millis(updated_at),
        stages: stages.into_boxed_slice(),
        metrics: metrics.into_boxed_slice(),
    })
}

const fn millis(at: PgTimestamp) -> i64 {
    micros(at).div_euclid(1_000)
}

/// Counts from the epoch of Unix.
pub(super) const fn micros(PgTimestamp(micros): PgTimestamp) -> i64 {
    micros.saturating_add(POSTGRES_EPOCH_MICROS)
}
