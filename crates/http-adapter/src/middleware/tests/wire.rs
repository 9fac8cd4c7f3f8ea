//! Behaviour that needs a real connection: rows T93, T96, T98, T99 and T101.

use super::*;
use crate::tests::MemoryStore;
use actix_web::{App, HttpServer};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Timeout for a response or the end of a connection.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Starts a server on a free local port; it ends with the test's runtime.
fn serve() -> SocketAddr {
    let state = Parts::default().build();
    let server = HttpServer::new(move || App::new().configure(crate::configure(state.clone())))
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .unwrap();
    let address = *server.addrs().first().unwrap();
    actix_web::rt::spawn(server.run());
    address
}

/// Sends raw bytes and returns the response, up to the end of the connection or until it is idle.
async fn exchange(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut received = Vec::new();
    let mut chunk = [0; 4096];
    let mut limit = READ_TIMEOUT;
    while let Ok(Ok(count @ 1..)) = tokio::time::timeout(limit, stream.read(&mut chunk)).await {
        received.extend_from_slice(&chunk[..count]);
        limit = Duration::from_millis(50);
    }
    String::from_utf8_lossy(&received).into_owned()
}

#[track_caller]
fn assert_status(answer: &str, status: u16, request: &str) {
    assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
}

// T98
#[actix_web::test]
async fn ambiguous_framing_is_rejected() {
    let address = serve();
    for head in [
        "Host: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Host: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n",
        "Host: a\r\nContent-Length: +5\r\n",
        "Host: a\r\nTransfer-Encoding: xchunked\r\n",
        "Host : a\r\n",
        "Host: a\r\nX: a\r\n b\r\n",
        "Host: a\r\nHost: b\r\n",
        "Host: a\r\nX: a\0b\r\n",
    ] {
        let answer = exchange(address, format!("POST /api/token HTTP/1.1\r\n{head}\r\nabc").as_bytes()).await;
        assert_status(&answer, 400, head);
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{head}");
    }
}

// T98: docs/deploying.md has the table and the behaviour of the proxies in deploy/.
#[actix_web::test]
async fn a_bare_line_feed_ends_lines_of_the_head_but_nothing_in_a_chunked_body() {
    let address = serve();
    for head in [
        "GET /livez HTTP/1.1\nHost: a\n\n",
        "GET /livez HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\n\n",
    ] {
        assert_status(&exchange(address, head.as_bytes()).await, 200, head);
    }
    let form = "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n";
    for (body, status) in [
        ("5\nx=abc\r\n0\r\n\r\n", 400),
        ("5;a=b\nx=abc\r\n0\r\n\r\n", 400),
        ("5\r\nx=abc\n0\r\n\r\n", 400),
        ("5\r\nx=abc\r\n0\n\n", 400),
        ("5\r\nx=abc\r\n0\r\nY: z\n\r\n", 408),
    ] {
        let request = format!("POST /api/token HTTP/1.1\r\nHost: a\r\n{form}\r\n{body}");
        let answer = exchange(address, request.as_bytes()).await;
        assert_status(&answer, status, body);
        assert!(
            answer.contains(r#""error":"invalid_request","error_description":"the body is incomplete"#)
                || status == 408
        );
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{body}");
    }
}

// T93
#[actix_web::test]
async fn raw_bytes_in_the_url_are_rejected() {
    let address = serve();
    for line in [b"GET /api/token\xff HTTP/1.1\r\n".as_slice(), b"GET /api/token?code=\xff HTTP/1.1\r\n"] {
        let request = [line, b"Host: a\r\nConnection: close\r\n\r\n".as_slice()].concat();
        assert_status(&exchange(address, &request).await, 400, &String::from_utf8_lossy(line));
    }
}

// T96
#[actix_web::test]
async fn too_many_or_too_large_headers_are_a_431() {
    let address = serve();
    let many = "X: y\r\n".repeat(120);
    let large = format!("X: {}\r\n", "y".repeat(17 * 1024));
    for headers in [many, large] {
        let request = format!("GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{headers}\r\n");
        assert_status(&exchange(address, request.as_bytes()).await, 431, "headers");
    }
}

// T97
#[actix_web::test]
async fn a_head_request_gets_no_body() {
    let request = "HEAD /api/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let answer = exchange(serve(), request.as_bytes()).await;
    assert_status(&answer, 405, request);
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
}

#[actix_web::test]
async fn a_head_response_has_the_length_of_get_and_no_body() {
    for path in ["/livez", "/errors", "/openapi.json", "/api/v1/profile/x"] {
        let ask = |method: &str| format!("{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let (get, head) =
            (exchange(serve(), ask("GET").as_bytes()).await, exchange(serve(), ask("HEAD").as_bytes()).await);
        let length = |answer: &str| {
            let lines = answer.lines().map(str::to_ascii_lowercase);
            lines.filter(|line| line.starts_with("content-length: ")).collect::<Vec<_>>()
        };
        assert_eq!(get.lines().next(), head.lines().next(), "{path}");
        assert_eq!((length(&get), length(&get).len()), (length(&head), 1), "{path}");
        assert!(head.ends_with("\r\n\r\n") && !get.ends_with("\r\n\r\n"), "{head}");
    }
}

// T99
#[actix_web::test]
async fn an_absolute_url_and_a_foreign_host_are_ignored() {
    let address = serve();
    for line in ["GET http://evil.example/nowhere HTTP/1.1", "GET /nowhere HTTP/1.1"] {
        let request = format!("{line}\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
        let answer = exchange(address, request.as_bytes()).await;
        assert_status(&answer, 404, line);
        assert!(answer.contains("http://restwell.example/errors#not_found") && !answer.contains("evil"));
    }
}

// T101
#[actix_web::test]
async fn a_body_that_does_not_arrive_is_a_408() {
    let request = format!(
        "POST /api/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\ncode={}",
        MemoryStore::code()
    );
    let answer = exchange(serve(), request.as_bytes()).await;
    assert_status(&answer, 408, "slow body");
    assert!(answer.contains("\"error\":\"invalid_request\""), "{answer}");
}

// T101
#[actix_web::test]
async fn an_endless_chunked_body_is_answered_and_closes_the_connection() {
    let address = serve();
    for line in ["POST /nowhere", "GET /livez", "PUT /api/token", "POST /api/token"] {
        let request = format!("{line} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ncode=");
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut received = Vec::new();
        let closed = tokio::time::timeout(READ_TIMEOUT, stream.read_to_end(&mut received)).await;
        assert!(closed.is_ok(), "{line}: the connection stays open");
        assert!(received.starts_with(b"HTTP/1.1 "), "{line}");
    }
}

// T94
#[actix_web::test]
async fn a_chunked_body_above_the_limit_is_a_413() {
    let chunk = format!("4000\r\n{}\r\n", "y".repeat(0x4000));
    let request = format!(
        "POST /api/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}1\r\ny\r\n0\r\n\r\n"
    );
    assert_status(&exchange(serve(), request.as_bytes()).await, 413, "chunked");
}

// T97
#[actix_web::test]
async fn unusual_request_targets_are_rejected_and_never_hang() {
    let address = serve();
    for line in
        ["OPTIONS * HTTP/1.1", "CONNECT evil.example:443 HTTP/1.1", "GET evil HTTP/1.1", "GET ? HTTP/1.1"]
    {
        let request = format!("{line}\r\nHost: a\r\nConnection: close\r\n\r\n");
        let answer = exchange(address, request.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 4"), "{line}: {answer}");
        // A request that the library accepts gets the server's own response.
        if !answer.starts_with("HTTP/1.1 400") {
            assert!(answer.contains("\"code\":\"not_found\""), "{line}: {answer}");
            assert!(answer.contains("cache-control: private, no-store\r\n"), "{line}: {answer}");
            assert!(answer.contains(REQUEST_ID), "{line}: {answer}");
        }
    }
}

#[actix_web::test]
async fn a_get_may_have_a_body_of_known_or_unknown_length() {
    let body = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        MemoryStore::SERVICE,
        MemoryStore::client_secret()
    );
    let known = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let unknown = format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let address = serve();
    for framed in [known, unknown] {
        let request = format!(
            "GET /api/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\n{framed}"
        );
        let answer = exchange(address, request.as_bytes()).await;
        assert_status(&answer, 200, &request);
        assert!(answer.contains("access:service"));
    }
}

// ADR 0014: responses that the library sends before there is a request.
#[actix_web::test]
async fn responses_of_the_library_are_bare_and_close_the_connection() {
    let address = serve();
    let refused = |line: &str, head: &str| format!("{line} HTTP/1.1\r\nHost: a\r\n{head}\r\n").into_bytes();
    for (request, status) in [
        (refused("GET /livez", &"X: y\r\n".repeat(97)), 431),
        ([b"GET /livez HTTP/1.1\r\nX: ".to_vec(), vec![b'y'; 128 * 1024 - 24]].concat(), 431),
        (refused(&format!("GET /livez?{}", "y".repeat(66_000)), ""), 400),
        (b"GET /livez?\xff HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(), 400),
        (b"GET /livez HTTP/1.1\r\nHost: a\r\nX".to_vec(), 408),
    ] {
        let shown = String::from_utf8_lossy(request.get(..40).unwrap_or(&request)).into_owned();
        let mut stream = TcpStream::connect(address).await.unwrap();
        // The server may respond and close before the request is fully sent.
        let _ = stream.write_all(&request).await;
        let mut received = Vec::new();
        let closed = tokio::time::timeout(READ_TIMEOUT, stream.read_to_end(&mut received)).await;
        assert!(closed.is_ok(), "{shown}: the connection stays open");
        let answer = String::from_utf8_lossy(&received);
        assert_status(&answer, status, &shown);
        assert!(
            answer.contains("content-length: 0\r\n") && answer.ends_with("\r\n\r\n"),
            "{shown}: {answer}"
        );
    }
}
