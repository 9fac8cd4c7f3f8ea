//! Requests that a worker counts in one call.

use crate::stage::{AMPLE, Stage, ask, key, noon};
use application::ports::system::RateLimiter;
use redis_adapter::test_support::RedisServer;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const READERS: u128 = 8;
const EACH: u32 = 5;
const LIMIT: u32 = 3;

/// Returns the number of script calls since the statistics were last reset.
async fn calls(server: &RedisServer) -> u32 {
    let reported: String = ask(server, &["INFO", "commandstats"]).await;
    let of_script = reported.lines().find_map(|line| line.strip_prefix("cmdstat_evalsha:calls="));
    of_script.map_or(0, |line| line.split(',').next().unwrap().parse().unwrap())
}

/// Counts a few concurrent requests of each of several readers; returns the remaining counts of the accepted
/// ones, ascending.
async fn all_at_once(stage: &Stage, first: u128) -> BTreeMap<u128, Vec<u32>> {
    let mut counts = JoinSet::new();
    for number in (0..EACH).flat_map(|_| first..first + READERS) {
        let limiter = stage.limiter.clone();
        counts.spawn(async move { (number, limiter.count(key(number), LIMIT, noon()).await) });
    }
    let mut left: BTreeMap<u128, Vec<u32>> = BTreeMap::new();
    while let Some(counted) = counts.join_next().await {
        let (number, status) = counted.unwrap();
        let left = left.entry(number).or_default();
        if status.allowed {
            left.push(status.remaining);
        }
    }
    for left in left.values_mut() {
        left.sort_unstable();
    }
    left
}

// On a single-threaded runtime, like a worker.
#[tokio::test]
async fn simultaneous_counts_share_one_call_and_each_gets_its_own_result() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    let started = Instant::now();
    // The worker's connection is opened on the first count; until then each count is one call.
    for round in 0.. {
        ask::<()>(&server, &["CONFIG", "RESETSTAT"]).await;
        let first = round * READERS;
        let left = all_at_once(&stage, first).await;
        let expected = (first..first + READERS).map(|number| (number, vec![0, 1, 2])).collect();
        assert_eq!(left, expected);
        // The maintenance task's probes are among them.
        if calls(&server).await < EACH {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "each count is still a call of its own");
    }
    assert_eq!(stage.in_process.times(), 0);
}

#[tokio::test]
async fn a_cancelled_count_does_not_cancel_others() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    for number in 0..50 {
        let mut given_up = JoinSet::new();
        let limiter = stage.limiter.clone();
        given_up.spawn(async move { limiter.count(key(1_000 + number), LIMIT, noon()).await });
        tokio::task::yield_now().await;
        given_up.abort_all();
        assert!(stage.count(number, LIMIT).await.allowed);
    }
    assert_eq!(stage.in_process.times(), 0);
    assert!(stage.limiter.is_up());
}
