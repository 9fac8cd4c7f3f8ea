//! A worker whose thread is busy while the server replies.

use crate::stage::Stage;
use redis_adapter::test_support::RedisServer;
use std::time::Duration;

/// Answer timeout, ample for a busy machine.
const ANSWER: Duration = Duration::from_secs(2);

/// Blocks the thread for 2.5 s, longer than the timeout, on a single-threaded runtime like that of a worker.
#[tokio::test]
async fn a_worker_busy_beyond_the_timeout_still_counts_in_the_store() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, ANSWER).await;
    // Before the call is sent, and while its reply is waiting.
    for turns in [0, 1, 4] {
        let other_work = async {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            std::thread::sleep(ANSWER + ANSWER / 4);
        };
        let (status, ()) = tokio::join!(stage.count(turns, 5), other_work);
        assert_eq!(status.limit, 5, "after {turns} turns");
    }
    assert_eq!(stage.in_process.times(), 0);
    assert!(stage.limiter.is_up());
}
