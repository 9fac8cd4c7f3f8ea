//! The contract suite for every store.

use contract_tests::Harness;
use postgres_adapter::PostgresStore;
use postgres_adapter::test_support::TestDatabase;

async fn make_store() -> Harness {
    let database = TestDatabase::create().await;
    Harness::new(database.store(), PostgresStore::opened_connections, database)
}

contract_tests::contract_tests!(make_store);
contract_tests::service_contract_tests!(make_store);

/// The same suite on distributed tables.
mod citus {
    use contract_tests::Harness;
    use postgres_adapter::PostgresStore;
    use postgres_adapter::test_support::TestDatabase;

    async fn make_store() -> Harness {
        let database = TestDatabase::create_distributed().await;
        Harness::new(database.store(), PostgresStore::opened_connections, database)
    }

    contract_tests::contract_tests!(make_store);
    contract_tests::service_contract_tests!(make_store);
}
