//! Sums of reads.

use crate::error::StorageResult as _;
use crate::row::micros;
use crate::statement::delete_oldest;
use crate::store::SqliteStore;
use application::ports::storage::{ReadTallyStore, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::UserId;
use domain::read_tally::{ReadTally, Reader, RequestedRange, TallyKey};
use store_shared::column::Held as _;
use store_shared::schema::personal_token;
use store_shared::{Raw, list_tallies, reader_parts};

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
        list_tallies(self, user_id, after, limit).await
    }

    async fn delete_before(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let old = ("read_tally", "user_id, minute, reader_kind, reader_id, kind", "minute");
        self.write(delete_oldest(old, before, limit)).await
    }
}

#[cfg(test)]
mod tests;
