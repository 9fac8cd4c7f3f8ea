//! Session settings that depend on the server.

use crate::statement::returning;
use crate::test_support::TestDatabase;
use diesel::sql_query;
use diesel::sql_types::Text;

async fn plan_mode(database: &TestDatabase) -> (String, bool) {
    let store = database.store();
    let mut connection = store.pooled().await.unwrap();
    let query = returning::<Text, _>(sql_query("SELECT current_setting('plan_cache_mode')"));
    let mode: String = connection.load_one(query).await.unwrap();
    (mode, store.connector.is_distributed())
}

#[tokio::test]
async fn plain_postgres_plans_once() {
    let database = TestDatabase::create().await;
    assert_eq!(plan_mode(&database).await, ("force_generic_plan".to_owned(), false));
}

#[tokio::test]
async fn citus_plans_for_the_shard() {
    let database = TestDatabase::create_distributed().await;
    assert_eq!(plan_mode(&database).await, ("auto".to_owned(), true));
}
