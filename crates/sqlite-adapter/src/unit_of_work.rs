//! A transaction with every repository; each repository is in the file of its aggregate.

use crate::change::number;
use crate::error::StorageResult as _;
use crate::row::blob;
use crate::scrub;
use crate::statement::{delete_oldest, execute};
use crate::webhook::announce_change;
use crate::writer::{Transaction, Writer};
use application::ports::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sqlite::SqliteConnection;
use domain::id::UserId;
use std::collections::HashMap;
use store_shared::{Change, Read};

/// Transaction on the writing connection; all other writers wait until it ends.
pub(crate) struct SqliteUnitOfWork {
    transaction: Transaction,
    /// Change numbers by person in this unit of work.
    numbers: HashMap<UserId, i64>,
    /// Whether a person was erased, so that the files must be scrubbed after the commit.
    pub(crate) has_erased: bool,
    writer: Writer,
}

impl SqliteUnitOfWork {
    pub(crate) fn new(transaction: Transaction, writer: Writer) -> Self {
        Self { transaction, numbers: HashMap::new(), has_erased: false, writer }
    }

    /// Returns the number of all changes that this unit of work makes to a person's records, and queues
    /// webhook events about them; `None` if the person does not exist. The first call increments the person's
    /// number. Never called within a savepoint, whose rollback would undo that.
    pub(crate) async fn change_number(&mut self, user_id: UserId) -> Result<Option<i64>, StorageError> {
        if let Some(number) = self.numbers.get(&user_id) {
            return Ok(Some(*number));
        }
        let id = blob(user_id.as_uuid());
        let taken = self.run(move |connection| {
            let taken = number::take(connection, &id).storage()?;
            if let Some(number) = taken {
                announce_change(connection, &id, number).storage()?;
            }
            Ok(taken)
        });
        let taken = taken.await?;
        self.numbers.extend(taken.map(|number| (user_id, number)));
        Ok(taken)
    }

    /// Runs a closure in the transaction.
    pub(crate) async fn run<T: Send + 'static>(
        &mut self,
        task: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.transaction.run(task).await
    }
}

#[async_trait]
impl store_shared::Transaction for SqliteUnitOfWork {
    async fn execute<Q: Change>(&mut self, query: Q) -> Result<u64, StorageError> {
        self.run(execute(query)).await
    }

    async fn load_rows<T: Send + 'static, Q: Read<T>>(&mut self, query: Q) -> Result<Vec<T>, StorageError> {
        self.run(|connection| query.load_from_sqlite(connection).storage()).await
    }

    async fn load_row<T: Send + 'static, Q: Read<T>>(&mut self, query: Q) -> Result<Option<T>, StorageError> {
        self.run(|connection| query.load_one_from_sqlite(connection).storage()).await
    }

    async fn delete_oldest(
        &mut self,
        table: (&'static str, &'static str, &'static str),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        self.run(delete_oldest(table, before, limit)).await
    }

    // The transaction holds the write lock.
    async fn lock_account(&mut self, _user_id: UserId) -> Result<(), StorageError> {
        Ok(())
    }

    fn remember_lock(&mut self, _user_id: UserId) {}

    async fn exclude_writers(&mut self, _table: &'static str) -> Result<(), StorageError> {
        Ok(())
    }

    async fn commit(self) -> Result<(), StorageError> {
        let Self { transaction, numbers: _, has_erased, writer } = self;
        transaction.commit().await?;
        if has_erased {
            scrub_after_erasure(&writer).await;
        }
        Ok(())
    }

    async fn rollback(self) -> Result<(), StorageError> {
        self.transaction.roll_back().await
    }
}

/// Scrubs the files after a committed erasure; the next maintenance run of a server finishes what fails here.
async fn scrub_after_erasure(writer: &Writer) {
    let scrubbed = writer.maintain(|connection, location| {
        // Half of a writer's timeout, so that writers queued behind this one do not time out.
        scrub::scrub(connection, location, location.busy_timeout / 2)
    });
    match scrubbed.await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(
            "erased data stays readable in the store's files until their readers have finished; \
             the server tries again every 10 seconds"
        ),
        Err(error) => tracing::warn!(
            %error,
            "erased data stays readable in the store's files; the server tries again every 10 seconds"
        ),
    }
}
