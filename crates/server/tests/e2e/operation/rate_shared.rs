//! One limit for all replicas, counted in Redis, and the fallback without it.

use super::reader::Reader;
use super::replica::wait_until_ready;
use crate::e2e::app::{SCOPES, code, redeem, register};
use crate::e2e::response::ReceivedResponse;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use redis_adapter::test_support::RedisServer;
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// Log messages when the store of counters fails, and when it is back.
const LOST: &str = "the shared store of the rate limits cannot be used";
const BACK: &str = "requests are counted in the shared store again";

/// Adds a store of counters, with a timeout for a busy machine.
fn with_counters(world: World, url: &str) -> World {
    world
        .with("RESTWELL__RATE_LIMITS__STORE_URL", url)
        .with("RESTWELL__RATE_LIMITS__STORE_TIMEOUT_MILLISECONDS", "10000")
}

fn times(server: &Server, words: &str) -> usize {
    server.log().lines().filter(|line| line.contains(words)).count()
}

/// Returns the three counters of a response; headers and body must agree.
fn counters(answer: &ReceivedResponse) -> [i64; 3] {
    let header = |name: &str| answer.header(name).parse::<i64>().expect("number");
    let names = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
    let counters = names.map(header);
    let limit: Value = answer.json()["limit"].clone();
    assert_eq!(
        limit,
        json!({names[0]: counters[0], names[1]: counters[1], names[2]: counters[2]}),
        "{}",
        answer.text
    );
    counters
}

/// Waits if the UTC day ends within these seconds, so that no window ends during the test. Sends one request
/// to the endpoint.
async fn away_from_midnight(reader: &Reader, endpoint: &str, seconds: i64) {
    let answer = reader.ask(endpoint, "").await;
    let [_, _, reset] = counters(&answer);
    let date = chrono::DateTime::parse_from_rfc2822(answer.header("date")).expect("date");
    let left = reset - date.timestamp();
    if left < seconds {
        tokio::time::sleep(Duration::from_secs(left.unsigned_abs() + 1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_processes_grant_exactly_the_limit_together_on_postgres() {
    const LIMIT: i64 = 5_000;
    const ASKED: i64 = 10_000;
    let redis = RedisServer::start();
    let world = World::new(StoreKind::Postgres).await.in_processes();
    let world = with_counters(world, &redis.url())
        .with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:4711")
        .with("RESTWELL__RATE_LIMITS__PROFILE", &LIMIT.to_string());
    let registration = register(&world);
    let servers: Vec<Server> = (0..4).map(|number| world.serve_as(&format!("server-{number}"))).collect();
    for server in &servers {
        wait_until_ready(server).await;
    }
    let tokens = redeem(&servers[0], &registration, &code(&world, &registration, &SCOPES)).await;
    let reader = |server| Reader::new(server, &registration.user_id, &tokens.access);
    away_from_midnight(&reader(&servers[0]), "sleep", 180).await;

    let left = Arc::new(AtomicI64::new(ASKED));
    let tasks: Vec<_> = (0..16)
        .map(|number| {
            let (reader, left) = (reader(&servers[number % servers.len()]), left.clone());
            tokio::spawn(async move {
                let mut granted = Vec::new();
                while left.fetch_sub(1, Ordering::SeqCst) > 0 {
                    let answer = reader.ask("profile", "").await;
                    let [limit, remaining, _] = counters(&answer);
                    assert_eq!(limit, LIMIT);
                    match answer.status {
                        StatusCode::OK => granted.push(remaining),
                        StatusCode::TOO_MANY_REQUESTS => assert_eq!(remaining, 0),
                        other => panic!("{other}: {}", answer.text),
                    }
                }
                granted
            })
        })
        .collect();
    let mut granted = Vec::new();
    for task in tasks {
        granted.extend(task.await.expect("task"));
    }
    assert_eq!(i64::try_from(granted.len()), Ok(LIMIT), "the sum of granted requests is the limit");
    let different: BTreeSet<i64> = granted.into_iter().collect();
    assert!(different.into_iter().eq(0..LIMIT), "no two answers reported the same number");
    for server in &servers {
        assert_eq!(times(server, LOST), 0, "{}", server.log());
    }
}

on_sqlite! {
    async fn losing_the_store_of_counters_is_logged_once_and_recovers(world: World) {
        let world = world.in_processes();
        let mut redis = RedisServer::start();
        let world = with_counters(world, &redis.url()).with("RESTWELL__RATE_LIMITS__SLEEP", "2");
        let registration = register(&world);
        let mut server = world.serve();
        wait_until_ready(&server).await;
        let reader = Reader::authorized(&world, &server, &registration).await;
        away_from_midnight(&reader, "profile", 30).await;
        assert_eq!(counters(&reader.ask("sleep", "").await)[..2], [2, 1]);
        redis.kill();
        // Served, and counted in the process, whose counter starts at zero.
        for (status, left) in [(StatusCode::OK, 1), (StatusCode::OK, 0), (StatusCode::TOO_MANY_REQUESTS, 0)] {
            let answer = reader.ask("sleep", "").await;
            assert_eq!((answer.status, counters(&answer)[1]), (status, left), "{}", answer.text);
        }
        assert_eq!((times(&server, LOST), times(&server, BACK)), (1, 0), "{}", server.log());
        redis.restart();
        let restarted = Instant::now();
        while times(&server, BACK) == 0 {
            assert!(restarted.elapsed() < Duration::from_secs(20), "never back:\n{}", server.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // The store persisted nothing, so its counters start again.
        assert_eq!(counters(&reader.ask("sleep", "").await)[..2], [2, 1]);
        assert_eq!((times(&server, LOST), times(&server, BACK)), (1, 1), "{}", server.log());
        assert_eq!(server.terminate(), Some(0));
        assert!(!server.log().contains(&redis.dir().display().to_string()), "{}", server.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_an_unresponsive_store_of_counters_becomes_ready() {
    let redis = RedisServer::prepare(&[]);
    let world = with_counters(World::new(StoreKind::Sqlite).await.in_processes(), &redis.url());
    let registration = register(&world);
    let mut server = world.serve();
    let ready = reqwest::get(format!("{}/readyz", server.base_url)).await.expect("answer");
    assert_eq!(ready.status(), StatusCode::SERVICE_UNAVAILABLE, "{}", server.log());
    let live = reqwest::get(format!("{}/livez", server.base_url)).await.expect("answer");
    assert_eq!(live.status(), StatusCode::OK);
    wait_until_ready(&server).await;
    let reader = Reader::authorized(&world, &server, &registration).await;
    reader.read("sleep", "").await;
    assert_eq!((times(&server, LOST), times(&server, BACK)), (1, 0), "{}", server.log());
    assert_eq!(server.terminate(), Some(0));
}
