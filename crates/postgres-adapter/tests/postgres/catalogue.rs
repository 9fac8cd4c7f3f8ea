//! Properties of the tables that distribution and tuning depend on.

use crate::made_up::*;
use postgres_adapter::test_support::TestDatabase;

const DATA_TABLES: &str = "('access_grant', 'sleep_session', 'intake_log', 'read_tally', 'deletion')";

#[tokio::test]
async fn the_tables_of_a_person_have_sixteen_partitions_by_user_id() {
    let database = TestDatabase::create().await;
    let catalogue = bystander(&database).await;
    let sql = format!(
        "SELECT count(*) FROM pg_inherits JOIN pg_class p ON p.oid = inhparent
         WHERE p.relname IN {DATA_TABLES} AND pg_get_partkeydef(p.oid) = 'HASH (user_id)'"
    );
    assert_eq!(number(&catalogue, &sql).await, 80);
}

#[tokio::test]
async fn user_id_leads_every_key_and_index_of_a_persons_data() {
    let database = TestDatabase::create().await;
    let catalogue = bystander(&database).await;
    let sql = format!(
        "SELECT tablename || '.' || indexname FROM pg_indexes
         WHERE tablename IN {DATA_TABLES} AND indexdef !~ '\\(user_id[,)]' ORDER BY 1"
    );
    let rows = catalogue.query(&sql, &[]).await.unwrap();
    let others: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    // Some queries do not know the person: those by client, by refresh token, by the label of logs, and by
    // the age of revoked grants, deletions and sums of reads.
    assert_eq!(
        others,
        [
            "access_grant.access_grant_of_client",
            "access_grant.access_grant_refresh_token_any_user",
            "access_grant.access_grant_revoked",
            "deletion.deletion_time",
            "intake_log.intake_log_supplement",
            "read_tally.read_tally_minute",
        ]
    );
}

#[tokio::test]
async fn packed_stages_are_never_compressed_and_vacuum_comes_soon() {
    let database = TestDatabase::create().await;
    let catalogue = bystander(&database).await;
    let external = "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relname LIKE 'sleep\\_session\\_0%' AND c.relkind = 'r'
            AND a.attname = 'stages' AND a.attstorage = 'e'";
    assert_eq!(number(&catalogue, external).await, 10);
    let tuned =
        "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname ~ '^(sleep_session|intake_log)_'
        AND reloptions::text LIKE '%autovacuum_vacuum_insert_scale_factor=0.02%'";
    assert_eq!(number(&catalogue, tuned).await, 32);
}
