//! The database server's clock.

use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::{StorageError, StoreClock};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_query;
use diesel::sql_types::Timestamptz;
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;

#[async_trait]
impl StoreClock for PostgresStore {
    async fn store_now(&self) -> Result<DateTime<Utc>, StorageError> {
        // Not `now()`: on a shared connection, another reader may have opened the transaction earlier.
        self.shared(|mut connection| {
            let query = returning::<Timestamptz, _>(sql_query("SELECT clock_timestamp()"));
            async move { query.get_result(&mut connection).await }.boxed()
        })
        .await
    }
}
