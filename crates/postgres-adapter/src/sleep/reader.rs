//! Pages and exports of sleep sessions.

use super::page::SleepPageText;
use super::page_session::{PageSession, PageSessionColumns};
use super::row::{SLEEP_COLUMNS, SleepColumns, SleepRow};
use crate::statement::returning;
use crate::store::{PageLength, PostgresStore};
use application::ports::storage::{SleepPage, SleepPageQuery, SleepPosition, SleepReader, StorageError};
use async_trait::async_trait;
use chrono::DateTime;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{BigInt, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::id::{SleepSessionId, UserId};
use domain::sleep::SleepSession;
use futures_util::FutureExt;
use store_shared::{lower_bound, upper_bound};
use uuid::Uuid;

#[async_trait]
impl SleepReader for PostgresStore {
    async fn page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        let length = PageLength::of_rows(query.page.offset(), query.page.limit_with_lookahead());
        let rows: Vec<PageSession> = self
            .read_one_page(length, move |mut link| {
                let statement = sql_query(SleepPageText::from_query(&query).sql())
                    .bind::<SqlUuid, _>(query.user_id.as_uuid())
                    .bind::<Timestamptz, _>(lower_bound(query.range.start()))
                    .bind::<Timestamptz, _>(upper_bound(query.range.end()))
                    .bind::<BigInt, _>(query.page.offset())
                    .bind::<BigInt, _>(query.page.limit_with_lookahead());
                async move { returning::<PageSessionColumns, _>(statement).load(&mut link).await }.boxed()
            })
            .await?;
        let size = usize::from(query.page.size.get());
        let has_more = rows.len() > size;
        let rows = rows.into_iter().take(size).map(PageSession::into_packed).collect::<Result<_, _>>()?;
        Ok(SleepPage { rows, has_more })
    }

    async fn find(&self, user_id: UserId, id: SleepSessionId) -> Result<Option<SleepSession>, StorageError> {
        let text = format!("SELECT {SLEEP_COLUMNS} FROM sleep_session s WHERE s.user_id = $1 AND s.id = $2");
        let query = move || {
            let query = sql_query(text.clone())
                .bind::<SqlUuid, _>(user_id.as_uuid())
                .bind::<SqlUuid, _>(id.as_uuid());
            returning::<SleepColumns, _>(query)
        };
        self.read_rows(query).await?.into_iter().next().map(SleepRow::into_session).transpose()
    }

    async fn walk(
        &self,
        user_id: UserId,
        after: Option<SleepPosition>,
        limit: u32,
    ) -> Result<Vec<SleepSession>, StorageError> {
        let text = format!(
            "SELECT {SLEEP_COLUMNS} FROM sleep_session s
             WHERE s.user_id = $1 AND (s.started_at, s.id) > ($2, $3)
             ORDER BY s.started_at, s.id LIMIT $4"
        );
        let (start, id) = after.map_or((None, Uuid::nil()), |(millis, id)| {
            (DateTime::from_timestamp_millis(millis), id.as_uuid())
        });
        let query = move || {
            returning::<SleepColumns, _>(
                sql_query(text.clone())
                    .bind::<SqlUuid, _>(user_id.as_uuid())
                    .bind::<Timestamptz, _>(lower_bound(start))
                    .bind::<SqlUuid, _>(id)
                    .bind::<BigInt, _>(i64::from(limit)),
            )
        };
        self.read_rows(query).await?.into_iter().map(SleepRow::into_session).collect()
    }
}
