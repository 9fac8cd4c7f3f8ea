//! Embedded migrations and the state of a database's schema.

use crate::connection::Pooled;
use crate::error::{storage_error, unexpected};
use crate::schema::schema_compatibility;
use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::StorageError;
use application::schema::{PROGRAM, SchemaState, classify};
use diesel::migration::{Migration, MigrationSource as _};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Bool;
use diesel_async::{AsyncMigrationHarness, AsyncPgConnection, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};
use std::collections::BTreeSet;

/// Contents of `migrations/postgres`.
const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// Takes the advisory lock for migrations, so that several processes may start at once. The number is
/// arbitrary and the same in every version. The wait for this lock is unlimited. The wait for a table lock is
/// limited, because other statements queue behind a migration that waits for one.
const LOCK: &str = "SET statement_timeout = 0; SET lock_timeout = 0; \
    SELECT pg_advisory_lock(8246204620103118188); SET lock_timeout = '10s'";

/// Diesel's table of applied migrations.
mod diesel_table {
    diesel::table! {
        __diesel_schema_migrations (version) {
            version -> Text,
        }
    }
}

/// Schema change on a dedicated connection; returns the number of migrations.
type Change = fn(&mut AsyncMigrationHarness<AsyncPgConnection>) -> diesel::migration::Result<usize>;

impl PostgresStore {
    /// Applies the pending migrations and returns how many there were. If several processes call this, one
    /// applies them and the others wait.
    pub async fn migrate(&self) -> Result<usize, StorageError> {
        self.change_schema(|harness| harness.run_pending_migrations(MIGRATIONS).map(|applied| applied.len()))
            .await
    }

    /// Reverts every migration, which deletes all stored data.
    pub async fn revert_all(&self) -> Result<(), StorageError> {
        self.change_schema(|harness| harness.revert_all_migrations(MIGRATIONS).map(|reverted| reverted.len()))
            .await
            .map(drop)
    }

    /// Returns whether this program is compatible with the current schema; changes nothing.
    pub async fn schema_state(&self) -> Result<SchemaState, StorageError> {
        let mut connection = self.pooled().await?;
        let known = known_versions()?;
        let applied = applied_versions(&mut connection).await?;
        if applied.is_empty() {
            return Ok(SchemaState::Missing);
        }
        let oldest: Vec<(String, i32)> = connection.load_rows(schema_compatibility::table).await?;
        Ok(classify(&known, &applied, &oldest.into_iter().collect(), PROGRAM))
    }

    async fn change_schema(&self, change: Change) -> Result<usize, StorageError> {
        let mut connection = self.connector.connect().await.map_err(|_| StorageError::Unavailable)?;
        connection.batch_execute(LOCK).await.map_err(storage_error)?;
        // Diesel's migrations are synchronous, so they run on a blocking thread. The lock ends with the
        // connection.
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

/// Reads Diesel's table. Diesel's harness would create it, which a reader may lack the permission for.
async fn applied_versions(connection: &mut Pooled) -> Result<BTreeSet<String>, StorageError> {
    use diesel_table::__diesel_schema_migrations as applied;

    let is_there = sql_query("SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL");
    let is_there: bool = connection.load_one(returning::<Bool, _>(is_there)).await?;
    if !is_there {
        return Ok(BTreeSet::new());
    }
    let query = applied::table.select(applied::version);
    let versions: Vec<String> = connection.load_rows(query).await?;
    Ok(versions.into_iter().collect())
}
