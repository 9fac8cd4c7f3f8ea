//! Citus' rules for the tables that `docs/scaling.md` distributes.
//!
//! Every unique key of a distributed table contains its distribution column. Its foreign keys reference
//! reference tables, or distributed tables by that column. No other table references it, and it has no
//! triggers.

use crate::made_up::*;
use postgres_adapter::test_support::TestDatabase;

/// Tables distributed by `user_id`.
const DISTRIBUTED: [&str; 5] = ["access_grant", "deletion", "intake_log", "read_tally", "sleep_session"];

/// Reference tables, copied to every node.
const REFERENCE: [&str; 3] = ["account", "client", "supplement"];

/// Tables that stay on the coordinator: small, short-lived, or with a unique column other than the person.
const LOCAL: [&str; 22] = [
    "__diesel_schema_migrations",
    "audit_event",
    "authorization_code",
    "authorization_request",
    "client_secret",
    "consent",
    "erased_person",
    "erasure",
    "failure_counter",
    "idempotent_answer",
    "import",
    "import_change",
    "import_part",
    "job_lease",
    "outbox",
    "password",
    "password_link",
    "personal_token",
    "refresh_token",
    "schema_compatibility",
    "session",
    "signing_key",
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
        "a new table needs a place here and in docs/scaling.md"
    );
    let documented = include_str!("../../../../docs/scaling.md");
    for table in DISTRIBUTED {
        assert!(documented.contains(&format!("create_distributed_table('{table}', 'user_id'")), "{table}");
    }
    for table in REFERENCE {
        assert!(documented.contains(&format!("create_reference_table('{table}')")), "{table}");
    }
}

#[tokio::test]
async fn every_unique_key_of_a_distributed_table_contains_the_person() {
    let database = TestDatabase::create().await;
    let catalogue = bystander(&database).await;
    let lacking = format!(
        "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
         WHERE i.indisunique AND c.relname IN {} AND NOT EXISTS (
             SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'user_id' AND a.attnum = ANY (i.indkey))",
        list(&DISTRIBUTED)
    );
    assert_eq!(texts(&catalogue, &lacking).await, Vec::<String>::new());
    let looked_at = format!(
        "SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
         WHERE i.indisunique AND c.relname IN {}",
        list(&DISTRIBUTED)
    );
    assert!(number(&catalogue, &looked_at).await >= 5);
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
