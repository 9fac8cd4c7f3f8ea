use super::LIST;
use crate::test_support::TestDatabase;
use serde_json::Value;

/// People with three apps: one last read a year ago, one read every minute of the last two weeks, and one has
/// only a remembered consent.
const POPULATE: &str = "
    INSERT INTO person SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, n FROM generate_series(1, 4) AS n;
    INSERT INTO account (id, email, home_timezone, created_at) SELECT id, email_normalised, 'UTC', now() FROM person;
    INSERT INTO client (id, name, kind, redirect_uris, scopes, allow_query_secrets, require_pkce, created_at)
    SELECT md5('app ' || n)::uuid, 'App ' || n, 'app', '{}', 'sleep', true, false, now()
    FROM generate_series(1, 3) AS n;
    INSERT INTO access_grant (user_id, id, client_id, scopes, refresh_token_hash, created_at)
    SELECT a.id, md5(a.id::text || c.id::text)::uuid, c.id, 'sleep', sha256((a.id::text || c.id::text)::bytea), now()
    FROM account a, client c WHERE c.name <> 'App 3';
    INSERT INTO consent (user_id, client_id, scopes, remembered_at)
    SELECT a.id, c.id, 'sleep', now() FROM account a, client c WHERE c.name <> 'App 1';
    INSERT INTO read_tally (user_id, minute, reader_kind, reader_id, kind, requests, items)
    SELECT a.id, '2026-03-01Z'::timestamptz + n * interval '1 minute', 'client', md5('app 2')::uuid, 'sleep', 1, 1
    FROM account a, generate_series(1, 20160) AS n
    UNION ALL
    SELECT a.id, '2025-03-01Z', 'client', md5('app 1')::uuid, 'sleep', 1, 1 FROM account a;
    ANALYZE;";

#[tokio::test]
async fn an_old_last_read_is_found_without_scanning_newer_reads() {
    let database = TestDatabase::create().await;
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(POPULATE).await.unwrap();
    client.batch_execute(&format!("PREPARE apps (uuid) AS {LIST}")).await.unwrap();
    for mode in ["force_custom_plan", "force_generic_plan"] {
        client.batch_execute(&format!("SET plan_cache_mode = {mode}")).await.unwrap();
        let explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
            EXECUTE apps ('00000000-0000-0000-0000-000000000001')";
        // Run twice, so that blocks of the catalogue are not counted.
        client.simple_query(explain).await.unwrap();
        let answer = client.simple_query(explain).await.unwrap();
        let json: String = answer
            .iter()
            .filter_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
                _ => None,
            })
            .collect();
        let root = serde_json::from_str::<Value>(&json).unwrap()[0]["Plan"].take();
        let blocks =
            root["Shared Hit Blocks"].as_i64().unwrap() + root["Shared Read Blocks"].as_i64().unwrap();
        println!("{mode}: {blocks} blocks");
        assert_eq!(root["Actual Rows"].as_f64(), Some(3.0));
        // The keys of a person's 20,161 sums alone fill more than 200.
        assert!(blocks < 40, "{mode}: {blocks} blocks");
    }
}
