//! Sums of reads.

use super::known_moment;
use crate::error::corrupt;
use crate::schema::read_tally;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::{ClientId, PersonalTokenId, UserId};
use domain::read_tally::{AskedRange, ReadKind, ReadTally, Reader, TallyKey};
use std::collections::HashMap;
use uuid::Uuid;

const TABLE: &str = "read_tally";
const CLIENT: &str = "client";
const PERSONAL_TOKEN: &str = "personal_token";

/// Takes a reader apart: what it is, and its id.
pub(crate) const fn reader_parts(reader: Reader) -> (&'static str, Uuid) {
    match reader {
        Reader::Client(id) => (CLIENT, id.as_uuid()),
        Reader::PersonalToken(id) => (PERSONAL_TOKEN, id.as_uuid()),
    }
}

/// A row of `read_tally`.
#[derive(Queryable, Selectable)]
#[diesel(table_name = read_tally, check_for_backend(Pg))]
pub(crate) struct TallyRow {
    user_id: Uuid,
    minute: DateTime<Utc>,
    reader_kind: String,
    reader_id: Uuid,
    kind: String,
    requests: i64,
    items: i64,
    range_from: Option<DateTime<Utc>>,
    range_to: Option<DateTime<Utc>>,
}

impl TallyRow {
    /// Reads the row as a sum.
    pub(crate) fn into_tally(self) -> Result<ReadTally, StorageError> {
        let Self { user_id, minute, reader_kind, reader_id, kind, requests, items, range_from, range_to } =
            self;
        let row = format!("of person {user_id}, reader {reader_id}, {}", minute.to_rfc3339());
        let reader = match reader_kind.as_str() {
            CLIENT => Ok(Reader::Client(ClientId::from_uuid(reader_id))),
            PERSONAL_TOKEN => Ok(Reader::PersonalToken(PersonalTokenId::from_uuid(reader_id))),
            _ => Err(()),
        };
        let key = TallyKey {
            user_id: UserId::from_uuid(user_id),
            minute,
            reader: reader.map_err(corrupt(TABLE, "reader_kind", &row))?,
            kind: ReadKind::parse(&kind).ok_or(()).map_err(corrupt(TABLE, "kind", &row))?,
        };
        Ok(ReadTally {
            key,
            requests: u64::try_from(requests).map_err(corrupt(TABLE, "requests", &row))?,
            items: u64::try_from(items).map_err(corrupt(TABLE, "items", &row))?,
            range: AskedRange { from: range_from, to: range_to },
        })
    }
}

/// Many sums, a column each, as `unnest` takes them.
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
    /// Lists the columns of these sums, one row a key, in the order of their people.
    pub(crate) fn of(tallies: &[ReadTally]) -> Self {
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
        let AskedRange { from, to } = range;
        let (reader_kind, reader_id) = reader_parts(*reader);
        self.user_ids.push(user_id.as_uuid());
        self.minutes.push(*minute);
        self.reader_kinds.push(reader_kind);
        self.reader_ids.push(reader_id);
        self.kinds.push(kind.as_str());
        self.requests.push(i64::try_from(*requests).unwrap_or(i64::MAX));
        self.items.push(i64::try_from(*items).unwrap_or(i64::MAX));
        // What a client asked for may lie beyond what Postgres knows.
        self.range_from.push(from.map(known_moment));
        self.range_to.push(to.map(known_moment));
    }
}
