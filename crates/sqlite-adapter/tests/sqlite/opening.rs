//! Opening and creating a file.

use application::ports::storage::{ProfileReader as _, StorageError, UnitOfWorkFactory as _};
use application::schema::SchemaState;
use domain::id::UserId;
use sqlite_adapter::{SqliteOptions, SqliteStore};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const CREATE: SqliteOptions =
    SqliteOptions { readers: 2, busy_timeout: std::time::Duration::from_secs(5), create: true };

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_missing_file_is_created_only_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let opened = SqliteStore::open(&path, SqliteOptions::default()).await;
    assert!(matches!(opened, Err(StorageError::Unavailable)));
    assert!(!path.exists());
    assert!(SqliteStore::open(&path, CREATE).await.is_ok());
    assert!(SqliteStore::open(&path, SqliteOptions::default()).await.is_ok());
}

#[tokio::test]
async fn a_new_file_and_its_log_are_for_their_owner_only() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let store = SqliteStore::open(&path, CREATE).await.unwrap();
    store.migrate().await.unwrap();
    for name in ["restwell.db", "restwell.db-wal", "restwell.db-shm"] {
        assert_eq!(mode(&directory.path().join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn the_permissions_of_an_existing_file_are_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    SqliteStore::open(&path, CREATE).await.unwrap();
    assert_eq!(mode(&path), 0o640);
}

#[tokio::test]
async fn characters_that_mean_something_in_uris_are_part_of_the_path() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("50% #1?mode=memory.db");
    let store = SqliteStore::open(&path, CREATE).await.unwrap();
    store.migrate().await.unwrap();
    drop(store);
    assert!(path.metadata().unwrap().len() > 0);
    let again = SqliteStore::open(&path, SqliteOptions::default()).await.unwrap();
    assert_eq!(again.schema_state().await.unwrap(), SchemaState::Current);
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    assert!(SqliteStore::open(directory.path(), CREATE).await.is_err());
    assert!(SqliteStore::open(&directory.path().join("missing/restwell.db"), CREATE).await.is_err());
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "not a database ".repeat(100)).unwrap();
    assert!(SqliteStore::open(&path, CREATE).await.is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "not a database ".repeat(100));
}

#[tokio::test]
async fn a_store_without_a_schema_returns_errors() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&directory.path().join("restwell.db"), CREATE).await.unwrap();
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::Missing);
    let person = UserId::parse("2b7d0c6e-6b0f-4a3e-9d55-0f6f3a1c9e11").unwrap();
    assert!(matches!(store.find_profile(person).await, Err(StorageError::Internal(_))));
    let mut unit = store.begin().await.unwrap();
    assert!(matches!(unit.users().find(person).await, Err(StorageError::Internal(_))));
    unit.rollback().await.unwrap();
}
