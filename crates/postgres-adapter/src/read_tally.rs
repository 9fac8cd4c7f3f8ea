//! Sums of reads.

use crate::connection::Pooled;
use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{ReadTallyStore, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, BigInt, Nullable, Text, Timestamptz};
use domain::id::UserId;
use domain::read_tally::{ReadTally, Reader, RequestedRange, TallyKey};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use store_shared::Transaction as _;
use store_shared::{known_moment, list_tallies, reader_parts};
use uuid::Uuid;

/// Sums as one list per column, for `unnest`.
#[derive(Default)]
pub(crate) struct NewTallies {
    pub(crate) user_ids: Vec<Uuid>,
    pub(crate) minutes: Vec<DateTime<Utc>>,
    pub(crate) reader_kinds: Vec<&'static str>,
    pub(crate) reader_ids: Vec<Uuid>,
    pub(crate) kinds: Vec<&'static str>,
    pub(crate) requests: Vec<i64>,
    pub(crate) items: Vec<i64>,
    pub(crate) range_from: Vec<Option<DateTime<Utc>>>,
    pub(crate) range_to: Vec<Option<DateTime<Utc>>>,
}

impl NewTallies {
    /// Merges sums with the same key and sorts them by person.
    pub(crate) fn from_tallies(tallies: &[ReadTally]) -> Self {
        let mut sums: HashMap<TallyKey, ReadTally> = HashMap::new();
        for tally in tallies {
            sums.entry(tally.key).and_modify(|sum| *sum = sum.plus(*tally)).or_insert(*tally);
        }
        let mut sums: Vec<ReadTally> = sums.into_values().collect();
        sums.sort_unstable_by_key(|sum| sum.key.user_id);
        let mut columns = Self::default();
        for sum in &sums {
            columns.push(sum);
        }
        columns
    }

    fn push(&mut self, sum: &ReadTally) {
        let ReadTally { key, requests, items, range } = sum;
        let TallyKey { user_id, minute, reader, kind } = key;
        let RequestedRange { from, to } = range;
        let (reader_kind, reader_id) = reader_parts(*reader);
        self.user_ids.push(user_id.as_uuid());
        self.minutes.push(*minute);
        self.reader_kinds.push(reader_kind);
        self.reader_ids.push(reader_id);
        self.kinds.push(kind.as_str());
        self.requests.push(i64::try_from(*requests).unwrap_or(i64::MAX));
        self.items.push(i64::try_from(*items).unwrap_or(i64::MAX));
        // Clients may request times outside Postgres' range.
        self.range_from.push(from.map(known_moment));
        self.range_to.push(to.map(known_moment));
    }
}

/// Locks people so that they are not deleted before the transaction ends; returns those who exist. On copies
/// on several nodes the lock would deadlock with other sums, so the second form leaves the check to the
/// foreign key.
const LOCK_PEOPLE: [&str; 2] = [
    "SELECT id FROM person WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE",
    "SELECT id FROM person WHERE id = ANY ($1)",
];

/// Adds to sums. Rows are in key order, so that concurrent calls lock them in the same order. An open end of
/// a range (NULL) stays open, which `least` and `greatest` alone would not do.
const ADD: &str = "INSERT INTO read_tally AS t
        (user_id, minute, reader_kind, reader_id, kind, requests, items, range_from, range_to)
    SELECT n.* FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
        AS n (user_id, minute, reader_kind, reader_id, kind, requests, items, range_from, range_to)
    ORDER BY n.user_id, n.minute, n.reader_kind, n.reader_id, n.kind
    ON CONFLICT (user_id, minute, reader_kind, reader_id, kind) DO UPDATE SET
        requests = t.requests + least(excluded.requests, 9223372036854775807 - t.requests),
        items = t.items + least(excluded.items, 9223372036854775807 - t.items),
        range_from = CASE WHEN t.range_from IS NOT NULL AND excluded.range_from IS NOT NULL
            THEN least(t.range_from, excluded.range_from) END,
        range_to = CASE WHEN t.range_to IS NOT NULL AND excluded.range_to IS NOT NULL
            THEN greatest(t.range_to, excluded.range_to) END";

/// Records the use of tokens, locked in key order.
const NOTE_USE: &str = "WITH used AS (
        SELECT p.user_id, p.id, n.at FROM unnest($1, $2, $3) AS n (user_id, id, at)
        JOIN personal_token p ON p.user_id = n.user_id AND p.id = n.id
        WHERE p.last_used_at IS NULL OR p.last_used_at < n.at
        ORDER BY p.user_id, p.id FOR NO KEY UPDATE OF p
    )
    UPDATE personal_token t SET last_used_at = used.at FROM used WHERE t.user_id = used.user_id AND t.id = used.id";

/// Skips locked sums; a later run deletes them. Rows are fetched by `ctid`: for a join on the key, the
/// planner may scan a table of millions of rows instead of 16 partitions per row. A `ctid` is unique only
/// within a partition. The second form finds the oldest rows of all nodes, where a `ctid` means nothing and
/// rows of several nodes cannot be locked.
const DELETE_BEFORE: [&str; 2] = [
    "WITH old AS MATERIALIZED (
        SELECT tableoid, ctid FROM read_tally WHERE minute < $1 ORDER BY minute LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM read_tally
    WHERE ctid = ANY (ARRAY (SELECT ctid FROM old)) AND (tableoid, ctid) IN (SELECT tableoid, ctid FROM old)",
    "WITH old AS MATERIALIZED (
        SELECT user_id, minute, reader_kind, reader_id, kind FROM read_tally WHERE minute < $1
        ORDER BY minute LIMIT $2
    )
    DELETE FROM read_tally t USING old WHERE t.user_id = old.user_id AND t.minute = old.minute
        AND t.reader_kind = old.reader_kind AND t.reader_id = old.reader_id AND t.kind = old.kind",
];

#[async_trait]
impl ReadTallyStore for PostgresStore {
    async fn add(&self, tallies: &[ReadTally]) -> Result<(), StorageError> {
        if tallies.is_empty() {
            return Ok(());
        }
        // A person may be deleted meanwhile, and the foreign key then fails.
        match self.add_once(tallies).await {
            Err(StorageError::Retryable) => self.add_once(tallies).await,
            other => other,
        }
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
        let mut connection = self.pooled().await?;
        let statement = connection.form(DELETE_BEFORE);
        connection.delete_before(statement, before, limit).await
    }
}

impl PostgresStore {
    async fn add_once(&self, tallies: &[ReadTally]) -> Result<(), StorageError> {
        let mut transaction = self.transaction().await?;
        let known = of_people(transaction.connection()?, tallies).await?;
        add(transaction.connection()?, NewTallies::from_tallies(&known)).await?;
        note_use(transaction.connection()?, tallies).await?;
        transaction.commit().await
    }
}

/// Returns the sums of people who exist, and locks these people.
async fn of_people(connection: &mut Pooled, tallies: &[ReadTally]) -> Result<Vec<ReadTally>, StorageError> {
    let people: BTreeSet<Uuid> = tallies.iter().map(|tally| tally.key.user_id.as_uuid()).collect();
    let people: Vec<Uuid> = people.into_iter().collect();
    let query = sql_query(connection.form(LOCK_PEOPLE)).bind::<Array<SqlUuid>, _>(people);
    let known: Vec<Uuid> = connection.load_rows(returning::<SqlUuid, _>(query)).await?;
    let known: HashSet<Uuid> = known.into_iter().collect();
    Ok(tallies.iter().filter(|tally| known.contains(&tally.key.user_id.as_uuid())).copied().collect())
}

async fn add(connection: &mut Pooled, new: NewTallies) -> Result<(), StorageError> {
    let query = sql_query(ADD)
        .bind::<Array<SqlUuid>, _>(new.user_ids)
        .bind::<Array<Timestamptz>, _>(new.minutes)
        .bind::<Array<Text>, _>(new.reader_kinds)
        .bind::<Array<SqlUuid>, _>(new.reader_ids)
        .bind::<Array<Text>, _>(new.kinds)
        .bind::<Array<BigInt>, _>(new.requests)
        .bind::<Array<BigInt>, _>(new.items)
        .bind::<Array<Nullable<Timestamptz>>, _>(new.range_from)
        .bind::<Array<Nullable<Timestamptz>>, _>(new.range_to);
    connection.execute(returning::<(), _>(query)).await.map(drop)
}

async fn note_use(connection: &mut Pooled, tallies: &[ReadTally]) -> Result<(), StorageError> {
    let mut latest: BTreeMap<(Uuid, Uuid), DateTime<Utc>> = BTreeMap::new();
    for TallyKey { user_id, minute, reader, kind: _ } in tallies.iter().map(|tally| tally.key) {
        if let Reader::PersonalToken(id) = reader {
            let at = latest.entry((user_id.as_uuid(), id.as_uuid())).or_insert(minute);
            *at = minute.max(*at);
        }
    }
    if latest.is_empty() {
        return Ok(());
    }
    let (keys, moments): (Vec<_>, Vec<_>) = latest.into_iter().unzip();
    let (people, tokens): (Vec<Uuid>, Vec<Uuid>) = keys.into_iter().unzip();
    let query = sql_query(NOTE_USE)
        .bind::<Array<SqlUuid>, _>(people)
        .bind::<Array<SqlUuid>, _>(tokens)
        .bind::<Array<Timestamptz>, _>(moments);
    connection.execute(returning::<(), _>(query)).await.map(drop)
}
