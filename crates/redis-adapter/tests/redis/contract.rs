//! The contract of the rate limiter port.

use crate::stage::{AMPLE, Stage, noon};
use application::ports::system::RateLimiter;
use redis_adapter::test_support::RedisServer;
use std::sync::Arc;

async fn new_limiter() -> (Arc<dyn RateLimiter>, RedisServer) {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    (stage.limiter, server)
}

contract_tests::rate_limiter_tests!(new_limiter);

#[tokio::test(flavor = "multi_thread")]
async fn several_limiters_on_one_server_share_every_counter() {
    let server = RedisServer::start();
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let stage = Stage::on(&server, AMPLE).await;
        tasks.push(tokio::spawn(async move {
            let mut granted = 0;
            for _ in 0..500 {
                granted += u32::from(stage.limiter.count(crate::stage::key(1), 777, noon()).await.allowed);
            }
            assert_eq!(stage.in_process.times(), 0);
            granted
        }));
    }
    let mut granted = 0;
    for task in tasks {
        granted += task.await.unwrap();
    }
    assert_eq!(granted, 777);
}
