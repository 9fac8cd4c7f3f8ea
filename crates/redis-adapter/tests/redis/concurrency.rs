//! Counts of concurrent requests.

use crate::stage::{AMPLE, Stage, key, noon};
use application::ports::system::RateLimiter;
use redis_adapter::test_support::RedisServer;

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
