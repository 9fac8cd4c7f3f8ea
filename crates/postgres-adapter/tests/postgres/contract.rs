//! The suite that every store passes.

use contract_tests::Harness;
use postgres_adapter::test_support::TestDatabase;

async fn make_store() -> Harness {
    let database = TestDatabase::create().await;
    Harness::new(database.store(), database)
}

contract_tests::contract_tests!(make_store);

/// The same once more with statements that have no names, through a real pooler where that matters (`pooler`).
mod without_names {
    use super::*;
    use postgres_adapter::{PostgresOptions, PostgresStore, PreparedStatements};

    async fn make_store() -> Harness {
        let database = TestDatabase::create().await;
        let options = PostgresOptions {
            pool_size: 4,
            prepared_statements: PreparedStatements::Unnamed,
            ..PostgresOptions::new(database.url())
        };
        Harness::new(PostgresStore::connect(&options).unwrap(), database)
    }

    contract_tests::contract_tests!(make_store);
}
