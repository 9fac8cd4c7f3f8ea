//! Counts of concurrent requests.

use crate::stage::{AMPLE, Stage, ask, key, noon};
use application::ports::system::RateLimiter;
use redis_adapter::test_support::RedisServer;
use std::collections::BTreeMap;
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

/// Counts on single-threaded runtimes, like those of HTTP workers. The connection outlives them, because the
/// runtime of the process drives it.
#[tokio::test(flavor = "multi_thread")]
async fn workers_share_one_connection_that_outlives_them() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    let workers = (0..4).map(|worker| {
        let limiter = stage.limiter.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                for number in 0..50 {
                    limiter.count(key(worker * 50 + number), 5, noon()).await;
                }
            });
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.join().unwrap();
    }
    for number in 0..200 {
        assert_eq!(stage.count(number, 5).await.remaining, 3);
    }
    assert_eq!(stage.in_process.times(), 0);
    let clients: String = ask(&server, &["CLIENT", "LIST"]).await;
    assert_eq!(clients.lines().count(), 2, "the limiter's and the one that asks this:\n{clients}");
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
