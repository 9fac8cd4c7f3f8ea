//! The contract suite for every store.

use contract_tests::Harness;
use sqlite_adapter::{SqliteOptions, SqliteStore};

async fn make_store() -> Harness {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    let store = SqliteStore::open(&directory.path().join("restwell.db"), options).await.unwrap();
    store.migrate().await.unwrap();
    Harness::new(store, SqliteStore::opened_connections, directory)
}

contract_tests::contract_tests!(make_store);
contract_tests::service_contract_tests!(make_store);
