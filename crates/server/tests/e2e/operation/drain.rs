//! Shutdown: load balancers are notified, no request is lost, and the server terminates.

use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use reqwest::StatusCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn world(drain_seconds: &str, stop_seconds: &str) -> World {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    world
        .with("RESTWELL__SERVER__DRAIN_SECONDS", drain_seconds)
        .with("RESTWELL__SERVER__STOP_SECONDS", stop_seconds)
}

/// Connection that is kept open between requests.
struct Connection(TcpStream);

impl Connection {
    async fn open(server: &Server) -> Self {
        Self(TcpStream::connect(server.address()).await.expect("connection"))
    }

    /// Sends a request and returns the head of the response in lower case, after reading its body; `None` if
    /// the connection was lost.
    async fn ask(&mut self, path: &str) -> Option<String> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: restwell\r\n\r\n");
        self.0.write_all(request.as_bytes()).await.ok()?;
        let mut received = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&received).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let head = head.to_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                if body.len() == length.expect("length").parse::<usize>().expect("number") {
                    return Some(head);
                }
            }
            let mut more = [0; 4096];
            let read = self.0.read(&mut more).await.ok().filter(|read| *read > 0)?;
            received.extend(&more[..read]);
        }
    }

    async fn is_closed(&mut self) -> bool {
        self.0.read(&mut [0; 1]).await.is_ok_and(|read| read == 0)
    }
}

fn is_last(head: &str) -> bool {
    head.contains("\r\nconnection: close")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_server_is_unready_at_once_and_serves_each_connection_once_more() {
    let world = world("5", "40").await;
    let mut server = world.serve();
    let mut open = Connection::open(&server).await;
    let head = open.ask("/readyz").await.expect("answer");
    assert!(head.starts_with("http/1.1 200") && !is_last(&head), "{head}");
    server.signal("TERM");
    let signalled_at = Instant::now();
    // As soon as the signal has arrived, while new connections are still accepted.
    let unready = eventually("it is not ready", async || {
        let answer = reqwest::get(format!("{}/readyz", server.base_url)).await;
        let answer = answer.expect("new connections are taken");
        (answer.status() == StatusCode::SERVICE_UNAVAILABLE).then_some(answer)
    })
    .await;
    assert_eq!(unready.headers()["connection"], "close");
    let body: serde_json::Value = unready.json().await.expect("JSON");
    assert_eq!((&body["code"], &body["detail"]), (&"not_ready".into(), &"Failed: drain.".into()));
    let mut new = Connection::open(&server).await;
    for connection in [&mut open, &mut new] {
        let head = connection.ask("/livez").await.expect("requests are served");
        assert!(head.starts_with("http/1.1 200") && is_last(&head), "{head}");
        assert!(connection.is_closed().await);
    }
    assert!(server.is_running());
    assert_eq!(server.wait(), Some(0));
    let took = signalled_at.elapsed();
    assert!(took >= Duration::from_secs(5), "{took:?}");
}

/// Sends requests with pauses of 0 to 16 ms, as a load balancer does, until a response closes the connection.
async fn ask_until_asked_to_close(mut connection: Connection, warm: Arc<AtomicUsize>) -> Result<u32, u32> {
    let mut answered = 0;
    loop {
        let Some(head) = connection.ask("/livez").await else { return Err(answered) };
        answered += 1;
        if is_last(&head) {
            return Ok(answered);
        }
        if answered == 2 {
            warm.fetch_add(1, Ordering::SeqCst);
        }
        // Short pauses of different lengths.
        tokio::time::sleep(Duration::from_millis(u64::from(answered % 17))).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_on_an_open_connection_is_lost_when_a_server_stops() {
    const CONNECTIONS: usize = 40;
    let world = world("5", "40").await;
    let mut server = world.serve();
    let (mut tasks, warm) = (Vec::new(), Arc::new(AtomicUsize::new(0)));
    for _ in 0..CONNECTIONS {
        tasks.push(tokio::spawn(ask_until_asked_to_close(Connection::open(&server).await, warm.clone())));
    }
    let all_go_on = async || (warm.load(Ordering::SeqCst) == CONNECTIONS).then_some(());
    eventually("every connection is kept for a second request", all_go_on).await;
    server.signal("TERM");
    for task in tasks {
        let answered = task.await.expect("task").expect("a connection was lost during a request");
        assert!(answered > 1);
    }
    assert_eq!(server.wait(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_signal_stops_the_server_at_once() {
    let world = world("300", "600").await;
    let mut server = world.serve();
    server.signal("TERM");
    let mut connection = Connection::open(&server).await;
    while connection.ask("/livez").await.is_some_and(|head| !is_last(&head)) {}
    assert!(server.is_running());
    server.signal("TERM");
    // The timeout of this wait is shorter than the drain.
    assert_eq!(server.wait(), Some(0));
    assert!(server.log().contains("stopping now"), "{}", server.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ctrl_c_does_not_wait_for_load_balancers() {
    let world = world("300", "600").await;
    let mut server = world.serve();
    server.signal("INT");
    // The timeout of this wait is shorter than the drain.
    assert_eq!(server.wait(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_timeout_not_longer_than_the_drain_is_rejected() {
    let output = world("8", "8").await.run(&["serve"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("server.stop_seconds must exceed server.drain_seconds"), "{message}");
}
