//! Slow clients. These tests do not use the store, so they run on one kind of store only.

use super::caller::{Caller, Form, Reply};
use super::raw::{connect, read_to_end, status_of};
use crate::e2e::polling::eventually;
use crate::e2e::server::allow_many_open_files;
use crate::e2e::world::{StoreKind, World};
use reqwest::Method;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

/// Maximum time for receiving a request: the configured 5 s, a second in which further bytes are discarded,
/// and a margin for a busy machine. Without the setting there is no limit.
const LIMIT: Duration = Duration::from_secs(30);

// T101
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_incomplete_head_or_body_times_out_after_five_seconds() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let server = world.serve();
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let requests = [
        "G".to_owned(),
        "GET /api/token HTTP/1.1\r\nHost: a\r\nX-Slow: ".to_owned(),
        format!("POST /api/token HTTP/1.1\r\nHost: a\r\n{form}Content-Length: 100\r\n\r\ncode="),
        format!("POST /api/token HTTP/1.1\r\nHost: a\r\n{form}Transfer-Encoding: chunked\r\n\r\n5\r\ncode="),
    ];
    let started = Instant::now();
    let mut streams: Vec<TcpStream> = Vec::new();
    for request in &requests {
        let mut stream = connect(&server).await;
        stream.write_all(request.as_bytes()).await.expect("sent");
        streams.push(stream);
    }
    for (stream, request) in streams.iter_mut().zip(&requests) {
        let answer = read_to_end(stream).await;
        assert!(answer.is_empty() || status_of(&answer) == 408, "{request:?}: {answer}");
        assert!(started.elapsed() < LIMIT, "{request:?}: {:?}", started.elapsed());
    }
}

// T101
/// Sends a byte every 50 ms until the server closes the connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trickling_head_times_out_too() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let server = world.with("RESTWELL__SERVER__REQUEST_TIMEOUT_SECONDS", "1").serve();
    let mut stream = connect(&server).await;
    let started = Instant::now();
    stream.write_all(b"GET /livez HTTP/1.1\r\nHost: a\r\nX: ").await.expect("sent");
    while stream.write_all(b"y").await.is_ok() {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(started.elapsed() < LIMIT, "still reading after {:?}", started.elapsed());
    }
}

// T101
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_idle_connections_block_no_other_client() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    allow_many_open_files();
    // Longer than the client's timeout: a client that had to wait for the idle ones would fail.
    let server = world.with("RESTWELL__SERVER__REQUEST_TIMEOUT_SECONDS", "60").serve();
    eventually("the server is ready", async || {
        (Caller::new(&server).get("/readyz", &Form(Vec::new())).await.status == 200).then_some(())
    })
    .await;
    let mut idle = Vec::new();
    for number in 0..1000 {
        let mut stream = connect(&server).await;
        if number % 2 == 0 {
            stream.write_all(b"GET /livez HTTP/1.1\r\n").await.expect("sent");
        }
        idle.push(stream);
    }
    for path in ["/livez", "/readyz", "/api/token", "/livez"] {
        // A new connection each time, as a load balancer uses.
        let caller = Caller::new(&server);
        let reply = Reply::to(caller.request(Method::GET, path)).await;
        let expected = if path == "/api/token" { 400 } else { 200 };
        assert_eq!(reply.status, expected, "{path}: {reply:?}");
    }
    drop(idle);
    assert_eq!(Caller::new(&server).get("/livez", &Form(Vec::new())).await.status, 200);
}
