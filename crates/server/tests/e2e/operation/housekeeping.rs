//! Leased jobs run on one replica at a time, and on another one if that one crashes or stops.

use super::replica::wait_until_ready;
use crate::e2e::app::register;
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use postgres_adapter::test_support::TestDatabase;
use std::time::Duration;

/// Log message after a cleanup.
const DONE: &str = "deleted expired rows";

/// Number of rows, enough for several batches.
const OLD: i64 = 1_700;

/// Stores expired idempotent responses.
async fn store_old_answers(world: &World) {
    let client_id = register(world).client_id;
    let statement = format!(
        "INSERT INTO idempotent_answer (client_id, key_hash, content_hash, claimed_at, status, body)
         SELECT '{client_id}', decode(lpad(to_hex(n), 64, '0'), 'hex'), decode(repeat('00', 32), 'hex'),
             now() - interval '2 days', 200, '{{}}' FROM generate_series(1, {OLD}) AS n"
    );
    world.execute(&statement).await;
}

async fn answers(database: &TestDatabase) -> i64 {
    database.number("SELECT count(*) FROM idempotent_answer").await
}

async fn leases(database: &TestDatabase, condition: &str) -> i64 {
    leases_of("housekeeping", database, condition).await
}

async fn leases_of(job: &str, database: &TestDatabase, condition: &str) -> i64 {
    let query = format!("SELECT count(*) FROM job_lease WHERE job = '{job}' AND {condition}");
    database.number(&query).await
}

fn has_kept_house(server: &Server) -> bool {
    server.log().contains(DONE)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_one_of_several_servers_cleans_up_per_hour_on_postgres() {
    let world = World::new(StoreKind::Postgres).await.in_processes();
    store_old_answers(&world).await;
    let database = world.database.as_ref().expect("database");
    let mut servers = ["first", "second", "third"].map(|name| world.serve_as(name));
    eventually("it is kept", async || servers.iter().any(has_kept_house).then_some(())).await;
    assert_eq!(answers(database).await, 0);
    assert_eq!(leases(database, "due_at > now() + interval '59 minutes' AND held_until <= now()").await, 1);
    for server in &servers {
        wait_until_ready(server).await;
    }
    // By then each server has checked for work.
    assert_eq!(servers.iter().filter(|server| has_kept_house(server)).count(), 1);
    let reported = servers.iter().find(|server| has_kept_house(server)).expect("one").log();
    assert!(reported.contains(&format!("\"deleted\":{OLD}")), "{reported}");
    for server in &mut servers {
        assert_eq!(server.terminate(), Some(0));
    }
}

/// Waits 500 ms, because no event shows that the second server does not clean up as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cleanup_of_a_killed_server_is_taken_over_on_postgres() {
    // The cleanup waits for a lock held by this test.
    let world = World::new(StoreKind::Postgres).await.in_processes();
    let world = world
        .with("RESTWELL__STORAGE__LOCK_TIMEOUT_SECONDS", "60")
        .with("RESTWELL__STORAGE__STATEMENT_TIMEOUT_SECONDS", "60");
    store_old_answers(&world).await;
    let database = world.database.as_ref().expect("database");
    let held = database.hold("LOCK TABLE idempotent_answer").await;
    let mut first = world.serve_as("first");
    // All databases of the cluster share one list of locks, and clones have tables with the same ids.
    let waiting =
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'idempotent_answer'::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    eventually("the first one is at it", async || (database.number(waiting).await == 1).then_some(())).await;
    let mut second = world.serve_as("second");
    wait_until_ready(&second).await;
    // It checked when it became ready: only one is working.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(database.number(waiting).await, 1);
    assert_eq!(leases(database, "held_until > now()").await, 1);

    first.kill();
    drop(held);
    // Simulates the expiry of the lease.
    world.execute("UPDATE job_lease SET held_until = now()").await;
    eventually("the second one takes it over", async || has_kept_house(&second).then_some(())).await;
    assert_eq!(answers(database).await, 0);
    assert_eq!(second.terminate(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_on_sqlite_cleans_up_too() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let mut server = world.serve();
    eventually("it is kept", async || has_kept_house(&server).then_some(())).await;
    assert_eq!(server.terminate(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_leaves_webhooks_to_the_others_immediately_on_postgres() {
    let world = World::new(StoreKind::Postgres).await.in_processes();
    let database = world.database.as_ref().expect("database");
    let mut server = world.serve();
    let held = async || (leases_of("webhooks", database, "held_until > now()").await == 1).then_some(());
    eventually("the lease", held).await;
    assert_eq!(server.terminate(), Some(0));
    assert_eq!(leases_of("webhooks", database, "held_until <= now() AND due_at <= now()").await, 1);
}
