//! Server outages.

use crate::stage::{AMPLE, IN_PROCESS, Stage, ask, until};
use redis_adapter::test_support::RedisServer;
use std::time::{Duration, Instant};

/// Answer timeout of tests that let it expire, ample for a busy machine.
const ANSWER: Duration = Duration::from_secs(5);

/// Upper bound for a request that does not use the store; below the response timeout.
const AT_ONCE: Duration = Duration::from_secs(4);

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_the_script_gets_it_again() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    assert_eq!(stage.count(1, 5).await.remaining, 4);
    for left in [3, 2] {
        ask::<()>(&server, &["SCRIPT", "FLUSH"]).await;
        assert_eq!(stage.count(1, 5).await.remaining, left);
    }
    assert_eq!(stage.in_process.times(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_kill_the_process_counts_until_the_server_is_back() {
    let mut server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    assert_eq!(stage.count(1, 5).await.limit, 5);
    for round in 1..=2 {
        server.kill();
        let before = stage.in_process.times();
        for _ in 0..10 {
            let started = Instant::now();
            assert_eq!(stage.count(1, 5).await.limit, IN_PROCESS);
            assert!(started.elapsed() < AT_ONCE, "round {round}: {:?}", started.elapsed());
        }
        assert_eq!(stage.in_process.times(), before + 10, "each is counted once, in the process");
        assert!(!stage.limiter.is_up());
        server.restart();
        stage.until_up().await;
        // The server keeps nothing on disk, so its counts are gone.
        assert_eq!(stage.count(1, 5).await.remaining, 4);
    }
}

/// Sends requests for 1.5 s, in which the limiter tries to reconnect several times: none may wait for that.
#[tokio::test(flavor = "multi_thread")]
async fn a_paused_server_slows_requests_once_and_then_not_at_all() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, ANSWER).await;
    stage.count(1, 5).await;
    server.pause();
    // Concurrent requests each wait no longer than their own timeout.
    let started = Instant::now();
    let first: Vec<_> = (0..50)
        .map(|_| {
            let limiter = stage.limiter.clone();
            tokio::spawn(async move {
                use application::ports::system::RateLimiter;
                limiter.count(crate::stage::key(1), 5, crate::stage::noon()).await
            })
        })
        .collect();
    for task in first {
        assert_eq!(task.await.unwrap().limit, IN_PROCESS);
    }
    assert!(started.elapsed() < ANSWER + AT_ONCE, "{:?}", started.elapsed());
    // Longer than the interval between reconnects, which the suspended server accepts without a reply: a
    // request that waited for one would be among the few answered meanwhile.
    let (started, mut answered) = (Instant::now(), 0);
    while started.elapsed() < Duration::from_millis(1_500) {
        assert_eq!(stage.count(1, 5).await.limit, IN_PROCESS);
        answered += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(answered >= 10, "{answered} requests were answered");
    server.resume();
    stage.until_up().await;
    assert_eq!(stage.count(2, 5).await.limit, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_in_a_quiet_hour_is_known_before_the_next_request() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, ANSWER).await;
    server.pause();
    until("the outage is known", || !stage.limiter.is_up()).await;
    let started = Instant::now();
    stage.count(1, 5).await;
    assert!(started.elapsed() < AT_ONCE, "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_late_is_used_from_its_first_response_on() {
    let mut server = RedisServer::prepare(&[]);
    let stage = Stage::begin(&server.url(), AMPLE);
    assert_eq!(stage.count(1, 5).await.limit, IN_PROCESS);
    let waiting = tokio::time::timeout(Duration::from_millis(50), stage.limiter.first_answer());
    assert!(waiting.await.is_err(), "nothing has answered yet");
    server.restart();
    tokio::time::timeout(AMPLE, stage.limiter.first_answer()).await.unwrap();
    assert_eq!(stage.count(1, 5).await.limit, 5);
    // The first connection stays recorded.
    server.kill();
    tokio::time::timeout(AMPLE, stage.limiter.first_answer()).await.unwrap();
}

/// Waits 700 ms, longer than the interval between reconnects, because no event shows that none succeeds.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_server_is_not_used() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    // After a failover the old address is a replica.
    ask::<()>(&server, &["REPLICAOF", "127.0.0.1", "1"]).await;
    assert_eq!(stage.count(1, 5).await.limit, IN_PROCESS);
    assert!(!stage.limiter.is_up());
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert!(!stage.limiter.is_up(), "it answers, but does not count");
    ask::<()>(&server, &["REPLICAOF", "NO", "ONE"]).await;
    stage.until_up().await;
    assert_eq!(stage.count(1, 5).await.remaining, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_server_is_not_used_until_it_has_space() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    ask::<()>(&server, &["CONFIG", "SET", "maxmemory", "1"]).await;
    assert_eq!(stage.count(1, 5).await.limit, IN_PROCESS);
    ask::<()>(&server, &["CONFIG", "SET", "maxmemory", "0"]).await;
    stage.until_up().await;
    assert_eq!(stage.count(1, 5).await.limit, 5);
}

/// Waits 300 ms for each wrong password, because no event shows that it stays rejected.
#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_sent_and_a_wrong_one_is_an_outage() {
    let mut server = RedisServer::prepare(&["--requirepass", "HIDDEN"]);
    server.restart();
    let stage = Stage::begin(&format!("{}?pass=HIDDEN", server.url()), AMPLE);
    stage.until_up().await;
    assert_eq!(stage.count(1, 5).await.limit, 5);
    for wrong in [server.url(), format!("{}?pass=WRONG", server.url())] {
        let stage = Stage::begin(&wrong, AMPLE);
        assert_eq!(stage.count(1, 5).await.limit, IN_PROCESS);
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(!stage.limiter.is_up());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_documented_permissions_are_sufficient() {
    let server = RedisServer::start();
    let may = "~restwell:rate:* +evalsha +script|load +get +incr +expire";
    let words: Vec<_> =
        ["ACL", "SETUSER", "restwell", "on", ">HIDDEN"].into_iter().chain(may.split(' ')).collect();
    ask::<()>(&server, &words).await;
    let manual = include_str!("../../../../docs/operating.md");
    assert!(manual.contains(may), "the manual says something else");
    let stage = Stage::begin(&format!("{}?user=restwell&pass=HIDDEN", server.url()), AMPLE);
    stage.until_up().await;
    assert_eq!(stage.count(1, 5).await.remaining, 4);
    ask::<()>(&server, &["SCRIPT", "FLUSH"]).await;
    assert_eq!(stage.count(1, 5).await.remaining, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_database_of_a_server_counts_for_itself() {
    let server = RedisServer::start();
    for database in [0, 3] {
        let stage = Stage::begin(&format!("{}?db={database}", server.url()), AMPLE);
        stage.until_up().await;
        assert_eq!(stage.count(1, 5).await.remaining, 4);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_requests_share_one_connection() {
    let server = RedisServer::start();
    let stage = Stage::on(&server, AMPLE).await;
    let tasks: Vec<_> = (0..200)
        .map(|number| {
            let limiter = stage.limiter.clone();
            tokio::spawn(async move {
                use application::ports::system::RateLimiter;
                limiter.count(crate::stage::key(number), 5, crate::stage::noon()).await
            })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap().remaining, 4);
    }
    let clients: String = ask(&server, &["CLIENT", "LIST"]).await;
    assert_eq!(clients.lines().count(), 2, "the limiter's and the one that asks this:\n{clients}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_limiter_closes_its_connection() {
    let server = RedisServer::start();
    drop(Stage::on(&server, AMPLE).await);
    let started = Instant::now();
    loop {
        let clients: String = ask(&server, &["CLIENT", "LIST"]).await;
        if clients.lines().count() == 1 {
            return;
        }
        assert!(started.elapsed() < AMPLE, "{clients}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
