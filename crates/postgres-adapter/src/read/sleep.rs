//! Pages and walks of sleep sessions.

use super::sleep_page::SleepPageText;
use crate::connection::PageSpan;
use crate::row::{
    PageSession, PageSessionColumns, SLEEP_COLUMNS, SleepColumns, SleepRow, lower_bound, upper_bound,
};
use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{
    RecordsState, SleepLandmark, SleepPage, SleepPageQuery, SleepPosition, SleepReader, StorageError,
};
use async_trait::async_trait;
use chrono::DateTime;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::id::{SleepSessionId, UserId};
use futures_util::FutureExt;
use uuid::Uuid;

/// What is known when nothing is: no person ever has a number below zero.
const NOWHERE: SleepLandmark = SleepLandmark {
    skipped: 0,
    position: (0, SleepSessionId::from_uuid(Uuid::nil())),
    state: RecordsState { change_number: -1, transaction: 0 },
};

/// The columns of a page that something comes before: the row, and the state of the person's records.
type LaterColumns = (PageSessionColumns, BigInt, BigInt);

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
        let rows: Vec<PageSession> = self
            .read_one_page(span, move |mut link| {
                let statement = sql_query(SleepPageText::of(&query).sql())
                    .bind::<SqlUuid, _>(query.user_id.as_uuid())
                    .bind::<Timestamptz, _>(lower_bound(query.range.start()))
                    .bind::<Timestamptz, _>(upper_bound(query.range.end()))
                    .bind::<BigInt, _>(query.page.offset())
                    .bind::<BigInt, _>(query.page.limit_with_lookahead());
                async move { returning::<PageSessionColumns, _>(statement).load(&mut link).await }.boxed()
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
        let rows: Vec<(PageSession, i64, i64)> = self
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
                async move { returning::<LaterColumns, _>(statement).load(&mut link).await }.boxed()
            })
            .await?;
        let state = |(_, change_number, transaction): &(PageSession, i64, i64)| RecordsState {
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
    rows: impl IntoIterator<Item = PageSession>,
    state: Option<RecordsState>,
) -> Result<SleepPage, StorageError> {
    let size = usize::from(query.page.size.get());
    let mut rows = rows.into_iter();
    let page = rows.by_ref().take(size).map(PageSession::into_packed).collect::<Result<_, _>>()?;
    let next = rows.next().map(|row| row.position());
    Ok(SleepPage { rows: page, has_more: next.is_some(), next, state })
}
