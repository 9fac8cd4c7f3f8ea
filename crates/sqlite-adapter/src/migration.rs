//! Embedded migrations and the state of a database's schema.

use crate::connection::{Location, Role};
use crate::error::StorageResult as _;
use crate::schema::schema_compatibility;
use application::ports::storage::StorageError;
use application::schema::{PROGRAM, SchemaState, classify};
use diesel::connection::Connection as _;
use diesel::migration::{Migration, MigrationSource as _};
use diesel::prelude::*;
use diesel::sqlite::{Sqlite, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// Time limit of a wait for another process that migrates.
const MIGRATION_WAIT: Duration = Duration::from_mins(5);

/// Error of a schema change or read, as closures on a connection require.
enum Failure {
    Storage(StorageError),
    Diesel(diesel::result::Error),
}

impl From<diesel::result::Error> for Failure {
    fn from(error: diesel::result::Error) -> Self {
        Self::Diesel(error)
    }
}

impl Failure {
    fn into_storage(self) -> StorageError {
        match self {
            Self::Storage(error) => error,
            Self::Diesel(error) => crate::error::of_statement(error),
        }
    }
}

/// Applies the pending migrations, all or none, and returns how many there were. If several processes call
/// this, one applies them and the others wait.
pub(crate) fn migrate(location: &Location) -> Result<usize, StorageError> {
    in_one_transaction(location, |connection| {
        connection.run_pending_migrations(MIGRATIONS).map(|applied| applied.len())
    })
}

/// Reverts every migration, which deletes all stored data.
pub(crate) fn revert_all(location: &Location) -> Result<(), StorageError> {
    in_one_transaction(location, |connection| connection.revert_all_migrations(MIGRATIONS).map(drop))
}

/// Changes the schema under the write lock, so that other processes wait before they list pending migrations.
fn in_one_transaction<T>(
    location: &Location,
    change: impl FnOnce(&mut SqliteConnection) -> diesel::migration::Result<T>,
) -> Result<T, StorageError> {
    let location = Location { busy_timeout: MIGRATION_WAIT.max(location.busy_timeout), ..location.clone() };
    let mut connection = location.connect(Role::Writer)?;
    connection
        .immediate_transaction(|connection| {
            change(connection).map_err(|error| Failure::Storage(StorageError::Internal(error)))
        })
        .map_err(Failure::into_storage)
}

/// Returns whether this program is compatible with the current schema.
pub(crate) fn schema_state(connection: &mut SqliteConnection) -> Result<SchemaState, StorageError> {
    connection.transaction(read_state).map_err(Failure::into_storage)
}

fn read_state(connection: &mut SqliteConnection) -> Result<SchemaState, Failure> {
    let known = known_versions().map_err(Failure::Storage)?;
    let applied = applied_versions(connection).map_err(Failure::Storage)?;
    if applied.is_empty() {
        return Ok(classify(&known, &applied, &BTreeMap::new(), PROGRAM));
    }
    let oldest: Vec<(String, i32)> = schema_compatibility::table.load(connection)?;
    Ok(classify(&known, &applied, &oldest.into_iter().collect(), PROGRAM))
}

fn known_versions() -> Result<BTreeSet<String>, StorageError> {
    let migrations: Vec<Box<dyn Migration<Sqlite>>> =
        MIGRATIONS.migrations().map_err(StorageError::Internal)?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}

/// Reads Diesel's table. Diesel's harness would create it, which a reader cannot do.
fn applied_versions(connection: &mut SqliteConnection) -> Result<BTreeSet<String>, StorageError> {
    let tables: i64 = sqlite_schema::table
        .filter(sqlite_schema::name.eq("__diesel_schema_migrations"))
        .count()
        .get_result(connection)
        .storage()?;
    if tables == 0 {
        return Ok(BTreeSet::new());
    }
    let versions: Vec<String> =
        applied_migration::table.select(applied_migration::version).load(connection).storage()?;
    Ok(versions.into_iter().collect())
}

diesel::table! {
    sqlite_schema (name) {
        name -> Text,
    }
}

diesel::table! {
    #[sql_name = "__diesel_schema_migrations"]
    applied_migration (version) {
        version -> Text,
    }
}

#[cfg(test)]
mod tests;
