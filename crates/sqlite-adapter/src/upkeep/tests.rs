use crate::store::SqliteStore;
use crate::{SqliteOptions, scrub};
use application::ports::storage::{DiskFault, ProfileReader as _, StorageError, StoreUpkeep as _};
use diesel::connection::SimpleConnection as _;
use domain::id::UserId;
use uuid::Uuid;

async fn store() -> (SqliteStore, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    let store = SqliteStore::open(&directory.path().join("restwell.db"), options).await.unwrap();
    store.migrate().await.unwrap();
    (store, directory)
}

async fn on_writer(store: &SqliteStore, sql: &'static str) -> Result<(), StorageError> {
    store.write(|connection| connection.batch_execute(sql).map_err(crate::error::of_statement)).await
}

#[tokio::test]
async fn a_full_disk_is_reported_until_a_probe_is_stored_and_reads_are_answered() {
    let (store, _directory) = store().await;
    assert_eq!(store.write_refusal(), None);
    // The current size is the limit, so a further page fails as on a full disk.
    on_writer(&store, "PRAGMA max_page_count = 1").await.unwrap();
    let probed = store.probe_writes().await;
    assert!(matches!(probed, Err(StorageError::Disk(DiskFault::Full))), "{probed:?}");
    assert_eq!(store.write_refusal(), Some(DiskFault::Full));
    let nobody = UserId::from_uuid(Uuid::from_u128(1));
    assert_eq!(store.find_profile(nobody).await.unwrap(), None);
    // A write that fits into free pages does not prove that the disk has space.
    on_writer(&store, "DELETE FROM outbox").await.unwrap();
    assert_eq!(store.write_refusal(), Some(DiskFault::Full));
    on_writer(&store, "PRAGMA max_page_count = 1000000").await.unwrap();
    store.probe_writes().await.unwrap();
    assert_eq!(store.write_refusal(), None);
}

#[tokio::test]
async fn requests_to_scrub_are_numbered_so_that_none_is_lost() {
    let (store, _directory) = store().await;
    let request = async || {
        store.write(|connection| scrub::request(connection).map_err(crate::error::of_statement)).await
    };
    let requested = async || {
        store.read(|connection| scrub::requested(connection).map_err(crate::error::of_statement)).await
    };
    assert_eq!(requested().await.unwrap(), 0);
    request().await.unwrap();
    request().await.unwrap();
    assert_eq!(requested().await.unwrap(), 2);
    assert!(store.finish_erasures().await.unwrap());
    assert_eq!(requested().await.unwrap(), 0);
    on_writer(&store, "PRAGMA user_version = 2147483647").await.unwrap();
    request().await.unwrap();
    assert_eq!(requested().await.unwrap(), 1);
}
