//! Pages of supplements with their logs, and the reads of an export.

use crate::error::{self, StorageResult as _};
use crate::row::{Cells, micros};
use crate::statement::load_row;
use crate::store::SqliteStore;
use application::ports::storage::{
    CatalogueVersion, IntakeLogRow, StorageError, SupplementPage, SupplementPageQuery, SupplementReader,
    SupplementRecord,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::connection::Connection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Double};
use diesel::sqlite::SqliteConnection;
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::paging::SortDirection;
use domain::supplement::{CatalogueKey, IntakeLog, SearchWords, Supplement, Upc};
use std::sync::Arc;
use store_shared::column::Held as _;
use store_shared::{Raw, Stored as _, VersionRow, keyed, version_statement};

/// Lists the supplements of a person with one index lookup each (a loose index scan), so that the number of
/// logs does not matter. Binds the person twice.
const LOGGED_SUPPLEMENTS: &str = "WITH RECURSIVE taken (supplement_id) AS (\
    SELECT (SELECT min(supplement_id) FROM intake_log WHERE user_id = ?) \
    UNION ALL \
    SELECT (SELECT min(supplement_id) FROM intake_log WHERE user_id = ? \
    AND intake_log.supplement_id > taken.supplement_id) \
    FROM taken WHERE taken.supplement_id IS NOT NULL)";

/// A closure's error within diesel's transaction.
struct Failure(StorageError);

impl From<diesel::result::Error> for Failure {
    fn from(error: diesel::result::Error) -> Self {
        Self(error::of_statement(error))
    }
}

/// Runs several statements on one snapshot of the database.
pub(crate) fn in_snapshot<T>(
    connection: &mut SqliteConnection,
    read: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError>,
) -> Result<T, StorageError> {
    connection.transaction(|connection| read(connection).map_err(Failure)).map_err(|Failure(error)| error)
}

#[async_trait]
impl SupplementReader for SqliteStore {
    async fn page(&self, query: SupplementPageQuery) -> Result<SupplementPage, StorageError> {
        self.read(move |connection| {
            in_snapshot(connection, |connection| {
                let mut ids: Vec<Vec<u8>> = page_statement(&query).load(connection).storage()?;
                let size = usize::from(query.page.size.get());
                let has_more = ids.len() > size;
                ids.truncate(size);
                let records: Result<Vec<SupplementRecord>, StorageError> =
                    ids.iter().map(|id| read_record(connection, &query, id)).collect();
                Ok(SupplementPage { records: records?, has_more })
            })
        })
        .await
    }

    async fn list_logged(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        self.read(move |connection| {
            in_snapshot(connection, |connection| {
                let statement: Raw<Binary> = Raw::same(LOGGED_SUPPLEMENTS)
                    .blob(user_id.as_uuid().as_bytes())
                    .blob(user_id.as_uuid().as_bytes())
                    .sql(" SELECT supplement_id FROM taken WHERE supplement_id IS NOT NULL ORDER BY 1");
                let ids: Vec<Vec<u8>> = statement.load(connection).storage()?;
                read_all(connection, &ids)
            })
        })
        .await
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
        let ids = ids.to_vec();
        self.read(move |connection| {
            in_snapshot(connection, |connection| {
                let rows = ids.iter().map(|id| load_row(version_statement(id.cell()))(connection));
                keyed(rows.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?)
            })
        })
        .await
    }

    async fn list_own(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        store_shared::list_own(self, user_id).await
    }

    async fn search(
        &self,
        words: &SearchWords,
        limit: u32,
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        let words = words.clone();
        self.read(move |connection| {
            in_snapshot(connection, |connection| {
                let limit = i64::from(limit);
                let mut ids: Vec<Vec<u8>> = by_name(&words, limit).load(connection).storage()?;
                let missing = limit - i64::try_from(ids.len()).unwrap_or(limit);
                if missing > 0 {
                    let others: Vec<Vec<u8>> = by_word(&words, missing).load(connection).storage()?;
                    ids.extend(others);
                }
                read_all(connection, &ids)
            })
        })
        .await
    }

    async fn list_by_upc(&self, upc: &Upc) -> Result<Vec<CatalogueVersion>, StorageError> {
        store_shared::list_by_upc(self, upc).await
    }
}

/// Returns the statement of a page, which reads one supplement more than the page's limit.
fn page_statement(query: &SupplementPageQuery) -> Raw<Binary> {
    let user_id = query.user_id.as_uuid();
    let (first_log, order) = match query.page.sort {
        SortDirection::Ascending => ("min", " ORDER BY first_log, supplement_id LIMIT ? OFFSET ?"),
        SortDirection::Descending => ("max", " ORDER BY first_log DESC, supplement_id DESC LIMIT ? OFFSET ?"),
    };
    let statement = match query.supplement_id {
        Some(id) => Raw::same("WITH taken (supplement_id) AS (SELECT ?)").blob(id.as_uuid().as_bytes()),
        None => Raw::same(LOGGED_SUPPLEMENTS).blob(user_id.as_bytes()).blob(user_id.as_bytes()),
    };
    statement
        // Materialized, so that the first log is looked up only once.
        .sql(", found (supplement_id, first_log) AS MATERIALIZED (SELECT supplement_id, (SELECT ")
        .sql(first_log)
        .sql("(created_at) FROM intake_log WHERE user_id = ? AND created_at BETWEEN ? AND ?")
        .sql(" AND intake_log.supplement_id = taken.supplement_id) FROM taken)")
        .sql(" SELECT supplement_id FROM found WHERE first_log IS NOT NULL")
        .sql(order)
        .blob(user_id.as_bytes())
        .bind(first_micros(query))
        .bind(last_micros(query))
        .bind(query.page.limit_with_lookahead())
        .bind(query.page.offset())
}

fn first_micros(query: &SupplementPageQuery) -> i64 {
    query.start.map_or(i64::MIN, micros_rounded_up)
}

fn last_micros(query: &SupplementPageQuery) -> i64 {
    query.end.map_or(i64::MAX, micros)
}

/// Rounds up to microseconds, so that a log before the start of the range is excluded.
fn micros_rounded_up(instant: DateTime<Utc>) -> i64 {
    let round_up = i64::from(!instant.timestamp_subsec_nanos().is_multiple_of(1_000));
    micros(instant).saturating_add(round_up)
}

fn read_record(
    connection: &mut SqliteConnection,
    query: &SupplementPageQuery,
    id: &[u8],
) -> Result<SupplementRecord, StorageError> {
    let supplement = Arc::new(read_supplement(connection, id)?);
    let logs: Raw<(Binary, BigInt, Double)> = Raw::same(
        "SELECT id, created_at, servings FROM intake_log \
         WHERE user_id = ? AND supplement_id = ? AND created_at BETWEEN ? AND ? ",
    )
    .bind(query.user_id.cell())
    .blob(id)
    .bind(first_micros(query))
    .bind(last_micros(query));
    let logs = logs.sql(match query.page.sort {
        SortDirection::Ascending => "ORDER BY created_at, id",
        SortDirection::Descending => "ORDER BY created_at DESC, id DESC",
    });
    let rows: Vec<(Vec<u8>, i64, f64)> = logs.load(connection).storage()?;
    let logs: Result<Vec<IntakeLogRow>, StorageError> = rows
        .into_iter()
        .map(|(id, created_at_micros, servings)| {
            let id = IntakeLogId::from_uuid(Cells::new("intake_log", &id).uuid("id", &id)?);
            Ok(IntakeLogRow { id, created_at_micros, servings })
        })
        .collect();
    Ok(SupplementRecord { supplement, logs: logs? })
}

/// Names that begin with the query, from the index `supplement_name`.
fn by_name(words: &SearchWords, limit: i64) -> Raw<Binary> {
    let beginning = words.beginning();
    let end = format!("{beginning}{}", char::MAX);
    Raw::same(
        "SELECT id FROM supplement WHERE is_current = 1 AND owner_id IS NULL \
         AND search_text >= ? AND search_text < ? ORDER BY search_text, id LIMIT ?",
    )
    .text(&beginning)
    .text(&end)
    .bind(limit)
}

/// Other labels with all words. Reads the index `supplement_name` until there are enough: at most once, some
/// 50 ms for 200,000 labels.
fn by_word(words: &SearchWords, limit: i64) -> Raw<Binary> {
    let mut statement = Raw::same("SELECT id FROM supplement WHERE is_current = 1 AND owner_id IS NULL");
    for word in words.iter() {
        statement = statement.sql(" AND instr(search_text, ?) > 0").text(&format!(" {word}"));
    }
    statement
        .sql(" AND instr(search_text, ?) <> 1 ORDER BY search_text, id LIMIT ?")
        .text(&words.beginning())
        .bind(limit)
}

fn read_row(connection: &mut SqliteConnection, id: &[u8]) -> Result<VersionRow, StorageError> {
    version_statement(id.to_vec()).get_result(connection).storage()
}

fn read_all(
    connection: &mut SqliteConnection,
    ids: &[Vec<u8>],
) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
    keyed(ids.iter().map(|id| read_row(connection, id)).collect::<Result<Vec<_>, _>>()?)
}

/// Reads a supplement; a missing one is an error.
pub(crate) fn read_supplement(
    connection: &mut SqliteConnection,
    id: &[u8],
) -> Result<Supplement, StorageError> {
    Ok(read_row(connection, id)?.into_value()?.supplement)
}

#[cfg(test)]
mod tests;
