//! Queries of every request or page use an index, for all arguments.

use crate::made_up::*;
use crate::made_up_sign_in::tally;
use application::ports::storage::{
    AccessReader, AuditFilter, AuditReader, CredentialReader, GrantReader, ReadTallyStore, SessionReader,
};
use domain::id::{AuditEventId, GrantId};
use domain::secret::SecretHash;
use postgres_adapter::PostgresStore;
use postgres_adapter::test_support::TestDatabase;
use uuid::Uuid;

/// Enough rows that no planner prefers a sequential scan, even of the smallest table.
const POPULATE: &str = "
    INSERT INTO person SELECT md5('u' || n)::uuid, n || '@example.org' FROM generate_series(1, 3000) AS n;
    INSERT INTO account (id, email, home_timezone, created_at) SELECT id, email_normalised, 'UTC', now() FROM person;
    INSERT INTO client (id, name, kind, redirect_uris, scopes, allow_query_secrets, require_pkce, created_at)
    SELECT md5('c' || n)::uuid, 'App ' || n, 'app', '{}', 'sleep', true, false, now()
    FROM generate_series(1, 1000) AS n;
    INSERT INTO password (user_id, hash, changed_at) SELECT id, 'x', now() FROM account;
    INSERT INTO session (user_id, id, token_hash, method, authenticated_at, last_seen_at)
    SELECT id, id, sha256(id::text::bytea), 'password', now(), now() FROM account;
    INSERT INTO personal_token (user_id, id, name, token_hash, scopes, created_at)
    SELECT id, id, 'x', sha256(id::text::bytea), 'sleep', now() FROM account;
    INSERT INTO access_grant (user_id, id, client_id, scopes, refresh_token_hash, created_at)
    SELECT md5('u' || n % 3000 + 1)::uuid, md5('g' || n)::uuid, md5('c' || n % 1000 + 1)::uuid, 'sleep',
        sha256(n::text::bytea), now() FROM generate_series(1, 20000) AS n;
    INSERT INTO audit_event (id, at, kind, actor, user_id, client_id)
    SELECT md5('e' || n)::uuid, now() - n * interval '1 second', 'session.signed_in', 'person',
        md5('u' || n % 3000 + 1)::uuid, md5('c' || n % 1000 + 1)::uuid FROM generate_series(1, 20000) AS n;
    INSERT INTO read_tally (user_id, minute, reader_kind, reader_id, kind, requests, items)
    SELECT md5('u' || n % 3000 + 1)::uuid, '2024-10-04Z'::timestamptz - n * interval '1 minute', 'client',
        md5('c1')::uuid, 'sleep', 1, 1 FROM generate_series(1, 20000) AS n;
    ANALYZE;";

async fn populated() -> (TestDatabase, PostgresStore, tokio_postgres::Client) {
    let database = TestDatabase::create().await;
    let (store, observer) = (database.store(), bystander(&database).await);
    observer.batch_execute(POPULATE).await.unwrap();
    (database, store, observer)
}

/// Explains the last statement that the store sent, verbatim; returns its scans.
async fn scans(observer: &tokio_postgres::Client, arguments: &str) -> Vec<String> {
    const LAST: &str = "SELECT query FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'restwell' ORDER BY query_start DESC LIMIT 1";

    let statement = texts(observer, LAST).await.remove(0);
    assert!(statement.len() < 1023, "cut off by track_activity_query_size");
    let explain = format!(
        "SET plan_cache_mode = force_generic_plan; PREPARE last AS {statement};
        EXPLAIN (COSTS off) EXECUTE last ({arguments}); DEALLOCATE last"
    );
    let answer = observer.simple_query(&explain).await.unwrap();
    let lines = answer.iter().filter_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let scans = lines.filter(|line| line.contains("Scan"));
    // The partition depends on the arguments.
    scans.map(|line| line.trim_start_matches([' ', '-', '>']).replace(char::is_numeric, "")).collect()
}

#[tokio::test]
async fn a_cookie_a_token_and_an_address_are_each_found_by_an_index() {
    let (_database, store, observer) = populated().await;
    let unknown = SecretHash::from_bytes([0; 32]);
    store.find_session(&unknown).await.unwrap();
    assert_eq!(scans(&observer, "''").await, ["Index Scan using session_token on session"]);
    store.find_personal_access(&unknown).await.unwrap();
    let expected = [
        "Index Scan using personal_token_hash on personal_token",
        "Index Scan using account_pkey on account",
    ];
    assert_eq!(scans(&observer, "'', 1").await, expected);
    store.find_credentials(&user(1).email).await.unwrap();
    let expected = ["Index Scan using account_pkey on account", "Index Scan using password_pkey on password"];
    assert_eq!(scans(&observer, "gen_random_uuid()").await, expected);
}

#[tokio::test]
async fn the_access_check_looks_into_one_partition_by_its_primary_key() {
    let (_database, store, observer) = populated().await;
    store.find_access(user_id(1), GrantId::from_uuid(Uuid::nil())).await.unwrap();
    let mut scans = scans(&observer, "gen_random_uuid(), gen_random_uuid(), 1").await;
    scans.sort();
    assert_eq!(
        scans,
        [
            "Index Scan using access_grant__pkey on access_grant_ access_grant_",
            "Index Scan using account_pkey on account",
            "Index Scan using client_pkey on client",
        ]
    );
}

#[tokio::test]
async fn a_refresh_token_is_found_by_its_hash_in_the_partition_of_its_person() {
    let (_database, store, observer) = populated().await;
    populate(&store, [1]).await;
    let known = grant(7, 1);
    let mut unit = begin(&store).await;
    unit.grants().insert(&known).await.unwrap();
    unit.commit().await.unwrap();
    let by_hash = "Index Scan using access_grant__refresh_token_hash_idx on access_grant_ access_grant_";
    store.find_by_refresh_token(&known.refresh_token_hash, Some(user_id(1))).await.unwrap().unwrap();
    let mut own = scans(&observer, "'', gen_random_uuid()").await;
    own.dedup();
    own.sort();
    assert_eq!(own, [by_hash, "Index Scan using account_pkey on account"]);
    store.find_by_refresh_token(&known.refresh_token_hash, None).await.unwrap().unwrap();
    let mut anywhere = scans(&observer, "'', gen_random_uuid()").await;
    anywhere.dedup();
    anywhere.sort();
    assert_eq!(anywhere, [by_hash, "Index Scan using account_pkey on account"]);
}

#[tokio::test]
async fn pages_of_events_and_sums_begin_at_their_place_in_an_index() {
    let (_database, store, observer) = populated().await;
    let after = Some((at(0), AuditEventId::from_uuid(Uuid::nil())));
    let of_user = AuditFilter { user_id: Some(user_id(1)), ..AuditFilter::default() };
    store.list_events(of_user, after, 10).await.unwrap();
    let events = scans(&observer, "gen_random_uuid(), now(), gen_random_uuid(), 10").await;
    assert_eq!(events, ["Index Scan Backward using audit_event_user on audit_event"]);
    let of_client = AuditFilter { client_id: Some(client().id), ..AuditFilter::default() };
    store.list_events(of_client, after, 10).await.unwrap();
    let events = scans(&observer, "gen_random_uuid(), now(), gen_random_uuid(), 10").await;
    assert_eq!(events, ["Index Scan Backward using audit_event_client on audit_event"]);
    store.list_events(AuditFilter::default(), after, 10).await.unwrap();
    let events = scans(&observer, "now(), gen_random_uuid(), 10").await;
    assert_eq!(events, ["Index Scan Backward using audit_event_time on audit_event"]);
    store.list(user_id(1), Some(tally(1, 1).key), 10).await.unwrap();
    let sums = scans(&observer, "gen_random_uuid(), now(), '', gen_random_uuid(), '', 10").await;
    assert_eq!(sums, ["Index Scan Backward using read_tally__pkey on read_tally_ read_tally_"]);
}

#[tokio::test]
async fn old_sums_are_found_and_deleted_without_reading_the_others() {
    let (_database, store, observer) = populated().await;
    assert_eq!(ReadTallyStore::delete_before(&store, at(0), 7).await.unwrap(), 7);
    let scans = scans(&observer, "now(), 100").await;
    assert!(scans.iter().any(|scan| scan.starts_with("Tid Scan on read_tally_")), "{scans:?}");
    assert!(!scans.iter().any(|scan| scan.starts_with("Seq Scan")), "{scans:?}");
}
