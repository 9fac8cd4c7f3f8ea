//! The migrations, embedded, and where a database stands.

use crate::connection::Pooled;
use crate::error::{storage_error, unexpected};
use crate::schema::schema_compatibility;
use crate::store::PostgresStore;
use application::ports::storage::StorageError;
use application::schema::{PROGRAM, SchemaState, judge};
use diesel::migration::{Migration, MigrationSource as _};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Bool;
use diesel_async::{AsyncMigrationHarness, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};
use std::collections::BTreeSet;

/// The files of `migrations/postgres`.
const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// Takes the lock under which a database is migrated, so that several processes may start at once; an arbitrary
/// number, the same in every version. It is waited for however long the other process takes; a table's lock is
/// not, because behind a migration that waits for one, everybody else waits too.
const LOCK: &str = "SET statement_timeout = 0; SET lock_timeout = 0; \
    SELECT pg_advisory_lock(8246204620103118188); SET lock_timeout = '10s'";

/// The table in which Diesel notes what was applied, as Diesel names it.
mod diesel_table {
    diesel::table! {
        __diesel_schema_migrations (version) {
            version -> Text,
        }
    }
}

/// Changes the schema, on a connection that nobody else uses, and returns how many migrations that took.
type Change = fn(&mut AsyncMigrationHarness<AsyncPgConnection>) -> diesel::migration::Result<usize>;

impl PostgresStore {
    /// Applies the pending migrations and returns how many there were; of several processes one does it and the
    /// others wait.
    pub async fn migrate(&self) -> Result<usize, StorageError> {
        self.change_schema(|harness| harness.run_pending_migrations(MIGRATIONS).map(|applied| applied.len()))
            .await
    }

    /// Takes every migration back, and with them everything that is stored.
    pub async fn revert_all(&self) -> Result<(), StorageError> {
        self.change_schema(|harness| harness.revert_all_migrations(MIGRATIONS).map(|reverted| reverted.len()))
            .await
            .map(drop)
    }

    /// Judges the schema that is there; changes nothing.
    pub async fn schema_state(&self) -> Result<SchemaState, StorageError> {
        let mut connection = self.pooled().await?;
        let known = known_versions()?;
        let applied = applied_versions(&mut connection).await?;
        if applied.is_empty() {
            return Ok(SchemaState::Missing);
        }
        let oldest: Vec<(String, i32)> =
            schema_compatibility::table.load(&mut connection).await.map_err(storage_error)?;
        Ok(judge(&known, &applied, &oldest.into_iter().collect(), PROGRAM))
    }

    async fn change_schema(&self, change: Change) -> Result<usize, StorageError> {
        let mut connection = self.connector.connect().await.map_err(|_| StorageError::Unavailable)?;
        connection.batch_execute(LOCK).await.map_err(storage_error)?;
        // Diesel's migrations are synchronous. On a thread that may block they run under any runtime; the lock
        // ends with the connection.
        let changing =
            tokio::task::spawn_blocking(move || change(&mut AsyncMigrationHarness::new(connection)));
        match changing.await {
            Ok(changed) => changed.map_err(StorageError::Internal),
            Err(_) => Err(unexpected("a migration was interrupted")),
        }
    }
}

fn known_versions() -> Result<BTreeSet<String>, StorageError> {
    let migrations: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations().map_err(StorageError::Internal)?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}

/// Reads Diesel's own table, without making it as its harness would: a reader may not be allowed to.
async fn applied_versions(connection: &mut Pooled) -> Result<BTreeSet<String>, StorageError> {
    use diesel_table::__diesel_schema_migrations as applied;

    let is_there = sql_query("SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL");
    let is_there: bool = crate::statement::returning::<Bool, _>(is_there)
        .get_result(connection)
        .await
        .map_err(storage_error)?;
    if !is_there {
        return Ok(BTreeSet::new());
    }
    let versions: Vec<String> =
        applied::table.select(applied::version).load(connection).await.map_err(storage_error)?;
    Ok(versions.into_iter().collect())
}
