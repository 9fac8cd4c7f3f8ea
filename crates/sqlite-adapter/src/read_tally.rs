//! Sums of reads.

use crate::error::StorageResult as _;
use crate::row::{Cells, micros};
use crate::schema::read_tally;
use crate::statement::delete_oldest;
use crate::store::SqliteStore;
use application::ports::storage::{ReadTallyStore, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::UserId;
use domain::read_tally::{ReadKind, ReadTally, Reader, RequestedRange, TallyKey};
use store_shared::column::Held as _;
use store_shared::schema::personal_token;
use store_shared::{Raw, parse_reader, reader_parts};

#[derive(Queryable)]
struct TallyRow {
    user_id: Vec<u8>,
    minute: i64,
    reader_kind: String,
    reader_id: Vec<u8>,
    kind: String,
    requests: i64,
    items: i64,
    range_from: Option<i64>,
    range_to: Option<i64>,
}

impl TallyRow {
    fn into_tally(self) -> Result<ReadTally, StorageError> {
        let Self { user_id, minute, reader_kind, reader_id, kind, requests, items, range_from, range_to } =
            self;
        // Of all columns, the reader identifies the row best.
        let cells = Cells::new("read_tally", &reader_id);
        let id = cells.uuid("reader_id", &reader_id)?;
        let reader = cells.present("reader_kind", parse_reader(&reader_kind, id))?;
        Ok(ReadTally {
            key: TallyKey {
                user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
                minute: cells.instant("minute", minute)?,
                reader,
                kind: cells.present("kind", ReadKind::parse(&kind))?,
            },
            requests: cells.valid("requests", requests.try_into())?,
            items: cells.valid("items", items.try_into())?,
            range: RequestedRange {
                from: cells.optional_instant("range_from", range_from)?,
                to: cells.optional_instant("range_to", range_to)?,
            },
        })
    }
}

/// Adds one sum. Numbers saturate at `i64::MAX`. `min` and `max` return `NULL`, an open end, if one value is
/// `NULL`.
fn add(connection: &mut SqliteConnection, tally: &ReadTally) -> QueryResult<()> {
    let ReadTally { key, requests, items, range } = tally;
    let TallyKey { user_id, minute, reader, kind } = key;
    let RequestedRange { from, to } = range;
    let (reader_kind, reader_id) = reader_parts(*reader);
    let statement: Raw<()> = Raw::same(
        "INSERT INTO read_tally \
         (user_id, minute, reader_kind, reader_id, kind, requests, items, range_from, range_to) \
         SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM account WHERE id = ? \
         ON CONFLICT (user_id, minute, reader_kind, reader_id, kind) DO UPDATE SET \
         requests = requests + min(excluded.requests, 9223372036854775807 - requests), \
         items = items + min(excluded.items, 9223372036854775807 - items), \
         range_from = min(range_from, excluded.range_from), \
         range_to = max(range_to, excluded.range_to)",
    )
    .bind(micros(*minute))
    .text(reader_kind)
    .blob(reader_id.as_bytes())
    .text(kind.as_str())
    .bind(i64::try_from(*requests).unwrap_or(i64::MAX))
    .bind(i64::try_from(*items).unwrap_or(i64::MAX))
    .bind(from.map(micros))
    .bind(to.map(micros))
    .blob(user_id.as_uuid().as_bytes());
    statement.execute(connection).map(drop)
}

/// Records the use of a personal token, if the reader is one.
fn note_use(connection: &mut SqliteConnection, key: TallyKey) -> QueryResult<()> {
    let TallyKey { user_id, minute, reader, kind: _ } = key;
    let Reader::PersonalToken(id) = reader else {
        return Ok(());
    };
    let last_used_at = personal_token::last_used_at;
    let earlier = personal_token::table
        .find((user_id.cell(), id.cell()))
        .filter(last_used_at.is_null().or(last_used_at.lt(minute.cell())));
    diesel::update(earlier).set(last_used_at.eq(minute.cell())).execute(connection).map(drop)
}

#[async_trait]
impl ReadTallyStore for SqliteStore {
    async fn add(&self, tallies: &[ReadTally]) -> Result<(), StorageError> {
        if tallies.is_empty() {
            return Ok(());
        }
        let tallies = tallies.to_vec();
        self.write(move |connection| {
            for tally in &tallies {
                add(connection, tally).storage()?;
                note_use(connection, tally.key).storage()?;
            }
            Ok(())
        })
        .await
    }

    async fn list(
        &self,
        user_id: UserId,
        after: Option<TallyKey>,
        limit: u32,
    ) -> Result<Vec<ReadTally>, StorageError> {
        self.read(move |connection| {
            let rows: Vec<TallyRow> = list_statement(user_id, after, limit).load(connection).storage()?;
            rows.into_iter().map(TallyRow::into_tally).collect()
        })
        .await
    }

    async fn delete_before(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let old = ("read_tally", "user_id, minute, reader_kind, reader_id, kind", "minute");
        self.write(delete_oldest(old, before, limit)).await
    }
}

/// Column types of a sum, in table order.
type TallyColumns = read_tally::SqlType;

/// Lists a person's sums in reverse table order, so that nothing is sorted.
fn list_statement(user_id: UserId, after: Option<TallyKey>, limit: u32) -> Raw<TallyColumns> {
    let mut statement = Raw::same(
        "SELECT user_id, minute, reader_kind, reader_id, kind, requests, items, range_from, range_to \
         FROM read_tally WHERE user_id = ?",
    )
    .blob(user_id.as_uuid().as_bytes());
    if let Some(TallyKey { user_id: _, minute, reader, kind }) = after {
        let (reader_kind, reader_id) = reader_parts(reader);
        statement = statement
            .sql(" AND (minute, reader_kind, reader_id, kind) < (?, ?, ?, ?)")
            .bind(micros(minute))
            .text(reader_kind)
            .blob(reader_id.as_bytes())
            .text(kind.as_str());
    }
    statement
        .sql(" ORDER BY minute DESC, reader_kind DESC, reader_id DESC, kind DESC LIMIT ?")
        .bind(i64::from(limit))
}

#[cfg(test)]
mod tests;
