use super::{ONE, SEVERAL};
use crate::statement::returning;
use crate::store::PostgresStore;
use crate::test_support::TestDatabase;
use application::ports::storage::ProfileReader;
use diesel::sql_query;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use futures_util::FutureExt;
use futures_util::future::join_all;
use uuid::Uuid;

/// So few people that all of them fit into a few blocks.
const POPULATE: &str = "
    INSERT INTO account (id, email, email_normalised, home_timezone, created_at)
    SELECT lpad(n::text, 32, '0')::uuid, n || '@example.org', n || '@example.org', 'UTC', now()
    FROM generate_series(1, 400) AS n;
    ANALYZE account;";

/// The statements of the session that read a profile, this one among them.
const PREPARED: &str =
    "SELECT statement FROM pg_prepared_statements WHERE strpos(statement, 'wheelchair') > 0";

/// Ends every session of the database but this one.
const END: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

async fn database_with_people() -> TestDatabase {
    let database = TestDatabase::create().await;
    TestDatabase::execute(&database, POPULATE).await;
    database
}

/// Reads people at the same moment, and returns their addresses.
async fn addresses(store: &PostgresStore, people: &[u128]) -> Vec<Option<String>> {
    // Decimal digits, as the statement above writes them.
    let id = |number: &u128| UserId::from_uuid(Uuid::parse_str(&format!("{number:032}")).unwrap());
    let reads = people.iter().map(|number| store.find_profile(id(number)));
    let found = join_all(reads).await.into_iter();
    found.map(|user| user.unwrap().map(|user| user.email.as_str().to_owned())).collect()
}

fn address(number: u128) -> String {
    format!("{number}@example.org")
}

#[tokio::test]
async fn those_who_ask_at_the_same_moment_are_told_their_own_by_one_statement() {
    let database = database_with_people().await;
    let store = database.store();
    let found = addresses(&store, &[7, 999, 12, 7, 400]).await;
    assert_eq!(found, [Some(address(7)), None, Some(address(12)), Some(address(7)), Some(address(400))]);
    let prepared: Vec<String> = store
        .shared(|mut link| {
            async move { returning::<Text, _>(sql_query(PREPARED)).load(&mut link).await }.boxed()
        })
        .await
        .unwrap();
    assert!(prepared.iter().any(|text| text == SEVERAL), "{prepared:?}");
    assert!(!prepared.iter().any(|text| text == ONE), "{prepared:?}");
}

#[tokio::test]
async fn all_who_wait_at_a_broken_connection_are_answered_over_a_new_one() {
    let database = database_with_people().await;
    let store = database.store();
    assert_eq!(addresses(&store, &[1]).await, [Some(address(1))]);
    TestDatabase::execute(&database, END).await;
    assert_eq!(addresses(&store, &[3, 2, 1]).await, [Some(address(3)), Some(address(2)), Some(address(1))]);
}

#[tokio::test]
async fn a_small_table_is_not_read_whole_for_a_few_people() {
    let database = database_with_people().await;
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("PREPARE several (uuid[]) AS {SEVERAL}")).await.unwrap();
    for mode in ["force_custom_plan", "force_generic_plan"] {
        client.batch_execute(&format!("SET plan_cache_mode = {mode}")).await.unwrap();
        let people: Vec<String> = (1..=8).map(|number| format!("{number:032}")).collect();
        let explain = format!("EXPLAIN EXECUTE several ('{{{}}}')", people.join(","));
        let lines = client.simple_query(&explain).await.unwrap();
        let plan: String = lines
            .iter()
            .filter_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
                _ => None,
            })
            .collect();
        assert!(plan.contains("account_pkey") && !plan.contains("Seq Scan"), "{mode}: {plan}");
    }
}
