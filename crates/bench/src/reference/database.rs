//! R4, and the statement of R2 and R3.

use crate::load::on_own_thread;
use crate::stage::Postgres;
use anyhow::{Context, ensure};
use futures_util::TryStreamExt as _;
use std::error::Error;
use std::pin::pin;
use std::str::FromStr;
use std::time::{Duration, Instant};
use tokio_postgres::NoTls;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// One row by its key.
pub(super) const ROW: &str = "SELECT email, home_timezone, biological_sex, blood_type, height_cm, weight_kg, skin_type, \
     wheelchair_use FROM account WHERE id = $1";

/// All nights of a person, latest first, as a page reads them.
const NIGHTS: &str = "SELECT id, started_at, ended_at, offset_at_start, offset_at_end, source, is_nap, updated_at, \
     stages, metrics FROM sleep_session WHERE user_id = $1 ORDER BY started_at DESC, id DESC LIMIT $2";

/// Formats a person's id for the database.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UserKey(u128);

impl FromStr for UserKey {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: String = text.split('-').collect();
        ensure!(digits.len() == 32, "a UUID has 32 digits");
        Ok(Self(u128::from_str_radix(&digits, 16)?))
    }
}

impl ToSql for UserKey {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0.to_be_bytes());
        Ok(IsNull::No)
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::UUID
    }

    to_sql_checked!();
}

/// Reads a person's nights repeatedly over one connection and discards them; returns the duration of each
/// read.
pub(crate) fn drain_rows(
    postgres: &Postgres,
    user_id: &str,
    nights: usize,
    times: usize,
) -> anyhow::Result<Vec<Duration>> {
    let (database, key) = (postgres.parameters(), user_id.parse::<UserKey>()?);
    on_own_thread(async move || {
        let (client, connection) = tokio_postgres::connect(&database, NoTls).await?;
        let driver = tokio::spawn(connection);
        let statement = client.prepare(NIGHTS).await?;
        let limit = i64::try_from(nights)?;
        let mut taken = Vec::with_capacity(times);
        for _ in 0..times {
            let started = Instant::now();
            let parameters: [&(dyn ToSql + Sync); 2] = [&key, &limit];
            let mut rows = pin!(client.query_raw(&statement, parameters).await?);
            let mut seen = 0;
            while let Some(row) = rows.try_next().await? {
                std::hint::black_box(&row);
                seen += 1;
            }
            ensure!(seen == nights, "the database has {seen} nights and must have {nights}");
            taken.push(started.elapsed());
        }
        drop(client);
        driver.await?.context("the connection to the database broke off")?;
        Ok(taken)
    })
}
