//! A relay between proxy and replica that loses the responses to chosen requests.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};

/// Request whose response was lost.
#[derive(Debug)]
pub(super) struct LostResponse {
    /// Number of the relay.
    pub(super) relay: usize,
    /// First line of the request.
    pub(super) line: String,
    /// Complete response.
    pub(super) answer: String,
}

/// Requests whose responses are lost, on all relays of a test.
pub(super) struct LostResponses {
    /// Prefix of their first line.
    prefix: String,
    /// Number of responses still to be lost.
    left: AtomicUsize,
    lost: mpsc::UnboundedSender<LostResponse>,
    /// Permit required before each connection is closed.
    pub(super) gate: Semaphore,
}

impl LostResponses {
    /// Loses the responses to this many requests whose first line has the prefix.
    pub(super) fn new(prefix: &str, count: usize) -> (Arc<Self>, mpsc::UnboundedReceiver<LostResponse>) {
        let (lost, losses) = mpsc::unbounded_channel();
        let gate = Semaphore::new(0);
        (Arc::new(Self { prefix: prefix.to_owned(), left: AtomicUsize::new(count), lost, gate }), losses)
    }

    fn hits(&self, head: &str) -> bool {
        let one_less = |left: usize| left.checked_sub(1);
        head.starts_with(&self.prefix)
            && self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok()
    }
}

/// Starts the relay with this number to a replica; returns its address.
pub(super) async fn relay(number: usize, replica: &str, losses: &Arc<LostResponses>) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("port");
    let address = listener.local_addr().expect("address").to_string();
    let (replica, losses) = (replica.to_owned(), losses.clone());
    tokio::spawn(async move {
        while let Ok((caller, _)) = listener.accept().await {
            let (replica, losses) = (replica.clone(), losses.clone());
            tokio::spawn(async move { carry(number, caller, &replica, &losses).await });
        }
    });
    address
}

/// Forwards one request and its response, and closes the connection, so that each request is inspected.
async fn carry(relay: usize, mut caller: TcpStream, replica: &str, losses: &LostResponses) -> Option<()> {
    let head = head_of(&mut caller).await?;
    let (line, rest) = head.split_once("\r\n")?;
    let mut server = TcpStream::connect(replica).await.ok()?;
    server.write_all(format!("{line}\r\nConnection: close\r\n{rest}").as_bytes()).await.ok()?;
    let is_lost = losses.hits(&head);
    let (mut from_caller, mut to_caller) = caller.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let upwards = tokio::spawn(async move {
        let _ = copy(&mut from_caller, &mut to_server).await;
        // Kept until the response arrives: a replica aborts a request whose caller disconnects.
        (from_caller, to_server)
    });
    if is_lost {
        let mut answer = Vec::new();
        from_server.read_to_end(&mut answer).await.ok()?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        losses.lost.send(LostResponse { relay, line: line.to_owned(), answer }).ok()?;
        losses.gate.acquire().await.ok()?.forget();
    } else {
        let _ = copy(&mut from_server, &mut to_caller).await;
        let _ = to_caller.shutdown().await;
    }
    upwards.abort();
    Some(())
}

/// Reads the head, without `Connection`, which is hop-by-hop.
async fn head_of(caller: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(caller.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let lines = head.split_inclusive("\r\n");
    Some(lines.filter(|line| !line.to_ascii_lowercase().starts_with("connection:")).collect())
}
