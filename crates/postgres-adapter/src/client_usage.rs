//! Usage of clients.

use crate::error::corrupt;
use crate::schema::client_usage;
use crate::schema::client_usage as usage;
use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{ClientUsageStore, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::dsl::sql;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Date, Nullable, Text, Timestamptz};
use diesel::upsert::excluded;
use domain::client_usage::{ClientUsage, Rejection, UsageKey, UsedEndpoint};
use domain::id::ClientId;
use store_shared::Transaction as _;
use uuid::Uuid;

/// Rows per statement; `PostgreSQL` accepts 65,535 parameters.
const ROWS: usize = 1_000;

/// Skips rows that another server is deleting.
const DELETE_BEFORE: &str = "DELETE FROM client_usage WHERE (client_id, day, endpoint, status) IN
    (SELECT client_id, day, endpoint, status FROM client_usage WHERE day < $1
    ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED)";

const LATEST_REJECTION: &str =
    "CASE WHEN client_usage.rejected_at > excluded.rejected_at OR excluded.rejected_at IS NULL
    THEN client_usage.rejection ELSE excluded.rejection END";

/// A row of `client_usage`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = client_usage, check_for_backend(Pg))]
struct UsageRow {
    client_id: Uuid,
    day: NaiveDate,
    endpoint: String,
    status: i16,
    requests: i64,
    fewest_left: Option<i64>,
    rejection: Option<String>,
    rejected_at: Option<DateTime<Utc>>,
}

impl From<&ClientUsage> for UsageRow {
    fn from(usage: &ClientUsage) -> Self {
        let ClientUsage { key, requests, fewest_left, rejection } = usage;
        let UsageKey { client_id, day, endpoint, status } = *key;
        Self {
            client_id: client_id.as_uuid(),
            day,
            endpoint: endpoint.as_str().to_owned(),
            status: i16::try_from(status).unwrap_or(i16::MAX),
            requests: i64::try_from(*requests).unwrap_or(i64::MAX),
            fewest_left: fewest_left.map(i64::from),
            rejection: rejection.as_ref().map(|rejection| rejection.reason.clone()),
            rejected_at: rejection.as_ref().map(|rejection| rejection.at),
        }
    }
}

impl UsageRow {
    fn into_usage(self) -> Result<ClientUsage, StorageError> {
        let row = self.client_id;
        let key = UsageKey {
            client_id: ClientId::from_uuid(row),
            day: self.day,
            endpoint: UsedEndpoint::parse(&self.endpoint).ok_or(()).map_err(corrupt(
                "client_usage",
                "endpoint",
                row,
            ))?,
            status: self.status.try_into().map_err(corrupt("client_usage", "status", row))?,
        };
        let left = self.fewest_left.map(u32::try_from).transpose();
        Ok(ClientUsage {
            key,
            requests: self.requests.try_into().map_err(corrupt("client_usage", "requests", row))?,
            fewest_left: left.map_err(corrupt("client_usage", "fewest_left", row))?,
            rejection: self.rejection.zip(self.rejected_at).map(|(reason, at)| Rejection { reason, at }),
        })
    }
}

#[async_trait]
impl ClientUsageStore for PostgresStore {
    async fn add_usage(&self, sums: &[ClientUsage]) -> Result<(), StorageError> {
        if sums.is_empty() {
            return Ok(());
        }
        let mut transaction = self.transaction().await?;
        for sums in sums.chunks(ROWS) {
            let rows: Vec<UsageRow> = sums.iter().map(UsageRow::from).collect();
            let query = diesel::insert_into(usage::table)
                .values(rows)
                .on_conflict((usage::client_id, usage::day, usage::endpoint, usage::status))
                .do_update()
                .set((
                    usage::requests.eq(usage::requests + excluded(usage::requests)),
                    // Ignores NULL.
                    usage::fewest_left
                        .eq(sql::<Nullable<BigInt>>("least(client_usage.fewest_left, excluded.fewest_left)")),
                    usage::rejection.eq(sql::<Nullable<Text>>(LATEST_REJECTION)),
                    // Ignores NULL.
                    usage::rejected_at.eq(sql::<Nullable<Timestamptz>>(
                        "greatest(client_usage.rejected_at, excluded.rejected_at)",
                    )),
                ));
            transaction.connection()?.execute(query).await?;
        }
        transaction.commit().await
    }

    async fn list_usage(&self, id: ClientId, since: NaiveDate) -> Result<Vec<ClientUsage>, StorageError> {
        let query = usage::table
            .filter(usage::client_id.eq(id.as_uuid()).and(usage::day.ge(since)))
            .order((usage::day.desc(), usage::endpoint, usage::status))
            .select(UsageRow::as_select());
        self.pooled().await?.load_rows(query).await?.into_iter().map(UsageRow::into_usage).collect()
    }

    async fn delete_usage_before(&self, before: NaiveDate, limit: u32) -> Result<u64, StorageError> {
        let query = sql_query(DELETE_BEFORE).bind::<Date, _>(before).bind::<BigInt, _>(i64::from(limit));
        self.pooled().await?.execute(returning::<(), _>(query)).await
    }
}
