//! Sums of reads.

use crate::column::{Held, Id, IdCell, Instant, TimeCell, held};
use crate::names::{parse_reader, reader_parts};
use crate::row::{Cells, Stored};
use crate::statement::Raw;
use crate::store::Store;
use crate::time_range::upper_bound;
use application::ports::storage::StorageError;
use diesel::Queryable;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::id::UserId;
use domain::read_tally::{ReadKind, ReadTally, RequestedRange, TallyKey};

type Columns = (Id, Instant, Text, Id, Text, BigInt, BigInt, Nullable<Instant>, Nullable<Instant>);

/// A row of `read_tally`.
#[derive(Queryable)]
struct TallyRow {
    user_id: IdCell,
    minute: TimeCell,
    reader_kind: String,
    reader_id: IdCell,
    kind: String,
    requests: i64,
    items: i64,
    range_from: Option<TimeCell>,
    range_to: Option<TimeCell>,
}

held! {
    ReadKind as String: |kind| kind.as_str().to_owned(), |text| Self::parse(&text);
}

impl Stored for TallyRow {
    type Value = ReadTally;

    fn into_value(self) -> Result<ReadTally, StorageError> {
        let (person, reader, minute) = (self.user_id, self.reader_id, self.minute);
        let row = format_args!("of person {person} for reader {reader} at {minute}");
        let cells = Cells("read_tally", &row);
        let reader = parse_reader(&self.reader_kind, cells.parse("reader_id", self.reader_id)?);
        Ok(ReadTally {
            key: TallyKey {
                user_id: cells.parse("user_id", self.user_id)?,
                minute: cells.parse("minute", self.minute)?,
                reader: cells.present("reader_kind", reader)?,
                kind: cells.parse("kind", self.kind)?,
            },
            requests: cells.parse("requests", self.requests)?,
            items: cells.parse("items", self.items)?,
            range: RequestedRange {
                from: cells.parse("range_from", self.range_from)?,
                to: cells.parse("range_to", self.range_to)?,
            },
        })
    }
}

/// Returns the statement that lists a person's sums in reverse table order, so that nothing is sorted.
pub fn tallies_statement(user_id: UserId, after: Option<TallyKey>, limit: u32) -> Raw<Columns> {
    let mut query = Raw::same(
        "SELECT user_id, minute, reader_kind, reader_id, kind, requests, items, range_from, range_to
        FROM read_tally WHERE user_id = ?",
    )
    .bind(user_id.cell());
    if let Some(TallyKey { user_id: _, minute, reader, kind }) = after {
        let (reader_kind, reader_id) = reader_parts(reader);
        query = query
            .sql(" AND (minute, reader_kind, reader_id, kind) < (?, ?, ?, ?)")
            .bind(upper_bound(Some(minute)).cell())
            .text(reader_kind)
            .bind(reader_id.cell())
            .text(kind.as_str());
    }
    let order = " ORDER BY minute DESC, reader_kind DESC, reader_id DESC, kind DESC LIMIT ?";
    query.sql(order).bind(i64::from(limit))
}

/// Lists a person's sums, newest first.
pub async fn list_tallies(
    store: &impl Store,
    user_id: UserId,
    after: Option<TallyKey>,
    limit: u32,
) -> Result<Vec<ReadTally>, StorageError> {
    store.read_all::<TallyRow, _>(tallies_statement(user_id, after, limit)).await
}
