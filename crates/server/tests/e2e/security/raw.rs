//! Raw bytes on a socket, as no library would send them.

use crate::e2e::server::Server;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Timeout of a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(45);

/// Connects to a server.
pub(super) async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address()).await.expect("connection")
}

/// Sends a request that ends the connection, and returns the complete response.
///
/// The server must close: a request that leaves it waiting for more counts as a hang.
pub(super) async fn exchange(server: &Server, request: &[u8]) -> String {
    let mut stream = connect(server).await;
    // A server may reject and close before everything is sent.
    let _ = stream.write_all(request).await;
    read_to_end(&mut stream).await
}

/// Reads until the server closes.
pub(super) async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut received = Vec::new();
    let ended = timeout(RESPONSE_TIMEOUT, stream.read_to_end(&mut received)).await;
    let text = String::from_utf8_lossy(&received).into_owned();
    // A reset after the response is a valid end.
    assert!(ended.is_ok(), "the server neither answers to the end nor closes; so far: {text}");
    text
}

/// Returns the status of a raw response.
#[track_caller]
pub(super) fn status_of(answer: &str) -> u16 {
    let status = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    status.and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("no HTTP answer: {answer:?}"))
}
