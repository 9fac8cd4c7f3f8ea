//! Latency of a count, and correctness under concurrency:
//!
//! ```text
//! cargo test --release -p redis-adapter --test redis measure -- --nocapture
//! ```

use crate::stage::{AMPLE, Stage, key, noon};
use application::ports::system::RateLimiter;
use redis_adapter::test_support::RedisServer;
use std::time::{Duration, Instant};

/// Counts 20,000 times over 1,000 keys with this many concurrent requests and prints latency percentiles.
async fn measure(stage: &Stage, at_a_time: u128) {
    let each = 20_000 / at_a_time;
    let began = Instant::now();
    let tasks: Vec<_> = (0..at_a_time)
        .map(|task| {
            let limiter = stage.limiter.clone();
            tokio::spawn(async move {
                let mut times = Vec::new();
                for number in 0..each {
                    let started = Instant::now();
                    limiter.count(key((task * each + number) % 1_000), u32::MAX, noon()).await;
                    times.push(started.elapsed());
                }
                times
            })
        })
        .collect();
    let mut times: Vec<Duration> = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    let rate = f64::from(u32::try_from(times.len()).unwrap()) / began.elapsed().as_secs_f64();
    times.sort();
    let counted = each * at_a_time;
    let of_first = stage.limiter.count(key(0), u32::MAX, noon()).await;
    assert_eq!(
        u128::from(u32::MAX - of_first.remaining),
        counted.div_ceil(1_000) + 1,
        "{at_a_time} at a time"
    );
    assert_eq!(stage.in_process.times(), 0);
    let share = |of_thousand: usize| times[(times.len() - 1) * of_thousand / 1_000];
    println!(
        "{at_a_time} at a time: {rate:.0}/s, half within {:?}, 99 % within {:?}, 99.9 % within {:?}, all within {:?}",
        share(500),
        share(990),
        share(999),
        share(1_000)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_one_of_many_requests_at_a_time_counts() {
    for at_a_time in [1, 16, 64, 256] {
        let server = RedisServer::start();
        measure(&Stage::on(&server, AMPLE).await, at_a_time).await;
    }
}
