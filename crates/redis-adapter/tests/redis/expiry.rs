//! Expiry of counters in the store.

use crate::stage::{AMPLE, Stage, ask, key, noon};
use application::ports::system::RateLimiter;
use chrono::TimeDelta;
use redis_adapter::test_support::RedisServer;

/// Returns the keys of all counters except the probe's.
async fn counters(server: &RedisServer) -> Vec<String> {
    let mut keys: Vec<String> = ask(server, &["KEYS", "*"]).await;
    keys.retain(|key| key != "restwell:rate:probe");
    keys.sort();
    keys
}

#[tokio::test]
async fn a_counter_expires_a_minute_after_its_day_whatever_the_stores_clock_says() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    // In the past by the store's clock, because expiry is relative.
    let evening = noon() + TimeDelta::hours(11) + TimeDelta::minutes(59);
    stage.limiter.count(key(1), 5, evening).await;
    let counter = counters(&server).await.remove(0);
    let left: i64 = ask(&server, &["TTL", &counter]).await;
    assert!((100..=120).contains(&left), "{left}");
    // Later requests do not extend it.
    ask::<()>(&server, &["EXPIRE", &counter, "50"]).await;
    stage.limiter.count(key(1), 5, evening).await;
    let left: i64 = ask(&server, &["TTL", &counter]).await;
    assert!((30..=50).contains(&left), "{left}");
}

#[tokio::test]
async fn a_refused_request_leaves_nothing() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    assert!(!stage.count(1, 0).await.allowed);
    assert_eq!(counters(&server).await, Vec::<String>::new());
}

#[tokio::test]
async fn the_store_holds_no_id_and_no_value_but_the_count() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    for _ in 0..3 {
        stage.count(0xfeed_beef_feed_beef_feed_beef_feed_beef, 5).await;
    }
    stage.limiter.count(key(1), 5, noon() + TimeDelta::days(1)).await;
    let counters = counters(&server).await;
    assert_eq!(counters.len(), 2, "one for each day and key: {counters:?}");
    for counter in &counters {
        assert!(counter.starts_with("restwell:rate:205") && !counter.contains("feed"), "{counter}");
    }
    let values: Vec<String> = ask(&server, &["MGET", &counters[0], &counters[1]]).await;
    assert_eq!(values, ["3", "1"]);
}
