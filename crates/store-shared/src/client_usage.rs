//! Usage of clients.

use crate::column::{Day, DayCell, Held, Id, IdCell, Instant, TimeCell, held};
use crate::row::{Cells, Stored};
use crate::statement::{Raw, Value};
use crate::store::Store;
use application::ports::storage::StorageError;
use chrono::NaiveDate;
use diesel::Queryable;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::client_usage::{ClientUsage, Rejection, UsageKey, UsedEndpoint};
use domain::id::ClientId;

/// Rows per statement; `PostgreSQL` accepts 65,535 parameters, and SQLite 32,766.
const ROWS: usize = 1_000;

const ADD: &str = "ON CONFLICT (client_id, day, endpoint, status) DO UPDATE SET
    requests = client_usage.requests + excluded.requests,
    rejection = CASE WHEN client_usage.rejected_at > excluded.rejected_at OR excluded.rejected_at IS NULL
        THEN client_usage.rejection ELSE excluded.rejection END, ";

/// `least` and `greatest` ignore `NULL`; `min` and `max` alone return it if one value is `NULL`.
const ADD_EXTREMES: [&str; 2] = [
    "fewest_left = least(client_usage.fewest_left, excluded.fewest_left),
    rejected_at = greatest(client_usage.rejected_at, excluded.rejected_at)",
    "fewest_left = coalesce(min(client_usage.fewest_left, excluded.fewest_left),
        client_usage.fewest_left, excluded.fewest_left),
    rejected_at = coalesce(max(client_usage.rejected_at, excluded.rejected_at),
        client_usage.rejected_at, excluded.rejected_at)",
];

type Columns = (Id, Day, Text, BigInt, BigInt, Nullable<BigInt>, Nullable<Text>, Nullable<Instant>);

/// A row of `client_usage`.
#[derive(Queryable)]
struct UsageRow {
    client_id: IdCell,
    day: DayCell,
    endpoint: String,
    status: i64,
    requests: i64,
    fewest_left: Option<i64>,
    rejection: Option<String>,
    rejected_at: Option<TimeCell>,
}

held! {
    UsedEndpoint as String: |endpoint| endpoint.as_str().to_owned(), |text| Self::parse(&text);
}

fn values(usage: &ClientUsage) -> Vec<Value> {
    let ClientUsage { key, requests, fewest_left, rejection } = usage;
    let UsageKey { client_id, day, endpoint, status } = key;
    vec![
        client_id.cell().into(),
        day.cell().into(),
        endpoint.cell().into(),
        status.cell().into(),
        requests.cell().into(),
        fewest_left.map(i64::from).into(),
        rejection.as_ref().map(|rejection| rejection.reason.clone()).into(),
        rejection.as_ref().map(|rejection| rejection.at.cell()).into(),
    ]
}

impl Stored for UsageRow {
    type Value = ClientUsage;

    fn into_value(self) -> Result<ClientUsage, StorageError> {
        let cells = Cells("client_usage", &self.client_id);
        let rejected_at: Option<_> = cells.parse("rejected_at", self.rejected_at)?;
        Ok(ClientUsage {
            key: UsageKey {
                client_id: cells.parse("client_id", self.client_id)?,
                day: cells.parse("day", self.day)?,
                endpoint: cells.parse("endpoint", self.endpoint)?,
                status: cells.parse("status", self.status)?,
            },
            requests: cells.parse("requests", self.requests)?,
            fewest_left: cells.parse("fewest_left", self.fewest_left)?,
            rejection: self.rejection.zip(rejected_at).map(|(reason, at)| Rejection { reason, at }),
        })
    }
}

/// Adds to sums.
pub async fn add_usage(store: &impl Store, sums: &[ClientUsage]) -> Result<(), StorageError> {
    if sums.is_empty() {
        return Ok(());
    }
    let table = "client_usage
        (client_id, day, endpoint, status, requests, fewest_left, rejection, rejected_at)";
    let add = |sums: &[ClientUsage]| {
        let rows = sums.iter().map(values).collect();
        Raw::insert(table, "(?, ?, ?, ?, ?, ?, ?, ?)", rows, ADD).sql_of(ADD_EXTREMES)
    };
    store.change_all(sums.chunks(ROWS).map(add).collect()).await
}

/// Lists the usage of a client since a day, newest first.
pub async fn list_usage(
    store: &impl Store,
    id: ClientId,
    since: NaiveDate,
) -> Result<Vec<ClientUsage>, StorageError> {
    let query: Raw<Columns> = Raw::same(
        "SELECT client_id, day, endpoint, CAST(u.status AS bigint), requests, fewest_left, rejection, rejected_at
        FROM client_usage u WHERE client_id = ? AND day >= ? ORDER BY day DESC, endpoint, u.status",
    );
    store.read_all::<UsageRow, _>(query.bind(id.cell()).bind(since.cell())).await
}

/// Deletes the oldest sums of days before a day. On `PostgreSQL`, skips rows that another server is deleting.
pub async fn delete_usage_before(
    store: &impl Store,
    before: NaiveDate,
    limit: u32,
) -> Result<u64, StorageError> {
    let query: Raw = Raw::same(
        "DELETE FROM client_usage WHERE (client_id, day, endpoint, status) IN
        (SELECT client_id, day, endpoint, status FROM client_usage WHERE day < ? ORDER BY day LIMIT ?",
    );
    let query = query.bind(before.cell()).bind(i64::from(limit));
    store.change(query.sql_of([" FOR UPDATE SKIP LOCKED)", ")"])).await
}
