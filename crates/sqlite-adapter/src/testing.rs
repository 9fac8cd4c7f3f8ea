//! Migrated database files for tests.

use crate::connection::{Location, Role};
use crate::migration;
use diesel::prelude::*;
use diesel::query_builder::QueryFragment;
use diesel::sql_types::{BigInt, Integer, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use std::time::Duration;
use store_shared::{Raw, Value};
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

/// Returns the steps of SQLite's plan for a statement, which does not depend on the values of its `?`.
pub(crate) fn plan(statement: &impl QueryFragment<Sqlite>, connection: &mut SqliteConnection) -> Vec<String> {
    let text = diesel::debug_query::<Sqlite, _>(statement).to_string();
    let text = text.split(" -- binds").next().unwrap();
    let explained: Raw<(Integer, BigInt, BigInt, Text)> = Raw::same(format!("EXPLAIN QUERY PLAN {text}"));
    let explained = explained.bind_all(vec![Value::Number(0); text.matches('?').count()]);
    let steps: Vec<(i32, i64, i64, String)> = explained.load(connection).unwrap();
    steps.into_iter().map(|(_, _, _, step)| step).collect()
}
