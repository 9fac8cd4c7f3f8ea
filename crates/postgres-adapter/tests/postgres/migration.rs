//! The schema: up, down, up; several at once; newer than the program.

use crate::made_up::*;
use application::ports::storage::{GrantFilter, GrantReader as _, StorageError, UniqueKey};
use application::schema::{PROGRAM, SchemaState};
use domain::grant::Grant;
use postgres_adapter::PostgresStore;
use postgres_adapter::test_support::TestDatabase;

/// Everything that makes up a schema, as text in one order.
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

/// A released migration and the one after it.
const FOUNDATION: &str = include_str!("../../../../migrations/postgres/2026-11-21-000001_foundation/up.sql");
const SIGN_IN: [&str; 2] = [
    include_str!("../../../../migrations/postgres/2026-11-21-000002_sign_in/up.sql"),
    include_str!("../../../../migrations/postgres/2026-11-21-000002_sign_in/down.sql"),
];

/// That which gave refresh tokens a table of their own.
const REFRESH_TOKEN: [&str; 2] = [
    include_str!("../../../../migrations/postgres/2026-11-21-000007_refresh_token/up.sql"),
    include_str!("../../../../migrations/postgres/2026-11-21-000007_refresh_token/down.sql"),
];

async fn catalogue(database: &TestDatabase) -> Vec<String> {
    texts(&bystander(database).await, CATALOGUE).await
}

#[tokio::test]
async fn up_down_up_gives_the_same_schema_and_down_leaves_nothing() {
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
async fn sign_in_taken_back_leaves_the_schema_and_the_grants_of_before() {
    let database = TestDatabase::create_without_schema().await;
    let operator = bystander(&database).await;
    database.execute(FOUNDATION).await;
    let before = catalogue(&database).await;
    let grant = "INSERT INTO account (id, email, email_normalised, home_timezone, created_at)
            VALUES (md5('person')::uuid, 'p@example.org', 'p@example.org', 'UTC', now());
        INSERT INTO client (id, name, kind, redirect_uris, scopes, allow_query_secrets, require_pkce, created_at)
            VALUES (md5('client')::uuid, 'Night Owl', 'app', '{}', 'sleep', true, false, now());
        INSERT INTO access_grant (user_id, id, client_id, scopes, refresh_token_hash, created_at, last_used_at)
            VALUES (md5('person')::uuid, md5('grant')::uuid, md5('client')::uuid, 'sleep',
                decode(repeat('07', 32), 'hex'), now(), now())";
    database.execute(grant).await;
    let [up, down] = SIGN_IN;
    let rows = "SELECT access_grant::text FROM access_grant";
    let grants = texts(&operator, rows).await;
    database.execute(up).await;
    let grown = catalogue(&database).await;
    assert!(grown.len() > before.len());
    let mut unit = begin(&database.store()).await;
    let stored = unit.grants().list(GrantFilter::default(), None, 10).await.unwrap();
    unit.rollback().await.unwrap();
    assert!(stored[0].last_used_at.is_some());
    assert_eq!(stored[0].last_used_from, None);
    database.execute(down).await;
    assert_eq!(catalogue(&database).await, before);
    assert_eq!(texts(&operator, rows).await, grants);
    database.execute(up).await;
    assert_eq!(catalogue(&database).await, grown);
}

#[tokio::test]
async fn refresh_tokens_from_before_their_table_are_found_and_stay_taken() {
    let database = TestDatabase::create().await;
    let (store, operator) = (database.store(), bystander(&database).await);
    let grown = catalogue(&database).await;
    let [up, down] = REFRESH_TOKEN;
    database.execute(down).await;
    populate(&store, [1, 2]).await;
    let before = "INSERT INTO access_grant (user_id, id, client_id, scopes, refresh_token_hash, created_at)
        SELECT account.id, account.id, client.id, 'sleep', sha256(account.id::text::bytea), now()
        FROM account CROSS JOIN client";
    database.execute(before).await;
    database.execute(up).await;
    assert_eq!(catalogue(&database).await, grown);
    assert_eq!(number(&operator, "SELECT count(*) FROM refresh_token").await, 2);
    let mut unit = begin(&store).await;
    let grants = unit.grants().list(GrantFilter::default(), None, 10).await.unwrap();
    let hash = grants[0].refresh_token_hash;
    for named in [None, Some(user_id(1)), Some(user_id(2))] {
        let found = store.find_by_refresh_token(&hash, named).await.unwrap();
        assert_eq!(found.map(|found| found.grant.id), Some(grants[0].id));
    }
    let same_token = Grant { refresh_token_hash: hash, ..grant(9, 2) };
    let taken = unit.grants().insert(&same_token).await;
    assert!(matches!(taken, Err(StorageError::Conflict(UniqueKey::Grant))), "{taken:?}");
    // What the program from before inserts beside this one needs nothing of the table.
    database.execute("DELETE FROM access_grant").await;
    database.execute(before).await;
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
async fn a_schema_that_grew_serves_unless_it_excludes_this_program() {
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
async fn an_empty_table_of_migrations_is_no_schema() {
    let database = TestDatabase::create().await;
    bystander(&database).await.batch_execute("DELETE FROM __diesel_schema_migrations").await.unwrap();
    assert_eq!(database.store().schema_state().await.unwrap(), SchemaState::Missing);
}
