//! Counts of concurrent requests.

use crate::stage::{AMPLE, Stage, ask, key, noon};
use application::ports::system::RateLimiter;
use redis_adapter::test_support::RedisServer;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

/// Counts 20,000 requests over 1,000 keys.
async fn count(stage: &Stage, at_a_time: u128) {
    let each = 20_000 / at_a_time;
    let tasks = (0..at_a_time).map(|task| {
        let limiter = stage.limiter.clone();
        tokio::spawn(async move {
            for number in 0..each {
                limiter.count(key((task * each + number) % 1_000), u32::MAX, noon()).await;
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    let of_first = stage.limiter.count(key(0), u32::MAX, noon()).await;
    let expected = (each * at_a_time).div_ceil(1_000) + 1;
    assert_eq!(u128::from(u32::MAX - of_first.remaining), expected, "{at_a_time} at a time");
    assert_eq!(stage.in_process.times(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_one_of_many_concurrent_requests_is_counted() {
    for at_a_time in [1, 16, 64, 256] {
        let server = RedisServer::start();
        count(&Stage::on(&server, AMPLE).await, at_a_time).await;
    }
}

#[tokio::test]
async fn concurrent_requests_of_several_readers_each_get_their_own_result() {
    const LIMIT: u32 = 3;
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    let mut counts = JoinSet::new();
    for number in (0..5).flat_map(|_| 0..8) {
        let limiter = stage.limiter.clone();
        counts.spawn(async move { (number, limiter.count(key(number), LIMIT, noon()).await) });
    }
    let mut left: BTreeMap<u128, Vec<u32>> = BTreeMap::new();
    while let Some(counted) = counts.join_next().await {
        let (number, status) = counted.unwrap();
        let left = left.entry(number).or_default();
        if status.allowed {
            left.push(status.remaining);
            left.sort_unstable();
        }
    }
    assert_eq!(left, (0..8).map(|number| (number, vec![0, 1, 2])).collect());
    assert_eq!(stage.in_process.times(), 0);
}

/// Returns the ids of the open connections, without the one that asks.
async fn connections(server: &RedisServer) -> BTreeSet<u64> {
    let clients: String = ask(server, &["CLIENT", "LIST"]).await;
    let of_limiter = clients.lines().filter(|client| !client.contains(" cmd=client"));
    of_limiter
        .map(|client| client.strip_prefix("id=").unwrap().split(' ').next().unwrap().parse().unwrap())
        .collect()
}

/// Counts on single-threaded runtimes, like those of HTTP workers.
#[tokio::test(flavor = "multi_thread")]
async fn each_worker_counts_over_one_connection_of_its_own() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    let counted = Arc::new(Barrier::new(5));
    let workers = (0..4).map(|worker| {
        let (limiter, counted) = (stage.limiter.clone(), counted.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                for number in 0..50 {
                    limiter.count(key(worker * 50 + number), 5, noon()).await;
                }
                counted.wait().await;
                // Drives the connection until the test has seen it.
                counted.wait().await;
            });
        })
    });
    let workers: Vec<_> = workers.collect();
    counted.wait().await;
    let started = Instant::now();
    while connections(&server).await.len() != 5 {
        assert!(started.elapsed() < AMPLE, "{:?}", connections(&server).await);
    }
    counted.wait().await;
    for worker in workers {
        worker.join().unwrap();
    }
    for number in 0..200 {
        assert_eq!(stage.count(number, 5).await.remaining, 3);
    }
    assert_eq!(stage.in_process.times(), 0);
}

// On a single-threaded runtime, like a worker.
#[tokio::test]
async fn a_workers_connection_that_the_server_closes_is_replaced() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    stage.count(1, 5).await;
    let started = Instant::now();
    while connections(&server).await.len() != 2 {
        assert!(started.elapsed() < AMPLE, "the worker opened none");
    }
    let closed = *connections(&server).await.last().unwrap();
    ask::<()>(&server, &["CLIENT", "KILL", "ID", &closed.to_string()]).await;
    while connections(&server).await.range(closed + 1..).next().is_none() {
        assert!(started.elapsed() < AMPLE * 2, "the worker opened no other");
        stage.count(2, 5).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stage.until_up().await;
    assert_eq!(stage.count(1, 5).await.remaining, 3);
}

#[tokio::test]
async fn a_cancelled_count_does_not_cancel_others() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    for number in 0..50 {
        let mut given_up = JoinSet::new();
        let limiter = stage.limiter.clone();
        given_up.spawn(async move { limiter.count(key(1_000 + number), 3, noon()).await });
        tokio::task::yield_now().await;
        given_up.abort_all();
        assert!(stage.count(number, 3).await.allowed);
    }
    assert_eq!(stage.in_process.times(), 0);
    assert!(stage.limiter.is_up());
}
