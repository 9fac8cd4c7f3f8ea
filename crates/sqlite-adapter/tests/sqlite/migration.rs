//! The schema: up, down, up; compatibility with older and newer programs.

use application::schema::{PROGRAM, SchemaState};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use sqlite_adapter::{SqliteOptions, SqliteStore};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

async fn open(directory: &TempDir) -> (SqliteStore, PathBuf) {
    let path = directory.path().join("restwell.db");
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    (SqliteStore::open(&path, options).await.unwrap(), path)
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = diesel::sql_types::Text)]
    text: String,
}

fn texts(path: &Path, sql: &str) -> Vec<String> {
    let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    let rows: Vec<TextRow> = diesel::sql_query(sql).load(&mut connection).unwrap();
    rows.into_iter().map(|row| row.text).collect()
}

fn change(path: &Path, sql: &str) {
    SqliteConnection::establish(path.to_str().unwrap()).unwrap().batch_execute(sql).unwrap();
}

fn schema(path: &Path) -> Vec<String> {
    let sql = "SELECT type || ' ' || name || ' ' || coalesce(sql, '') AS text FROM sqlite_schema \
               WHERE name NOT LIKE '%diesel%' ORDER BY type, name";
    texts(path, sql)
}

#[tokio::test]
async fn up_down_and_up_again_restore_the_schema() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path) = open(&directory).await;
    store.migrate().await.unwrap();
    let first = schema(&path);
    assert!(first.len() > 20);
    store.revert_all().await.unwrap();
    assert_eq!(schema(&path), Vec::<String>::new());
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::Missing);
    store.migrate().await.unwrap();
    assert_eq!(schema(&path), first);
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::Current);
}

#[tokio::test]
async fn migrating_again_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path) = open(&directory).await;
    store.migrate().await.unwrap();
    let first = schema(&path);
    store.migrate().await.unwrap();
    assert_eq!(schema(&path), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_stores_that_migrate_at_once_all_succeed_and_one_does_it() {
    let directory = tempfile::tempdir().unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let path = directory.path().join("restwell.db");
            let options = SqliteOptions { create: true, ..SqliteOptions::default() };
            tokio::spawn(async move {
                let store = SqliteStore::open(&path, options).await.unwrap();
                (store.migrate().await.unwrap(), store.schema_state().await.unwrap())
            })
        })
        .collect();
    let mut applied = Vec::new();
    for task in tasks {
        let (number, state) = task.await.unwrap();
        assert_eq!(state, SchemaState::Current);
        applied.push(number);
    }
    assert_eq!(applied.iter().filter(|number| **number > 0).count(), 1, "{applied:?}");
}

#[tokio::test]
async fn every_migration_records_the_oldest_program_that_may_run_on_it() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path) = open(&directory).await;
    store.migrate().await.unwrap();
    let applied = texts(&path, "SELECT version AS text FROM __diesel_schema_migrations ORDER BY 1");
    assert!(!applied.is_empty());
    assert_eq!(texts(&path, "SELECT version AS text FROM schema_compatibility ORDER BY 1"), applied);
    let own = texts(&path, "SELECT CAST(max(oldest_program) AS TEXT) AS text FROM schema_compatibility");
    assert!(own[0].parse::<i32>().unwrap() <= PROGRAM);
}

#[tokio::test]
async fn a_newer_schema_is_compatible_unless_it_excludes_this_program() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path) = open(&directory).await;
    store.migrate().await.unwrap();
    change(&path, "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000001')");
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::NewerCompatible);
    change(&path, &format!("INSERT INTO schema_compatibility VALUES ('99990101000001', {PROGRAM})"));
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::NewerCompatible);
    change(&path, "UPDATE schema_compatibility SET oldest_program = 1000 WHERE version = '99990101000001'");
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::NewerIncompatible);
}

#[tokio::test]
async fn a_schema_that_lacks_a_migration_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path) = open(&directory).await;
    store.migrate().await.unwrap();
    change(
        &path,
        "UPDATE __diesel_schema_migrations SET version = '20000101000001' WHERE version = '20261122000001'",
    );
    let pending = vec!["20261122000001".to_owned()];
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::Older { pending });
}
