//! Migrated database files for tests.

use crate::connection::{Location, Role};
use crate::migration;
use diesel::sqlite::SqliteConnection;
use std::time::Duration;
use tempfile::TempDir;

/// Creates a migrated file.
pub(crate) fn empty_location() -> (Location, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let location = Location::new(directory.path().join("restwell.db"), Duration::from_secs(5));
    location.create_file().unwrap();
    migration::migrate(&location).unwrap();
    (location, directory)
}

/// Creates a migrated file and opens it.
pub(crate) fn empty_database() -> (SqliteConnection, TempDir) {
    let (location, directory) = empty_location();
    (location.connect(Role::Writer).unwrap(), directory)
}
