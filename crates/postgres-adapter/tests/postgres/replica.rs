//! Reads from a real standby, and the fallback to the primary.

use crate::cluster::{Cluster, until};
use crate::made_up::*;
use application::ports::storage::{AccessReader, GrantFilter, ProfileReader, SleepPageQuery, SleepReader};
use domain::grant::RevocationReason;
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use domain::time::DateRange;
use postgres_adapter::{InvalidPostgresOptions, PostgresOptions, PostgresReplica, PostgresStore};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Bound on the age of reads.
const MAX_LAG: Duration = Duration::from_millis(1_500);

/// Start of the latest page statement on a server, in microseconds.
const LATEST_PAGE: &str = "SELECT coalesce(max(extract(epoch FROM query_start) * 1000000), 0)::bigint
    FROM pg_stat_activity WHERE application_name = 'restwell' AND query LIKE '%FROM sleep_session s WHERE%'";

struct Scene {
    primary: Cluster,
    standby: Cluster,
    store: Arc<PostgresStore>,
    replica: Arc<PostgresReplica>,
}

/// Starts a primary with one person, and a fresh standby.
async fn scene() -> Scene {
    let primary = Cluster::primary();
    let store = Arc::new(primary.store());
    store.migrate().await.unwrap();
    populate(&store, [1]).await;
    let standby = primary.standby();
    let options = PostgresOptions::new(&standby.url);
    let replica = Arc::new(PostgresReplica::open(Arc::clone(&store), &options, MAX_LAG).unwrap());
    let observer = standby.bystander().await;
    until("the standby is fresh", async || reads_from(&observer, &replica).await).await;
    Scene { primary, standby, store, replica }
}

impl Scene {
    /// Stores a session; returns when it is acknowledged.
    async fn store_night(&self, number: u32) {
        let mut unit = begin(&self.store).await;
        unit.sleep().insert(user_id(1), &[session(number)]).await.unwrap();
        unit.commit().await.unwrap();
    }

    async fn nights(&self) -> usize {
        SleepReader::page(&*self.replica, everything()).await.unwrap().rows.len()
    }
}

/// Reads a page; returns whether it came from this server.
async fn reads_from(observer: &tokio_postgres::Client, replica: &PostgresReplica) -> bool {
    let before = number(observer, LATEST_PAGE).await;
    SleepReader::page(replica, everything()).await.unwrap();
    number(observer, LATEST_PAGE).await > before
}

fn everything() -> SleepPageQuery {
    let page = PageRequest {
        number: PageNumber::FIRST,
        size: PageSize::parse("100").unwrap(),
        sort: SortDirection::Descending,
    };
    let range = DateRange::new(None, None).unwrap();
    SleepPageQuery { user_id: user_id(1), range, page, with_stages: true, with_metrics: true }
}

/// Waits 3 s without writes, twice the time for which a standby stays fresh without a measurement.
#[tokio::test(flavor = "multi_thread")]
async fn pages_are_read_from_the_standby_even_without_writes() {
    let scene = scene().await;
    scene.store_night(1).await;
    tokio::time::sleep(MAX_LAG * 2).await;
    let observer = scene.standby.bystander().await;
    until("the standby is asked", async || {
        assert_eq!(scene.nights().await, 1);
        reads_from(&observer, &scene.replica).await
    })
    .await;
}

/// Waits 1.5 s after each write: from then on every server must return it.
#[tokio::test(flavor = "multi_thread")]
async fn reads_stay_within_the_bound_while_replay_pauses_and_then_use_the_standby() {
    let scene = scene().await;
    let operator = scene.standby.bystander().await;
    operator.batch_execute("SELECT pg_wal_replay_pause()").await.unwrap();
    until("replay stands still", async || {
        number(&operator, "SELECT (pg_get_wal_replay_pause_state() = 'paused')::int::bigint").await == 1
    })
    .await;
    for night in 1..=3 {
        scene.store_night(night).await;
        tokio::time::sleep(MAX_LAG).await;
        assert_eq!(scene.nights().await, usize::try_from(night).unwrap());
        assert!(!reads_from(&operator, &scene.replica).await);
    }
    assert_eq!(number(&operator, "SELECT count(*) FROM sleep_session").await, 0);
    operator.batch_execute("SELECT pg_wal_replay_resume()").await.unwrap();
    until("the standby is fresh again", async || reads_from(&operator, &scene.replica).await).await;
    assert_eq!(scene.nights().await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_takes_effect_at_once_while_replay_is_paused() {
    let scene = scene().await;
    let mut unit = begin(&scene.store).await;
    unit.grants().insert(&grant(5, 1)).await.unwrap();
    unit.commit().await.unwrap();
    let operator = scene.standby.bystander().await;
    until("the grant is on the standby", async || {
        number(&operator, "SELECT count(*) FROM access_grant WHERE revoked_at IS NULL").await == 1
    })
    .await;
    operator.batch_execute("SELECT pg_wal_replay_pause()").await.unwrap();
    let mut unit = begin(&scene.store).await;
    let filter = GrantFilter { user_id: Some(user_id(1)), ..GrantFilter::default() };
    assert_eq!(unit.grants().revoke(filter, at(1), RevocationReason::Person).await.unwrap(), 1);
    unit.commit().await.unwrap();
    let access = scene.store.find_access(user_id(1), grant(5, 1).id).await.unwrap().unwrap();
    assert!(!access.is_live);
    assert_eq!(number(&operator, "SELECT count(*) FROM access_grant WHERE revoked_at IS NULL").await, 1);
}

/// Reads for 3 s after the kill, because no event shows that no later read fails.
#[tokio::test(flavor = "multi_thread")]
async fn a_standby_that_is_killed_fails_no_read() {
    let scene = scene().await;
    scene.store_night(1).await;
    let observer = scene.standby.bystander().await;
    until("the session is on the standby", async || {
        number(&observer, "SELECT count(*) FROM sleep_session").await == 1
    })
    .await;
    let is_over = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..8)
        .map(|_| {
            let (replica, is_over) = (Arc::clone(&scene.replica), Arc::clone(&is_over));
            tokio::spawn(async move {
                let mut reads = 0_u32;
                while !is_over.load(Ordering::Relaxed) {
                    let page = SleepReader::page(&*replica, everything()).await.unwrap();
                    assert_eq!(page.rows.len(), 1);
                    assert!(replica.find_profile(user_id(1)).await.unwrap().is_some());
                    reads += 1;
                }
                reads
            })
        })
        .collect();
    scene.standby.kill();
    tokio::time::sleep(MAX_LAG * 2).await;
    is_over.store(true, Ordering::Relaxed);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
    assert_eq!(scene.nights().await, 1);
}

/// Waits twice for 1.5 s, because no event shows that a standby is not read from.
#[tokio::test(flavor = "multi_thread")]
async fn a_standby_on_another_timeline_is_not_read_from() {
    let scene = scene().await;
    scene.standby.promote();
    scene.store_night(1).await;
    // The promoted server never receives the session.
    until("the standby is not used", async || scene.nights().await == 1).await;
    tokio::time::sleep(MAX_LAG).await;
    assert_eq!(scene.nights().await, 1);
    let stranger = Cluster::primary();
    let other = stranger.standby();
    let options = PostgresOptions::new(&other.url);
    let replica = PostgresReplica::open(Arc::clone(&scene.store), &options, MAX_LAG).unwrap();
    // Long enough for the first measurement, which a standby of this primary would pass.
    tokio::time::sleep(MAX_LAG).await;
    assert!(!reads_from(&other.bystander().await, &replica).await);
    drop(scene.primary);
}

#[tokio::test]
async fn a_replica_is_one_server() {
    let store = Arc::new(PostgresStore::connect(&PostgresOptions::new("postgres://u@one/d")).unwrap());
    let options = PostgresOptions::new("postgres://u@one,two/d");
    let refused = PostgresReplica::open(store, &options, MAX_LAG);
    assert!(matches!(refused, Err(InvalidPostgresOptions::SeveralReplicas)));
}
