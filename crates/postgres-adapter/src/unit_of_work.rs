//! A transaction on a pooled connection.
//!
//! A failed statement aborts a whole Postgres transaction, so no repository lets a statement violate a unique
//! index: inserts use `ON CONFLICT DO NOTHING` and count the rows, updates check first. Inserts with a new
//! random key are plain. Bulk inserts of an import check first and run behind a savepoint.

use crate::connection::{Pooled, ROLLBACK, is_broken};
use crate::error::{storage_error, unexpected};
use crate::store::PostgresStore;
use application::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::SimpleAsyncConnection as _;
use domain::id::UserId;
use std::collections::{HashMap, HashSet};
use std::convert::identity;
use store_shared::column::Held as _;
use store_shared::schema::account;
use store_shared::{Change, Read, Transaction, Unit};

/// Read committed: each statement sees what was committed before it, so that it can wait for a lock and then
/// read.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// Fails if the transaction is aborted: a `COMMIT` alone would roll it back and report no error.
const COMMIT: &str = "SELECT 1; COMMIT";

#[async_trait]
impl UnitOfWorkFactory for PostgresStore {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        Ok(Box::new(Unit(self.transaction().await?)))
    }
}

impl PostgresStore {
    /// Begins a transaction; retries on another connection if the first one is broken.
    pub(crate) async fn transaction(&self) -> Result<PgUnitOfWork, StorageError> {
        match self.try_begin().await? {
            Err(error) if is_broken(&error) => self.try_begin().await?,
            begin_result => begin_result,
        }
        .map_err(storage_error)
    }

    async fn try_begin(&self) -> Result<QueryResult<PgUnitOfWork>, StorageError> {
        // Created before `BEGIN` is sent: this future may be dropped at the await.
        let mut unit = PgUnitOfWork {
            connection: Some(self.pooled().await?),
            numbers: HashMap::new(),
            found: HashSet::new(),
        };
        // `BEGIN` needs no lock, so the wait timeout of a connection applies.
        let begin_result = unit.connection()?.batch_execute(BEGIN);
        let begin_result = self.response_guard.run_within(self.wait_timeout, begin_result).await;
        Ok(begin_result.and_then(identity).map(|()| unit))
    }
}

/// Transaction with every repository. It stays usable after a conflict; after any other error it can only
/// end.
pub(crate) struct PgUnitOfWork {
    /// `None` once the transaction has ended.
    connection: Option<Pooled>,
    /// Change numbers by person in this unit of work; the rows of these people are locked.
    pub(crate) numbers: HashMap<UserId, i64>,
    /// People whose rows were found, and therefore locked, in this unit of work. No row is locked behind a
    /// savepoint, because a rollback to it would release the lock.
    pub(crate) found: HashSet<UserId>,
}

impl PgUnitOfWork {
    /// Borrows the connection for one statement.
    pub(crate) fn connection(&mut self) -> Result<&mut Pooled, StorageError> {
        match &mut self.connection {
            Some(connection) => Ok(connection),
            None => Err(unexpected("a unit of work was used after its end")),
        }
    }

    /// Ends the transaction, then returns the connection to the pool.
    async fn end(&mut self, statement: &str) -> Result<(), StorageError> {
        self.connection()?.batch_execute(statement).await.map_err(storage_error)?;
        drop(self.connection.take());
        Ok(())
    }
}

/// A unit of work that is dropped before its end, after an error or with a cancelled request, is rolled back
/// in the background.
impl Drop for PgUnitOfWork {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.abandon();
        }
    }
}

#[async_trait]
impl Transaction for PgUnitOfWork {
    async fn execute<Q: Change>(&mut self, query: Q) -> Result<u64, StorageError> {
        self.connection()?.execute(query).await
    }

    async fn load_rows<T: Send + 'static, Q: Read<T>>(&mut self, query: Q) -> Result<Vec<T>, StorageError> {
        query.load_from_postgres(self.connection()?).await.map_err(storage_error)
    }

    async fn load_row<T: Send + 'static, Q: Read<T>>(&mut self, query: Q) -> Result<Option<T>, StorageError> {
        query.load_one_from_postgres(self.connection()?).await.map_err(storage_error)
    }

    async fn delete_oldest(
        &mut self,
        table: (&'static str, &'static str, &'static str),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        self.connection()?.delete_oldest(table, before, limit).await
    }

    async fn lock_account(&mut self, user_id: UserId) -> Result<(), StorageError> {
        if self.found.contains(&user_id) || self.numbers.contains_key(&user_id) {
            return Ok(());
        }
        let query = account::table.find(user_id.cell()).select(account::id).for_no_key_update();
        self.connection()?.execute(query).await.map(drop)
    }

    fn remember_lock(&mut self, user_id: UserId) {
        self.found.insert(user_id);
    }

    async fn exclude_writers(&mut self, table: &'static str) -> Result<(), StorageError> {
        // Conflicts with itself and with every write, but not with reads.
        let lock = format!("LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE");
        self.connection()?.batch_execute(&lock).await.map_err(storage_error)
    }

    async fn commit(mut self) -> Result<(), StorageError> {
        self.end(COMMIT).await
    }

    /// Closes a connection whose statement has no response yet, as [`Drop`] does: `ROLLBACK` would wait for
    /// it. The server then rolls back by itself.
    async fn rollback(mut self) -> Result<(), StorageError> {
        match self.connection.take_if(|connection| connection.is_waiting()) {
            Some(connection) => {
                connection.close();
                Ok(())
            }
            None => self.end(ROLLBACK).await,
        }
    }
}
