//! The schema: up, down, up; concurrent migrations; newer than the program.

use crate::made_up::*;
use application::schema::{PROGRAM, SchemaState};
use postgres_adapter::PostgresStore;
use postgres_adapter::test_support::TestDatabase;

/// The whole schema as sorted text.
const CATALOGUE: &str = "
    SELECT format('column %s.%s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        a.attnotnull, a.attstorage, pg_get_expr(d.adbin, d.adrelid))
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace
    UNION ALL SELECT format('table %s %s %s %s', relname, relkind, reloptions, pg_get_expr(relpartbound, oid))
    FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT format('view %s %s', viewname, definition) FROM pg_views WHERE schemaname = 'public'
    ORDER BY 1";

async fn catalogue(database: &TestDatabase) -> Vec<String> {
    texts(&bystander(database).await, CATALOGUE).await
}

#[tokio::test]
async fn up_down_up_restores_the_schema_and_down_removes_everything() {
    let database = TestDatabase::create_without_schema().await;
    let store = database.store();
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::Missing);
    store.migrate().await.unwrap();
    let first = catalogue(&database).await;
    assert!(first.len() > 300);
    store.revert_all().await.unwrap();
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::Missing);
    let left = catalogue(&database).await;
    assert!(left.iter().all(|line| line.contains("__diesel_schema_migrations")), "{left:?}");
    store.migrate().await.unwrap();
    assert_eq!(catalogue(&database).await, first);
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::Current);
}

#[tokio::test]
async fn many_processes_may_migrate_at_once_and_one_does_it() {
    let database = TestDatabase::create_without_schema().await;
    let stores: Vec<_> = (0..4).map(|_| database.store()).collect();
    let migrating = futures_util::future::join_all(stores.iter().map(PostgresStore::migrate));
    let applied: Vec<usize> = migrating.await.into_iter().map(Result::unwrap).collect();
    assert_eq!(applied.iter().filter(|number| **number > 0).count(), 1, "{applied:?}");
    assert_eq!(stores[0].schema_state().await.unwrap(), SchemaState::Current);
}

#[tokio::test]
async fn every_migration_records_the_oldest_program_that_may_run_on_it() {
    let database = TestDatabase::create().await;
    let operator = bystander(&database).await;
    let applied = texts(&operator, "SELECT version FROM __diesel_schema_migrations ORDER BY 1").await;
    assert!(!applied.is_empty());
    assert_eq!(texts(&operator, "SELECT version FROM schema_compatibility ORDER BY 1").await, applied);
    let oldest = number(&operator, "SELECT max(oldest_program)::bigint FROM schema_compatibility").await;
    assert!(oldest <= i64::from(PROGRAM));
}

#[tokio::test]
async fn a_newer_schema_is_compatible_unless_it_excludes_this_program() {
    let database = TestDatabase::create().await;
    let (store, operator) = (database.store(), bystander(&database).await);
    let grow = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000001')";
    operator.batch_execute(grow).await.unwrap();
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::NewerCompatible);
    let exclude = "INSERT INTO schema_compatibility VALUES ('99990101000001', 2147483647)";
    operator.batch_execute(exclude).await.unwrap();
    assert_eq!(store.schema_state().await.unwrap(), SchemaState::NewerIncompatible);
}

#[tokio::test]
async fn an_empty_table_of_migrations_is_not_a_schema() {
    let database = TestDatabase::create().await;
    bystander(&database).await.batch_execute("DELETE FROM __diesel_schema_migrations").await.unwrap();
    assert_eq!(database.store().schema_state().await.unwrap(), SchemaState::Missing);
}
