//! Usage of clients.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, date, micros};
use crate::schema::client_usage;
use crate::schema::client_usage as usage;
use crate::statement::execute;
use crate::store::SqliteStore;
use application::ports::storage::{ClientUsageStore, StorageError};
use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::upsert::excluded;
use domain::client_usage::{ClientUsage, Rejection, UsageKey, UsedEndpoint};
use domain::id::ClientId;
use store_shared::Raw;

const LATEST_REJECTION: &str = "CASE WHEN client_usage.rejected_at > excluded.rejected_at OR excluded.rejected_at IS NULL \
     THEN client_usage.rejection ELSE excluded.rejection END";
const LATEST_REJECTION_TIME: &str = "coalesce(max(client_usage.rejected_at, excluded.rejected_at), \
     client_usage.rejected_at, excluded.rejected_at)";

#[derive(Queryable, Insertable)]
#[diesel(table_name = client_usage)]
struct UsageRow {
    client_id: Vec<u8>,
    day: String,
    endpoint: String,
    status: i64,
    requests: i64,
    fewest_left: Option<i64>,
    rejection: Option<String>,
    rejected_at: Option<i64>,
}

impl From<&ClientUsage> for UsageRow {
    fn from(usage: &ClientUsage) -> Self {
        let ClientUsage { key, requests, fewest_left, rejection } = usage;
        Self {
            client_id: blob(key.client_id.as_uuid()),
            day: date(key.day),
            endpoint: key.endpoint.as_str().to_owned(),
            status: key.status.into(),
            requests: i64::try_from(*requests).unwrap_or(i64::MAX),
            fewest_left: fewest_left.map(i64::from),
            rejection: rejection.as_ref().map(|rejection| rejection.reason.clone()),
            rejected_at: rejection.as_ref().map(|rejection| micros(rejection.at)),
        }
    }
}

impl UsageRow {
    fn into_usage(self) -> Result<ClientUsage, StorageError> {
        let cells = Cells::new("client_usage", &self.client_id);
        let of_day = cells.optional_date("day", Some(&self.day))?;
        let key = UsageKey {
            client_id: ClientId::from_uuid(cells.uuid("client_id", &self.client_id)?),
            day: cells.present("day", of_day)?,
            endpoint: cells.present("endpoint", UsedEndpoint::parse(&self.endpoint))?,
            status: cells.valid("status", self.status.try_into())?,
        };
        let at = cells.optional_instant("rejected_at", self.rejected_at)?;
        let left = self.fewest_left.map(|left| cells.valid("fewest_left", left.try_into()));
        Ok(ClientUsage {
            key,
            requests: cells.valid("requests", self.requests.try_into())?,
            fewest_left: left.transpose()?,
            rejection: self.rejection.zip(at).map(|(reason, at)| Rejection { reason, at }),
        })
    }
}

#[async_trait]
impl ClientUsageStore for SqliteStore {
    async fn add_usage(&self, sums: &[ClientUsage]) -> Result<(), StorageError> {
        if sums.is_empty() {
            return Ok(());
        }
        let rows: Vec<UsageRow> = sums.iter().map(UsageRow::from).collect();
        self.write(move |connection| {
            for row in rows {
                diesel::insert_into(usage::table)
                    .values(row)
                    .on_conflict((usage::client_id, usage::day, usage::endpoint, usage::status))
                    .do_update()
                    .set((
                        usage::requests.eq(usage::requests + excluded(usage::requests)),
                        // `min` alone returns NULL if one value is NULL.
                        usage::fewest_left.eq(sql::<Nullable<BigInt>>(
                            "coalesce(min(client_usage.fewest_left, excluded.fewest_left), \
                             client_usage.fewest_left, excluded.fewest_left)",
                        )),
                        usage::rejection.eq(sql::<Nullable<Text>>(LATEST_REJECTION)),
                        usage::rejected_at.eq(sql::<Nullable<BigInt>>(LATEST_REJECTION_TIME)),
                    ))
                    .execute(connection)
                    .storage()?;
            }
            Ok(())
        })
        .await
    }

    async fn list_usage(&self, id: ClientId, since: NaiveDate) -> Result<Vec<ClientUsage>, StorageError> {
        self.read(move |connection| {
            let rows: Vec<UsageRow> = usage::table
                .filter(usage::client_id.eq(blob(id.as_uuid())).and(usage::day.ge(date(since))))
                .order((usage::day.desc(), usage::endpoint, usage::status))
                .load(connection)
                .storage()?;
            rows.into_iter().map(UsageRow::into_usage).collect()
        })
        .await
    }

    async fn delete_usage_before(&self, before: NaiveDate, limit: u32) -> Result<u64, StorageError> {
        let sql = "DELETE FROM client_usage WHERE (client_id, day, endpoint, status) IN \
             (SELECT client_id, day, endpoint, status FROM client_usage WHERE day < ? ORDER BY day LIMIT ?)";
        self.write(execute(Raw::<()>::same(sql).text(&date(before)).bind(i64::from(limit)))).await
    }
}
