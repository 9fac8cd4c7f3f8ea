//! Statements of one person's requests run on one shard of a Citus cluster.

use crate::made_up::*;
use contract_tests::{Harness, cases};
use postgres_adapter::PostgresStore;
use postgres_adapter::test_support::TestDatabase;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Logs the plan of every statement with the number of shards that it used.
const LOG_PLANS: &str = "DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET session_preload_libraries = auto_explain', current_database());
    EXECUTE format('ALTER DATABASE %I SET auto_explain.log_min_duration = 0', current_database());
    END $$";

/// Sessions of the program on this database.
const SESSIONS: &str = "SELECT pid::text FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'restwell'";

/// Log of the coordinator, where scripts/postgres-cluster keeps it.
const LOG: &str =
    "SELECT pg_read_file(current_setting('data_directory') || '/server.log', $1::text::bigint, 100000000)";

/// List over all people, by which cases check what they stored.
const OVER_ALL: &str = "FROM \"access_grant\" ORDER BY \"access_grant\".\"id\"";

/// Distributed database that logs the plans of its statements.
struct LoggedDatabase {
    database: Arc<TestDatabase>,
    observer: tokio_postgres::Client,
    /// Statements that used an engine's plan.
    seen: BTreeSet<String>,
}

impl LoggedDatabase {
    async fn new() -> Self {
        let database = TestDatabase::create_on_nodes().await;
        database.store().migrate().await.unwrap();
        database.distribute().unwrap();
        let observer = bystander(&database).await;
        observer.batch_execute(LOG_PLANS).await.unwrap();
        Self { database: Arc::new(database), observer, seen: BTreeSet::new() }
    }

    /// Runs a contract case; each of its statements may use one shard only.
    async fn run(&mut self, case: impl AsyncFn(&Harness)) {
        let size = "SELECT size FROM pg_stat_file(current_setting('data_directory') || '/server.log')";
        let start = number(&self.observer, size).await.to_string();
        let harness = Harness::new(
            self.database.store(),
            PostgresStore::opened_connections,
            Arc::clone(&self.database),
        );
        case(&harness).await;
        let sessions = texts(&self.observer, SESSIONS).await;
        let rows = self.observer.query(LOG, &[&start]).await.unwrap();
        for plan in plans(&rows[0].get::<_, String>(0), &sessions) {
            let tasks = plan.lines().filter_map(|line| line.trim().strip_prefix("Task Count: "));
            assert!(plan.contains(OVER_ALL) || tasks.clone().all(|count| count == "1"), "{plan}");
            if tasks.count() > 0 || plan.contains("(Citus INSERT ... SELECT)") {
                self.seen.insert(plan.lines().next().unwrap_or_default().to_owned());
            }
        }
        drop(harness);
        self.database.empty().await;
    }
}

/// Returns the plans that these sessions logged, each beginning with its statement in one line.
fn plans(log: &str, sessions: &[String]) -> Vec<String> {
    let mut plans: Vec<String> = Vec::new();
    let mut is_plan = false;
    for line in log.lines() {
        if let Some(more) = line.strip_prefix('\t') {
            if let (true, Some(plan)) = (is_plan, plans.last_mut()) {
                let starts_plan = more.contains("(cost=") && !plan.contains('\n');
                plan.push(if starts_plan || plan.contains('\n') { '\n' } else { ' ' });
                plan.push_str(more.trim());
            }
            continue;
        }
        let is_theirs = sessions.iter().any(|pid| line.contains(&format!("[{pid}]")));
        is_plan = is_theirs && line.ends_with("plan:");
        if is_plan {
            plans.push(String::new());
        }
    }
    plans
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_writes_of_a_person_use_one_shard() {
    let mut watched = LoggedDatabase::new().await;
    // Access checks, profile and pages.
    watched.run(cases::access::a_live_grant_gives_access_with_its_client_scopes_and_zone).await;
    watched.run(cases::access::a_personal_token_gives_access_with_its_person_scopes_end_and_zone).await;
    watched.run(cases::user::a_person_reads_back_as_stored).await;
    watched.run(cases::sleep_page::pages_contain_every_session_once_in_either_direction).await;
    watched.run(cases::sleep_page::a_later_page_stays_within_the_range).await;
    watched.run(cases::supplement_page::pages_contain_every_supplement_once_in_either_direction).await;
    watched.run(cases::supplement_page::a_supplement_filter_selects_only_that_supplement).await;
    watched.run(cases::change::pages_of_any_size_contain_every_change_once_in_ascending_order).await;
    watched.run(cases::change::deletions_of_every_kind_are_listed).await;
    // Refreshes and redemptions.
    watched.run(cases::grant::a_refresh_token_finds_its_grant_whatever_person_is_named).await;
    watched.run(cases::grant::a_later_use_wins_with_its_address).await;
    watched.run(cases::rotation::a_replaced_token_revokes_the_grant_after_thirty_one_seconds).await;
    watched.run(cases::grant::the_least_recently_used_grants_are_revoked_beyond_the_number_to_keep).await;
    watched.run(cases::code::a_locked_code_is_returned_with_the_state_of_its_person).await;
    watched.run(cases::code::a_code_is_redeemed_once_with_its_grant_and_event).await;
    // Imports and profile changes.
    watched.run(cases::sleep::candidates_include_overlapping_sessions_of_the_same_source).await;
    watched.run(cases::sleep::candidates_of_many_records_are_returned_once).await;
    watched.run(cases::sleep::an_update_overwrites_everything_and_moves_the_start).await;
    watched.run(cases::sleep::a_deleted_key_is_free_within_the_same_unit_of_work).await;
    watched.run(cases::intake_log::candidates_of_many_records_are_returned_once).await;
    watched.run(cases::intake_log::an_update_overwrites_everything).await;
    watched.run(cases::intake_log::deleting_counts_the_logs_that_the_person_had).await;
    watched.run(cases::user::an_update_overwrites_everything).await;
    // Sign-ins and consents.
    watched.run(cases::session::a_cookie_finds_its_session_with_address_state_and_zone).await;
    watched.run(cases::password::credentials_are_found_by_address_whatever_its_case).await;
    watched.run(cases::connected_app::the_last_use_is_the_later_of_refresh_and_read).await;
    for table in
        ["account", "access_grant", "sleep_session", "intake_log", "deletion", "read_tally", "person"]
    {
        assert!(watched.seen.iter().any(|text| text.contains(table)), "no statement on {table} was seen");
    }
    assert!(watched.seen.len() > 40, "{:#?}", watched.seen);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadlock_between_two_nodes_is_retryable() {
    let database = TestDatabase::create_on_nodes().await;
    let store = database.store();
    store.migrate().await.unwrap();
    database.distribute().unwrap();
    populate(&store, 1..=8).await;
    let observer = bystander(&database).await;
    let mut homes = Vec::new();
    for number in 1..=8 {
        let home = format!(
            "SELECT nodeport::text FROM citus_shards
            WHERE shardid = get_shard_id_for_distribution_column('account', '{}')",
            user_id(number).as_uuid()
        );
        homes.push((number, texts(&observer, &home).await));
    }
    let (_, home) = homes[0].clone();
    let (distant, _) = homes.iter().find(|(_, other)| *other != home).expect("a person on another node");
    assert!(one_of_a_deadlock_is_retryable(&store, 1, *distant).await);
}
