//! Pages of supplements with their logs, and the reads of an export.

use super::known_labels::KnownLabels;
use crate::fixed_array::FixedArray;
use crate::statement::returning;
use crate::store::{PageLength, PostgresStore};
use application::ports::storage::{
    CatalogueVersion, IntakeLogRow, StorageError, SupplementPage, SupplementPageQuery, SupplementReader,
    SupplementRecord,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Double, Nullable, Record, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::paging::SortDirection;
use domain::supplement::{CatalogueKey, IntakeLog, SearchWords, Supplement, Upc};
use futures_util::FutureExt;
use store_shared::column::{Day, DayCell, Id, IdCell, Instant, TimeCell};
use store_shared::{LabelRow, VERSION_COLUMNS, VersionColumns, VersionRow, keyed, lower_bound, upper_bound};
use uuid::Uuid;

/// Microseconds from the Unix epoch to the Postgres epoch, 2000-01-01.
const POSTGRES_EPOCH_MICROS: i64 = 946_684_800_000_000;

/// Lists the supplements of a person with one index look-up each (a loose index scan), so that the number of
/// logs does not matter.
const LOGGED_SUPPLEMENTS: &str = "(SELECT l.supplement_id FROM intake_log l WHERE l.user_id = $1
        ORDER BY l.supplement_id LIMIT 1)
    UNION ALL
    SELECT (SELECT l.supplement_id FROM intake_log l
        WHERE l.user_id = $1 AND l.supplement_id > t.supplement_id ORDER BY l.supplement_id LIMIT 1)
    FROM taken t WHERE t.supplement_id IS NOT NULL";

/// Columns of a version, then its logs as three arrays.
type PageColumns = (
    Id,
    Text,
    Text,
    Text,
    Text,
    Nullable<Day>,
    Instant,
    Text,
    Array<SqlUuid>,
    Array<Timestamptz>,
    Array<Double>,
);

/// All records of a page in one field; NULL if there are none.
type WholePage = Nullable<Array<Record<PageColumns>>>;

/// One record of a page.
type PageRecord = (
    IdCell,
    String,
    String,
    String,
    String,
    Option<DayCell>,
    TimeCell,
    String,
    FixedArray<16>,
    FixedArray<8>,
    FixedArray<8>,
);

fn into_record(record: PageRecord, labels: &KnownLabels) -> Result<SupplementRecord, StorageError> {
    let (
        id,
        brand,
        name,
        servings,
        upc,
        label_date,
        entry_date,
        ingredients,
        log_ids,
        log_times,
        log_servings,
    ) = record;
    let row = LabelRow { id, brand, name, servings, upc, label_date, entry_date, ingredients };
    let times_and_servings = log_times.into_elements().into_iter().zip(log_servings.into_elements());
    let logs = log_ids.into_elements().into_iter().zip(times_and_servings);
    let logs = logs.map(|(id, (micros, servings))| IntakeLogRow {
        id: IntakeLogId::from_uuid(Uuid::from_bytes(id)),
        created_at_micros: i64::from_be_bytes(micros).saturating_add(POSTGRES_EPOCH_MICROS),
        servings: f64::from_be_bytes(servings),
    });
    Ok(SupplementRecord { supplement: labels.version(row)?, logs: logs.collect() })
}

/// How a page arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageShape {
    /// The server sends one row in one message, while many rows wake the reader repeatedly.
    OneRow,
    /// A node cannot send records without a name to another one.
    Rows,
}

const RECORD: &str = "s.id, s.brand, s.name, s.servings, s.upc, s.label_date, s.entry_date,
            s.ingredients::text, logs.ids, logs.times, logs.servings";

/// Returns the statement of a page: `$1` person, `$2` start, `$3` end, `$4` records to skip, `$5` records to
/// read, and `$6` the supplement if the query names one.
///
/// Records are sorted by their first log in the sort direction, which costs one index look-up each. Logs are
/// read only for the records of the page, from the index and in its order.
fn page_sql(sort: SortDirection, names_one: bool, shape: PageShape) -> String {
    let direction = match sort {
        SortDirection::Ascending => "ASC",
        SortDirection::Descending => "DESC",
    };
    let taken = if names_one { "SELECT $6" } else { LOGGED_SUPPLEMENTS };
    let order = format!("ORDER BY p.created_at {direction}, p.supplement_id {direction}");
    let (head, tail) = match shape {
        PageShape::OneRow => (format!("array_agg(ROW({RECORD}) {order})"), String::new()),
        PageShape::Rows => (RECORD.to_owned(), order),
    };
    format!(
        "WITH RECURSIVE taken (supplement_id) AS ({taken}),
        page AS (
            SELECT t.supplement_id, f.created_at FROM taken t CROSS JOIN LATERAL (
                SELECT l.created_at FROM intake_log l
                WHERE l.user_id = $1 AND l.supplement_id = t.supplement_id
                AND l.created_at BETWEEN $2 AND $3
                ORDER BY l.created_at {direction} LIMIT 1
            ) AS f
            ORDER BY f.created_at {direction}, t.supplement_id {direction} OFFSET $4 LIMIT $5
        )
        SELECT {head}
        FROM page p JOIN supplement s ON s.id = p.supplement_id
        CROSS JOIN LATERAL (
            SELECT array_agg(o.id) AS ids, array_agg(o.created_at) AS times, array_agg(o.servings) AS servings
            FROM (
                SELECT l.id, l.created_at, l.servings FROM intake_log l
                WHERE l.user_id = $1 AND l.supplement_id = p.supplement_id
                AND l.created_at BETWEEN $2 AND $3
                ORDER BY l.created_at {direction}, l.id {direction}
            ) AS o
        ) AS logs
        {tail}"
    )
}

const SEARCH: &str = "FROM supplement s WHERE s.is_current AND s.owner_id IS NULL";

/// Names that begin with the query, from the index `supplement_name`: `$1` the beginning.
const BY_NAME: &str = "AND s.search_text >= $1 AND s.search_text < $1 || chr(1114111)
    ORDER BY s.search_text, s.id LIMIT $2";

/// Other labels with all words, from the index `supplement_word`: `$3` the words. A frequent word has tens of
/// thousands of labels, so only some are read and sorted.
const BY_WORD: &str = "AND s.id IN (
        SELECT w.id FROM supplement w WHERE w.is_current AND w.owner_id IS NULL
        AND array_to_tsvector(array_remove(string_to_array(w.search_text, ' '), '')) @@ $3::tsquery
        AND NOT starts_with(w.search_text, $1) LIMIT 500
    ) ORDER BY s.search_text, s.id LIMIT $2";

/// Returns the words as a query for words that begin with them. A word has no blank, quote or backslash.
fn word_query(words: &SearchWords) -> String {
    words.iter().map(|word| format!("'{word}':*")).collect::<Vec<_>>().join(" & ")
}

/// Returns the statement of a page with its parameters.
fn statement(query: SupplementPageQuery, shape: PageShape) -> BoxedSqlQuery<'static, Pg, SqlQuery> {
    let SupplementPageQuery { user_id, start, end, supplement_id, page } = query;
    let statement = sql_query(page_sql(page.sort, supplement_id.is_some(), shape))
        .into_boxed()
        .bind::<SqlUuid, _>(user_id.as_uuid())
        .bind::<Timestamptz, _>(lower_bound(start))
        .bind::<Timestamptz, _>(upper_bound(end))
        .bind::<BigInt, _>(page.offset())
        .bind::<BigInt, _>(page.limit_with_lookahead());
    match supplement_id {
        None => statement,
        Some(id) => statement.bind::<SqlUuid, _>(id.as_uuid()),
    }
}

#[async_trait]
impl SupplementReader for PostgresStore {
    async fn page(&self, query: SupplementPageQuery) -> Result<SupplementPage, StorageError> {
        let page = query.page;
        let is_distributed = self.connector.is_distributed();
        let records: Vec<PageRecord> = self
            .read_one_page(PageLength::Long, move |mut link| {
                async move {
                    if is_distributed {
                        return returning::<PageColumns, _>(statement(query, PageShape::Rows))
                            .load(&mut link)
                            .await;
                    }
                    let statement = returning::<WholePage, _>(statement(query, PageShape::OneRow));
                    statement.get_result(&mut link).await.map(Option::unwrap_or_default)
                }
                .boxed()
            })
            .await?;
        let size = usize::from(page.size.get());
        let has_more = records.len() > size;
        let records = records
            .into_iter()
            .take(size)
            .map(|record| into_record(record, &self.labels))
            .collect::<Result<_, _>>()?;
        Ok(SupplementPage { records, has_more })
    }

    async fn list_logged(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        let text = format!(
            "WITH RECURSIVE taken (supplement_id) AS ({LOGGED_SUPPLEMENTS})
             SELECT supplement_id FROM taken WHERE supplement_id IS NOT NULL"
        );
        let rows: Vec<VersionRow> = self
            .read_page(move |connection| {
                let ids = sql_query(text.clone()).bind::<SqlUuid, _>(user_id.as_uuid());
                async move {
                    let ids: Vec<Uuid> = returning::<SqlUuid, _>(ids).load(connection).await?;
                    let query =
                        sql_query(format!("{} ORDER BY s.id", versions())).bind::<Array<SqlUuid>, _>(ids);
                    returning::<VersionColumns, _>(query).load(connection).await
                }
                .boxed()
            })
            .await?;
        keyed(rows)
    }

    async fn walk_logs(
        &self,
        user_id: UserId,
        after: Option<(DateTime<Utc>, IntakeLogId)>,
        limit: u32,
    ) -> Result<Vec<IntakeLog>, StorageError> {
        store_shared::walk_logs(self, user_id, after, limit).await
    }

    async fn find_log(&self, user_id: UserId, id: IntakeLogId) -> Result<Option<IntakeLog>, StorageError> {
        store_shared::find_log(self, user_id, id).await
    }

    async fn list_versions(
        &self,
        ids: &[SupplementId],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        let ids: Vec<Uuid> = ids.iter().map(SupplementId::as_uuid).collect();
        let query = move || {
            let query = sql_query(versions()).bind::<Array<SqlUuid>, _>(ids.clone());
            returning::<VersionColumns, _>(query)
        };
        keyed(self.read_rows(query).await?)
    }

    async fn list_own(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        store_shared::list_own(self, user_id).await
    }

    async fn search(
        &self,
        words: &SearchWords,
        limit: u32,
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        let (beginning, limit) = (words.beginning(), i64::from(limit));
        let first = move || {
            let statement = sql_query(format!("SELECT {VERSION_COLUMNS} {SEARCH} {BY_NAME}"))
                .bind::<Text, _>(beginning.clone())
                .bind::<BigInt, _>(limit);
            returning::<VersionColumns, _>(statement)
        };
        let mut rows: Vec<VersionRow> = self.read_rows(first).await?;
        let missing = limit - i64::try_from(rows.len()).unwrap_or(limit);
        if missing > 0 {
            let (beginning, query) = (words.beginning(), word_query(words));
            let second = move || {
                let statement = sql_query(format!("SELECT {VERSION_COLUMNS} {SEARCH} {BY_WORD}"))
                    .bind::<Text, _>(beginning.clone())
                    .bind::<BigInt, _>(missing)
                    .bind::<Text, _>(query.clone());
                returning::<VersionColumns, _>(statement)
            };
            let others: Vec<VersionRow> = self.read_rows(second).await?;
            rows.extend(others);
        }
        keyed(rows)
    }

    async fn list_by_upc(&self, upc: &Upc) -> Result<Vec<CatalogueVersion>, StorageError> {
        store_shared::list_by_upc(self, upc).await
    }
}

/// Returns the statement that loads versions by their ids, `$1`.
fn versions() -> String {
    format!("SELECT {VERSION_COLUMNS} FROM supplement s WHERE s.id = ANY ($1)")
}
