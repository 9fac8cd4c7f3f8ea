//! A receiver of webhooks on a loopback port.

use aws_lc_rs::hmac::{HMAC_SHA256, Key, verify};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// How messages other than challenges are answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReceiverResponse {
    /// With this status.
    Status(u16),
    /// With 204, after this time.
    After(Duration),
    /// With 204, once [`Receiver::release`] allows it.
    Delayed,
    /// With the end of the connection.
    Close,
    /// Never.
    Silence,
}

/// A received message.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) timestamp: String,
    signatures: Vec<String>,
    pub(crate) body: String,
}

impl Message {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    pub(crate) fn kind(&self) -> String {
        self.json()["type"].as_str().expect("type").to_owned()
    }

    /// Returns whether one of the signatures is that of this secret.
    pub(crate) fn is_signed_with(&self, secret: &str) -> bool {
        let secret = STANDARD.decode(secret.strip_prefix("whsec_").expect("prefix")).expect("base64");
        let key = Key::new(HMAC_SHA256, &secret);
        let text = format!("{}.{}.{}", self.id, self.timestamp, self.body);
        let tags = self.signatures.iter().filter_map(|signature| signature.strip_prefix("v1,"));
        let mut tags = tags.map(|tag| STANDARD.decode(tag).expect("base64"));
        tags.any(|tag| verify(&key, text.as_bytes(), &tag).is_ok())
    }
}

/// Receiver; stopped on drop.
pub(crate) struct Receiver {
    pub(crate) url: String,
    state: Arc<State>,
    task: JoinHandle<()>,
}

/// State shared by the connections of a receiver.
struct State {
    messages: Mutex<Vec<Message>>,
    answer: Mutex<ReceiverResponse>,
    /// Permits to respond to a delayed message.
    released: Semaphore,
    traffic: Mutex<Traffic>,
}

/// Messages other than challenges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    /// Messages that were received and not answered yet.
    pub(crate) in_flight: usize,
    /// Largest number of these so far.
    pub(crate) peak: usize,
    /// Answers that the sender has read: it closed the connection afterwards.
    pub(crate) read: usize,
}

impl Receiver {
    /// Starts on a free port. Challenges are answered, and other messages with 204.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("port");
        let url = format!("http://{}/hook", listener.local_addr().expect("address"));
        let state = Arc::new(State {
            messages: Mutex::default(),
            answer: Mutex::new(ReceiverResponse::Status(204)),
            released: Semaphore::new(0),
            traffic: Mutex::default(),
        });
        let shared = state.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = shared.clone();
                tokio::spawn(async move { serve(stream, &state).await });
            }
        });
        Self { url, state, task }
    }

    pub(crate) fn answer_with(&self, answer: ReceiverResponse) {
        *self.state.answer.lock().expect("answer") = answer;
    }

    /// Responds to this many delayed messages, including later ones if there are fewer.
    pub(crate) fn release(&self, count: usize) {
        self.state.released.add_permits(count);
    }

    pub(crate) fn traffic(&self) -> Traffic {
        *self.state.traffic.lock().expect("traffic")
    }

    /// Returns the messages of this type so far.
    pub(crate) fn messages(&self, kind: &str) -> Vec<Message> {
        let messages = self.state.messages.lock().expect("messages");
        messages.iter().filter(|message| message.kind() == kind).cloned().collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, state: &State) -> Option<()> {
    let message = read(&mut stream).await?;
    let challenge = message.json()["data"]["challenge"].as_str().map(str::to_owned);
    if let Some(challenge) = challenge {
        state.messages.lock().expect("messages").push(message);
        return respond(&mut stream, 200, &challenge).await;
    }
    state.begin(message);
    let status = state.status().await;
    // Before the response, after which the sender may start the next delivery.
    state.traffic.lock().expect("traffic").in_flight -= 1;
    respond(&mut stream, status?, "").await?;
    while stream.read(&mut [0; 64]).await.ok()? > 0 {}
    state.traffic.lock().expect("traffic").read += 1;
    Some(())
}

async fn respond(stream: &mut TcpStream, status: u16, body: &str) -> Option<()> {
    let response = format!(
        "HTTP/1.1 {status} X\r\nlocation: /elsewhere\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(response.as_bytes()).await.ok()
}

impl State {
    fn begin(&self, message: Message) {
        let mut traffic = self.traffic.lock().expect("traffic");
        traffic.in_flight += 1;
        traffic.peak = traffic.peak.max(traffic.in_flight);
        self.messages.lock().expect("messages").push(message);
    }

    /// Returns the status to respond with, after the delay that the test chose; `None` closes the connection.
    async fn status(&self) -> Option<u16> {
        let answer = *self.answer.lock().expect("answer");
        match answer {
            ReceiverResponse::Status(status) => Some(status),
            ReceiverResponse::After(pause) => {
                tokio::time::sleep(pause).await;
                Some(204)
            }
            ReceiverResponse::Delayed => {
                self.released.acquire().await.ok()?.forget();
                Some(204)
            }
            ReceiverResponse::Close => None,
            ReceiverResponse::Silence => std::future::pending().await,
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Message> {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&part[..read]);
        let text = String::from_utf8(bytes.clone()).ok()?;
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let field = |name: &str| {
            let mut fields = head.lines().filter_map(|line| line.split_once(": "));
            fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
        };
        if body.len() < field("content-length")?.parse::<usize>().ok()? {
            continue;
        }
        let signatures = field("webhook-signature")?.split(' ').map(str::to_owned).collect();
        let (id, timestamp) = (field("webhook-id")?, field("webhook-timestamp")?);
        return Some(Message { id, timestamp, signatures, body: body.to_owned() });
    }
}
