//! Raw bytes through proxies, as no library would send them.

use super::proxy::{Kind, Proxy};
use crate::e2e::app::{SCOPES, code, register};
use crate::e2e::security::caller::{Caller, Form};
use crate::e2e::world::{StoreKind, World};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Timeout of a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(45);

/// Sends bytes and returns everything received until the connection ends.
pub(super) async fn send(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.expect("connection");
    let _ = stream.write_all(request).await;
    let mut received = Vec::new();
    let ended = timeout(RESPONSE_TIMEOUT, stream.read_to_end(&mut received)).await;
    let text = String::from_utf8_lossy(&received).into_owned();
    assert!(ended.is_ok(), "{} was not answered to its end: {text}", String::from_utf8_lossy(request));
    text
}

/// Request and the allowed prefix of its response's status.
type Attempt = (String, &'static str);

// T97, T98, T100
fn attempts(good: &str) -> Vec<Attempt> {
    let get = |target: &str| format!("GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let post =
        |head: &str| format!("POST /api/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{head}\r\n{good}");
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let length = good.len();
    let mut attempts: Vec<Attempt> = vec![
        (post(&format!("{form}Content-Length: {length}\r\nContent-Length: 4\r\n")), "4"),
        (post(&format!("{form}Content-Length: +{length}\r\n")), "4"),
        (post(&format!("{form}Transfer-Encoding: xchunked\r\n")), "4|5"),
        (post(&format!("Host : a\r\n{form}Content-Length: {length}\r\n")), "4"),
        (post(&format!("Host: b\r\n{form}Content-Length: {length}\r\n")), "4"),
        (post(&format!("X: a\0b\r\n{form}Content-Length: {length}\r\n")), "4"),
        (get(&format!("/api/token?{good}&x={}", "y".repeat(9000))), "4"),
        (get(&format!("/api/token/?{good}")), "404"),
        (get(&format!("//api/token?{good}")), "404"),
        (get(&format!("/api/./token?{good}")), "404"),
        (get(&format!("/api/x/../token?{good}")), "404"),
        (get(&format!("/api/token%3F{good}")), "404"),
        (get(&format!("/api/v1/sleep/..%2f..%2ftoken?{good}")), "4"),
    ];
    for method in ["HEAD", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND"] {
        let request = format!("{method} /api/token?{good} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        attempts.push((request, "4"));
    }
    attempts
}

// T97, T98, T100
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_malformed_request_uses_up_a_code_through_a_proxy() {
    let world = World::new(StoreKind::Sqlite).await;
    let registration = register(&world);
    let server = world.serve();
    for kind in Kind::ALL {
        let proxy = Proxy::start(kind, [server.address(), server.address()]).await;
        let code = code(&world, &registration, &SCOPES);
        let good = Form::of_code(&registration, &code).encoded();
        for (request, allowed) in attempts(&good) {
            let answer = send(proxy.address, request.as_bytes()).await;
            let shown = request.chars().take(300).collect::<String>();
            let status = answer.strip_prefix("HTTP/1.1 ").unwrap_or_default();
            assert!(
                allowed.split('|').any(|allowed| status.starts_with(allowed)),
                "{kind:?} {shown:?}: {answer}"
            );
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{kind:?} {shown:?}: {answer}");
            assert!(!answer.contains("access_token"), "{kind:?} {shown:?}: {answer}");
        }
        Caller::to(&proxy.base_url(), Ipv4Addr::LOCALHOST).redeem(&registration, &code).await.tokens();
    }
}

// T98: neither proxy rejects a line that ends without a carriage return, and neither forwards one. They
// rewrite requests, so that both sides see the same ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_smuggled_between_a_proxy_and_a_replica() {
    let world = World::new(StoreKind::Sqlite).await;
    let server = world.serve();
    let hidden = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
    let length = hidden.len();
    for kind in Kind::ALL {
        let proxy = Proxy::start(kind, [server.address(), server.address()]).await;
        for request in [
            "GET /livez HTTP/1.1\nHost: a\nConnection: close\n\n".to_owned(),
            "GET /livez HTTP/1.1\r\nHost: a\nX: y\r\nConnection: close\n\n".to_owned(),
            format!(
                "POST /api/token HTTP/1.1\nHost: a\nConnection: close\nContent-Length: {length}\n\n{hidden}"
            ),
            format!(
                "POST /api/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: y\nContent-Length: {length}\r\n\r\n{hidden}"
            ),
            format!(
                "POST /api/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n{length:x}\n{hidden}\r\n0\r\n\r\n"
            ),
            format!(
                "POST /api/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
            ),
            format!(
                "POST /api/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n{hidden}"
            ),
            format!(
                "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: a\r\n b\r\nContent-Length: {length}\r\n\r\n{hidden}"
            ),
        ] {
            let answer = send(proxy.address, request.as_bytes()).await;
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{kind:?} {request:?}: {answer}");
        }
    }
}

// T101
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_incomplete_head_times_out_and_idle_connections_block_no_client() {
    let world = World::new(StoreKind::Sqlite).await;
    let server = world.serve();
    for kind in Kind::ALL {
        let proxy = Proxy::start(kind, [server.address(), server.address()]).await;
        let started = Instant::now();
        let slow = send(proxy.address, b"GET /api/token HTTP/1.1\r\nHost: a\r\nX-Slow: ").await;
        assert!(slow.is_empty() || slow.starts_with("HTTP/1.1 408"), "{kind:?}: {slow}");
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "{kind:?}: {:?}", started.elapsed());
        let mut idle = Vec::new();
        for _ in 0..500 {
            idle.push(TcpStream::connect(proxy.address).await.expect("connection"));
        }
        let caller = Caller::to(&proxy.base_url(), Ipv4Addr::LOCALHOST);
        assert_eq!(caller.get("/readyz", &Form(Vec::new())).await.status, 200, "{kind:?}");
    }
}
