//! A transaction that records the statements of both stores.

use crate::statement::{Change, Read};
use crate::unit_of_work::Transaction;
use application::ports::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::debug_query;
use diesel::pg::Pg;
use diesel::query_builder::QueryFragment;
use diesel::sqlite::Sqlite;
use domain::id::UserId;

/// Records each statement's text on `PostgreSQL` and on `SQLite`; finds no row and changes one.
#[derive(Debug, Default)]
pub(crate) struct Recorder(pub(crate) Vec<[String; 2]>);

impl Recorder {
    fn record(&mut self, query: &(impl QueryFragment<Pg> + QueryFragment<Sqlite>)) {
        let texts = [debug_query::<Pg, _>(query).to_string(), debug_query::<Sqlite, _>(query).to_string()];
        self.0.push(texts.map(|text| text.split(" -- binds").next().unwrap_or_default().to_owned()));
    }
}

#[async_trait]
impl Transaction for Recorder {
    async fn execute<Q: Change>(&mut self, query: Q) -> Result<u64, StorageError> {
        self.record(&query);
        Ok(1)
    }

    async fn load_rows<T: Send + 'static, Q: Read<T>>(&mut self, query: Q) -> Result<Vec<T>, StorageError> {
        self.record(&query);
        Ok(Vec::new())
    }

    async fn load_row<T: Send + 'static, Q: Read<T>>(&mut self, query: Q) -> Result<Option<T>, StorageError> {
        self.record(&query);
        Ok(None)
    }

    async fn delete_oldest(
        &mut self,
        _: (&'static str, &'static str, &'static str),
        _: DateTime<Utc>,
        _: u32,
    ) -> Result<u64, StorageError> {
        Ok(0)
    }

    async fn lock_account(&mut self, _: UserId) -> Result<(), StorageError> {
        Ok(())
    }

    fn remember_lock(&mut self, _: UserId) {}

    async fn exclude_writers(&mut self, _: &'static str) -> Result<(), StorageError> {
        Ok(())
    }

    async fn commit(self) -> Result<(), StorageError> {
        Ok(())
    }

    async fn rollback(self) -> Result<(), StorageError> {
        Ok(())
    }
}
