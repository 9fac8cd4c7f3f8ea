//! Citus: its rules for the tables that `deploy/citus/distribute.sql` distributes, and the effect of the
//! script.
//!
//! Every unique key of a distributed table contains its distribution column. Its foreign keys reference
//! reference tables. No other table references it, and it has no triggers.

use crate::made_up::*;
use postgres_adapter::test_support::TestDatabase;

/// Tables distributed by the person: `account` by its id, the others by `user_id`.
const DISTRIBUTED: [&str; 12] = [
    "access_grant",
    "account",
    "consent",
    "deletion",
    "intake_log",
    "password",
    "profile_source",
    "read_tally",
    "recovery_code",
    "sleep_session",
    "totp",
    "webhook_event",
];

/// Reference tables, copied to every node.
const REFERENCE: [&str; 4] = ["client", "person", "supplement", "webhook_endpoint"];

/// Tables that stay on the coordinator: small, short-lived, or with a unique column other than the person.
const LOCAL: [&str; 27] = [
    "__diesel_schema_migrations",
    "audit_event",
    "authorization_code",
    "authorization_request",
    "client_secret",
    "client_usage",
    "draft_user",
    "erased_person",
    "erasure",
    "failure_counter",
    "idempotent_answer",
    "import",
    "import_change",
    "import_part",
    "job_lease",
    "outbox",
    "passkey",
    "passkey_ceremony",
    "password_link",
    "pending_sign_in",
    "personal_token",
    "refresh_token",
    "sandbox_person",
    "schema_compatibility",
    "session",
    "signing_key",
    "webhook_delivery",
];

/// Returns names as an SQL list.
fn list(names: &[&str]) -> String {
    format!("('{}')", names.join("', '"))
}

#[tokio::test]
async fn every_table_is_distributed_or_copied_or_local() {
    let database = TestDatabase::create().await;
    let catalogue = bystander(&database).await;
    let tables = "SELECT relname::text FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        ORDER BY relname::text COLLATE \"C\"";
    let mut named = [DISTRIBUTED.as_slice(), &REFERENCE, &LOCAL].concat();
    named.sort_unstable();
    assert_eq!(
        texts(&catalogue, tables).await,
        named,
        "a new table needs a place here and in deploy/citus/distribute.sql"
    );
}

#[tokio::test]
async fn every_unique_key_of_a_distributed_table_contains_the_person() {
    let database = TestDatabase::create().await;
    let catalogue = bystander(&database).await;
    let lacking = format!(
        "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
         WHERE i.indisunique AND c.relname IN {} AND NOT EXISTS (
             SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = CASE c.relname WHEN 'account' THEN 'id' ELSE 'user_id' END
             AND a.attnum = ANY (i.indkey))",
        list(&DISTRIBUTED)
    );
    assert_eq!(texts(&catalogue, &lacking).await, Vec::<String>::new());
    let looked_at = format!(
        "SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
         WHERE i.indisunique AND c.relname IN {}",
        list(&DISTRIBUTED)
    );
    assert!(number(&catalogue, &looked_at).await >= 8);
}

#[tokio::test]
async fn distributed_tables_refer_to_copied_ones_only_and_nothing_refers_to_them() {
    let database = TestDatabase::create().await;
    let catalogue = bystander(&database).await;
    let (distributed, reference) = (list(&DISTRIBUTED), list(&REFERENCE));
    let wrong = format!(
        "SELECT f.conname::text FROM pg_constraint f
         JOIN pg_class one ON one.oid = f.conrelid JOIN pg_class other ON other.oid = f.confrelid
         WHERE f.contype = 'f' AND f.conparentid = 0 AND (
             (one.relname IN {distributed} AND other.relname NOT IN {reference})
             OR other.relname IN {distributed}
             OR (one.relname IN {reference} AND other.relname NOT IN {reference}))"
    );
    assert_eq!(texts(&catalogue, &wrong).await, Vec::<String>::new());
    let watched = format!(
        "SELECT tgname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
         WHERE NOT tgisinternal AND (c.relname IN {distributed} OR c.relname IN {reference})"
    );
    assert_eq!(texts(&catalogue, &watched).await, Vec::<String>::new());
}

mod citus {
    use super::*;
    use postgres_adapter::Distribution;

    /// The engine's error for a statement that it cannot run; psql reports it with its place.
    fn refusal(database: &TestDatabase) -> String {
        database.distribute().unwrap_err()
    }

    #[tokio::test]
    async fn the_script_distributes_every_table_as_designed() {
        let database = TestDatabase::create_distributed().await;
        let catalogue = bystander(&database).await;
        let of = |condition: &str| {
            format!(
                "SELECT logicalrelid::text FROM pg_dist_partition WHERE {condition} ORDER BY logicalrelid::text"
            )
        };
        assert_eq!(texts(&catalogue, &of("partmethod = 'h'")).await, DISTRIBUTED);
        assert_eq!(texts(&catalogue, &of("partmethod = 'n' AND repmodel = 't'")).await, REFERENCE);
        let others = texts(&catalogue, &of("partmethod = 'n' AND repmodel <> 't'")).await;
        assert!(others.iter().all(|table| LOCAL.contains(&table.as_str())), "{others:?}");
        let together = "SELECT count(DISTINCT colocationid) FROM pg_dist_partition WHERE partmethod = 'h'";
        assert_eq!(number(&catalogue, together).await, 1);
        let again = refusal(&database);
        assert!(again.contains("the store is distributed already"), "{again}");
    }

    #[tokio::test]
    async fn indexes_constraints_and_views_are_those_of_plain_postgres() {
        let distributed = TestDatabase::create_distributed().await;
        let plain = TestDatabase::create().await;
        let tables = list(&[DISTRIBUTED.as_slice(), &REFERENCE].concat());
        let described = format!(
            "SELECT format('index %s %s', tablename, replace(indexdef, ' ON ONLY ', ' ON ')) FROM pg_indexes
             WHERE schemaname = 'public' AND tablename IN {tables}
             UNION ALL SELECT format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
             FROM pg_constraint WHERE conrelid::regclass::text IN {tables}
             UNION ALL SELECT format('view %s %s', viewname, definition) FROM pg_views
             WHERE schemaname = 'public' AND viewname LIKE 'sleep%'
             ORDER BY 1"
        );
        let expected = texts(&bystander(&plain).await, &described).await;
        assert_eq!(texts(&bystander(&distributed).await, &described).await, expected);
        assert!(expected.len() > 50);
    }

    #[tokio::test]
    async fn the_script_rejects_a_store_that_it_cannot_distribute() {
        let database = TestDatabase::create().await;
        let text = refusal(&database);
        assert!(text.contains("this database has no Citus"), "{text}");
        assert_eq!(database.store().distribution().await.unwrap(), Distribution::OneServer);
        let database = TestDatabase::create_on_nodes().await;
        let text = refusal(&database);
        assert!(text.contains("run restwell migrate first"), "{text}");
        let store = database.store();
        store.migrate().await.unwrap();
        assert_eq!(store.distribution().await.unwrap(), Distribution::Undistributed);
        populate(&store, [1]).await;
        let text = refusal(&database);
        assert!(text.contains("the store is not empty"), "{text}");
        database.execute("DELETE FROM person; DELETE FROM client; DELETE FROM supplement").await;
        database.distribute().unwrap();
        let distribution = store.distribution().await.unwrap();
        assert_eq!(distribution, Distribution::Workers { count: 2, inactive: Vec::new() });
        populate(&store, [1]).await;
    }

    #[tokio::test]
    async fn later_migrations_change_a_distributed_store() {
        let database = TestDatabase::create_on_nodes().await;
        let store = database.store();
        store.migrate().await.unwrap();
        database.distribute().unwrap();
        assert_eq!(store.migrate().await.unwrap(), 0);
        // As a migration runs: in one transaction of a session of the program, and in one message. The forms
        // are those of docs/schema-changes.md.
        let change = "SET citus.multi_shard_modify_mode = 'sequential';
            BEGIN;
            DO $$ BEGIN
            ALTER TABLE account ADD COLUMN nickname text;
            ALTER TABLE sleep_session ADD COLUMN mood text;
            CREATE INDEX sleep_session_mood ON sleep_session (user_id, mood);
            END $$;
            CREATE TABLE habit (user_id uuid NOT NULL REFERENCES person (id) ON DELETE CASCADE, name text NOT NULL,
                PRIMARY KEY (user_id, name));
            DO $$
            BEGIN
            IF to_regclass('pg_dist_partition') IS NOT NULL THEN
                IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'account'::regclass) THEN
                    PERFORM create_distributed_table('habit', 'user_id', colocate_with => 'account');
                END IF;
            END IF;
            END
            $$;
            INSERT INTO schema_compatibility VALUES ('99990101000000', 1);
            COMMIT;";
        database.execute(change).await;
        populate(&store, [1]).await;
        database.execute("UPDATE account SET nickname = 'x'; UPDATE sleep_session SET mood = 'y'").await;
        assert_eq!(database.number("SELECT count(*) FROM account WHERE nickname = 'x'").await, 1);
        let placed = "SELECT count(*) FROM pg_dist_partition
            WHERE logicalrelid = 'habit'::regclass AND partmethod = 'h'";
        assert_eq!(database.number(placed).await, 1);
    }
}
