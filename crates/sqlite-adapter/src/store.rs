//! The SQLite store and its connections.

use crate::connection::{Connection, Location, Role, on_blocking_thread};
use crate::error::StorageResult as _;
use crate::migration;
use crate::options::SqliteOptions;
use crate::reader_pool::ReaderPool;
use crate::statement::execute;
use crate::unit_of_work::SqliteUnitOfWork;
use crate::writer::Writer;
use application::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use application::schema::SchemaState;
use async_trait::async_trait;
use diesel::sqlite::SqliteConnection;
use std::path::Path;
use std::sync::atomic::Ordering;
use store_shared::{Change, Raw, Read, Store, Unit};

/// Storage on SQLite; implements every storage port.
pub struct SqliteStore {
    location: Location,
    pub(crate) writer: Writer,
    readers: ReaderPool,
}

impl SqliteStore {
    /// Opens a file; without `create` it must exist. Does not check its schema, see [`Self::schema_state`].
    pub async fn open(path: &Path, options: SqliteOptions) -> Result<Self, StorageError> {
        let path = std::path::absolute(path).map_err(|_| StorageError::Unavailable)?;
        let location = Location::new(path, options.busy_timeout);
        let opened = location.clone();
        let (writer, reader) = on_blocking_thread(move || {
            if options.create {
                opened.create_file()?;
            }
            let writer = opened.connect(Role::Writer)?;
            Ok((writer, opened.connect(Role::Reader)?))
        })
        .await?;
        Ok(Self {
            writer: Writer::new(Connection::new(writer), location.clone()),
            readers: ReaderPool::new(reader, options.readers, location.clone()),
            location,
        })
    }

    /// Returns the number of connections opened so far.
    pub fn opened_connections(&self) -> u64 {
        self.location.opened.load(Ordering::Relaxed)
    }

    /// Applies the pending migrations, all or none, and returns how many there were. If several processes
    /// call this, one applies them and the others wait.
    pub async fn migrate(&self) -> Result<usize, StorageError> {
        let location = self.location.clone();
        on_blocking_thread(move || migration::migrate(&location)).await
    }

    /// Reverts every migration, which deletes all stored data; for tests.
    pub async fn revert_all(&self) -> Result<(), StorageError> {
        let location = self.location.clone();
        on_blocking_thread(move || migration::revert_all(&location)).await
    }

    /// Returns whether this program is compatible with the current schema; also a cheap health check.
    pub async fn schema_state(&self) -> Result<SchemaState, StorageError> {
        self.read(migration::schema_state).await
    }

    /// Runs a closure on a reading connection.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.readers.run(task).await
    }

    /// Runs a closure that reads one row on a reading connection, preferably on this thread.
    pub(crate) async fn read_row<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.readers.run_here(task).await
    }

    /// Runs a closure in a separate write transaction.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.writer.write(task).await
    }
}

#[async_trait]
impl Store for SqliteStore {
    const IS_PARTITIONED: bool = false;

    async fn load_row<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Option<T>, StorageError> {
        self.read_row(|connection| query.load_one_from_sqlite(connection).storage()).await
    }

    async fn load_rows<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Vec<T>, StorageError> {
        self.read(|connection| query.load_from_sqlite(connection).storage()).await
    }

    async fn load_few<T: Send + 'static, Q: Read<T>>(&self, query: Q) -> Result<Vec<T>, StorageError> {
        self.load_rows(query).await
    }

    async fn change<Q: Change>(&self, query: Q) -> Result<u64, StorageError> {
        self.write(execute(query)).await
    }

    async fn change_all(&self, queries: Vec<Raw>) -> Result<(), StorageError> {
        self.write(|connection| {
            queries.into_iter().try_for_each(|query| execute(query)(connection).map(drop))
        })
        .await
    }
}

store_shared::implement_readers!(SqliteStore);

#[async_trait]
impl UnitOfWorkFactory for SqliteStore {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        let transaction = self.writer.begin().await?;
        Ok(Box::new(Unit(SqliteUnitOfWork::new(transaction, self.writer.clone()))))
    }
}
