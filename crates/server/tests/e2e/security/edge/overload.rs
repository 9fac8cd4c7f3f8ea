//! Overload.

use crate::e2e::app::{SCOPES, code, register};
use crate::e2e::polling::{TIMEOUT, eventually};
use crate::e2e::relay::{Line, Relay};
use crate::e2e::security::caller::{Caller, Form};
use crate::e2e::server::allow_many_open_files;
use crate::e2e::world::{StoreKind, World};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

const CALLERS: usize = 2000;
/// Latency of the store.
const LATENCY: Duration = Duration::from_millis(20);
/// Maximum time of a rejection: the wait for a connection to the store, and a margin for a busy machine.
const LONGEST_REFUSAL: Duration = Duration::from_secs(45);
/// Maximum memory per caller: sockets, and the buffers of a request.
const BYTES_A_CALLER: usize = 64 * 1024;

/// Sends one request on a separate connection; returns the response, and its duration.
async fn ask(address: String, request: String) -> (String, Duration) {
    let started = Instant::now();
    let mut stream = TcpStream::connect(address).await.expect("connection");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("answer");
    (answer, started.elapsed())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_callers_of_a_slow_store_get_valid_responses_or_503_on_postgres() {
    let direct = World::new(StoreKind::Postgres).await.in_processes();
    let registration = register(&direct);
    let relay = Relay::start(&direct.storage_url, Line::Slow(LATENCY)).await;
    let url = relay.url_of(&direct.storage_url);
    let code = code(&direct, &registration, &SCOPES);
    allow_many_open_files();
    let world = direct
        .with("RESTWELL__STORAGE__URL", &url)
        .with("RESTWELL__STORAGE__POOL_SIZE", "2")
        .with("RESTWELL__SERVER__MAX_REQUESTS", "100");
    let server = world.serve();
    let caller = Caller::new(&server);
    eventually("the server is ready", async || {
        let ready = caller.get("/readyz", &Form(Vec::new())).await.status == 200;
        ready.then_some(())
    })
    .await;
    let token = caller.redeem(&registration, &code).await.access();
    let path = format!("/api/v1/sleep/{}", registration.user_id);
    let right = caller.read(&token, &path).await;
    assert_eq!(right.status, 200);
    let idle = server.peak_memory();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    let mut asking = JoinSet::new();
    for _ in 0..CALLERS {
        asking.spawn(ask(server.address().to_owned(), request.clone()));
    }
    // Health checks still respond.
    assert_eq!(caller.get("/livez", &Form(Vec::new())).await.status, 200);
    let (mut answered, mut refused, mut longest) = (0, 0, Duration::ZERO);
    for (answer, took) in asking.join_all().await {
        if answer.starts_with("HTTP/1.1 200 ") {
            assert!(answer.contains("\"data\":[]") && answer.ends_with('}'), "{answer}");
            answered += 1;
        } else {
            assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
            assert!(answer.to_ascii_lowercase().contains("\r\nretry-after: "), "{answer}");
            longest = longest.max(took);
            refused += 1;
        }
    }
    println!(
        "{answered} served, {refused} refused, the slowest refusal after {longest:?}; memory {idle} then {}",
        server.peak_memory()
    );
    assert!(answered >= 20 && refused > 0, "{answered} served, {refused} refused");
    assert!(longest < LONGEST_REFUSAL, "{longest:?}");
    assert!(server.peak_memory() < idle + CALLERS * BYTES_A_CALLER, "{} bytes", server.peak_memory());
    // At once, without a recovery time.
    assert_eq!(caller.read(&token, &path).await.status, 200);
    assert!(server.log().contains("overloaded: "));
}

/// Number of nights on a page of some megabytes.
const NIGHTS: usize = 3000;

on_both_stores! {
    // The store has two connections.
    async fn clients_that_stop_reading_occupy_no_store_connection(world: World) {
        let world = world.in_processes();
        // One person's share is 16 MiB.
        let world = world
            .with("RESTWELL__STORAGE__POOL_SIZE", "2")
            .with("RESTWELL__SERVER__MAX_LARGE_ANSWER_MEBIBYTES", "64");
        let registration = register(&world);
        let file = world.file("nights.ndjson", &crate::e2e::operation::records::nights(NIGHTS, 40));
        world.ok(&["import", "--user", &registration.user_id, &file]);
        let server = world.serve();
        let caller = Caller::new(&server);
        let token = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.access();
        let path = format!("/api/v1/sleep/{}", registration.user_id);
        let large = format!(
            "GET {path}?pageSize=10000&include_stages=true&include_metrics=true HTTP/1.1\r\nHost: a\r\n\
             Authorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        let mut readers = Vec::new();
        loop {
            // A small window, so that the sockets do not buffer the whole response.
            let socket = TcpSocket::new_v4().expect("socket");
            socket.set_recv_buffer_size(8 * 1024).expect("window");
            let mut stream = socket.connect(server.address().parse().expect("address")).await.expect("connection");
            stream.write_all(large.as_bytes()).await.expect("sent");
            let mut first = [0; 12];
            stream.read_exact(&mut first).await.expect("answer");
            if &first == b"HTTP/1.1 503" {
                break;
            }
            assert_eq!(&first, b"HTTP/1.1 200");
            readers.push(stream);
        }
        assert!((10..100).contains(&readers.len()), "{} readers", readers.len());
        // Each has the rest of a page in memory, but no connection to the store.
        for _ in 0..50 {
            assert_eq!(caller.read(&token, &format!("{path}?pageSize=1")).await.status, 200);
        }
        let refused = caller.read(&token, &format!("{path}?pageSize=10000&include_stages=true")).await;
        refused.assert_problem(503, "too_many_at_once");
        assert!(refused.header("retry-after").is_some() && refused.header("x-ratelimit-remaining").is_some());
        drop(readers);
        let again = async || {
            let page = caller.read(&token, &format!("{path}?pageSize=10000&include_stages=true")).await;
            (page.status == 200).then_some(())
        };
        tokio::time::timeout(TIMEOUT, eventually("there is room again", again)).await.expect("in time");
    }
}

/// Concurrent large pages of one person: a quarter of 512.
const OF_ONE_PERSON: usize = 128;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_large_pages_of_one_reader_do_not_block_small_ones_on_postgres() {
    let world = World::new(StoreKind::Postgres).await.in_processes();
    let registration = register(&world);
    let code = code(&world, &registration, &SCOPES);
    // No request may time out while it waits.
    let world = ["CONNECT_TIMEOUT_SECONDS", "STATEMENT_TIMEOUT_SECONDS", "LOCK_TIMEOUT_SECONDS"]
        .iter()
        .fold(world, |world, name| world.with(&format!("RESTWELL__STORAGE__{name}"), "60"));
    let world = world.with("RESTWELL__STORAGE__POOL_SIZE", "2");
    let server = world.serve();
    let caller = Caller::new(&server);
    let token = caller.redeem(&registration, &code).await.access();
    let user_id = &registration.user_id;
    let large = format!(
        "GET /api/v1/supplements/{user_id}?pageSize=10000 HTTP/1.1\r\nHost: a\r\n\
         Authorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    let held = world.database.as_ref().expect("Postgres").hold("LOCK TABLE intake_log").await;
    let mut asking = JoinSet::new();
    for _ in 0..300 {
        asking.spawn(ask(server.address().to_owned(), large.clone()));
    }
    // All except those in progress are rejected while these still wait.
    while asking.len() > OF_ONE_PERSON {
        let (answer, _) = asking.join_next().await.expect("asked").expect("answer");
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(answer.contains("too_many_at_once"), "{answer}");
        assert!(answer.to_ascii_lowercase().contains("\r\nretry-after: 2\r\n"), "{answer}");
    }
    for path in [format!("/api/v1/sleep/{user_id}?pageSize=1"), format!("/api/v1/profile/{user_id}")] {
        assert_eq!(caller.read(&token, &path).await.status, 200, "{path}");
    }
    drop(held);
    for (answer, _) in asking.join_all().await {
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    let log = server.log();
    assert!(!log.contains("overloaded"), "{log}");
    // The rejections came within seconds: one log line per few seconds, not one per request.
    let reported = log.lines().filter(|line| line.contains("too_many_at_once")).count();
    assert!((1..=30).contains(&reported), "{reported} lines");
}
