//! A receiver of webhooks on a loopback port.

use aws_lc_rs::hmac::{HMAC_SHA256, Key, verify};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// How messages other than challenges are answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// With this status.
    Status(u16),
    /// With 204, after this time.
    After(Duration),
    /// With the end of the connection.
    Close,
    /// Never.
    Silence,
}

/// A received message.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) id: String,
    timestamp: String,
    signatures: Vec<String>,
    body: String,
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
    messages: Arc<Mutex<Vec<Message>>>,
    answer: Arc<Mutex<Answer>>,
    task: JoinHandle<()>,
}

impl Receiver {
    /// Starts on a free port. Challenges are answered, and other messages with 204.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("port");
        let url = format!("http://{}/hook", listener.local_addr().expect("address"));
        let messages = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(Mutex::new(Answer::Status(204)));
        let (taken, given) = (messages.clone(), answer.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (taken, given) = (taken.clone(), given.clone());
                tokio::spawn(async move { serve(stream, &taken, &given).await });
            }
        });
        Self { url, messages, answer, task }
    }

    pub(crate) fn answer_with(&self, answer: Answer) {
        *self.answer.lock().expect("answer") = answer;
    }

    /// Returns the messages of this type so far.
    pub(crate) fn messages(&self, kind: &str) -> Vec<Message> {
        let messages = self.messages.lock().expect("messages");
        messages.iter().filter(|message| message.kind() == kind).cloned().collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, taken: &Mutex<Vec<Message>>, given: &Mutex<Answer>) -> Option<()> {
    let message = read(&mut stream).await?;
    let challenge = message.json()["data"]["challenge"].as_str().map(str::to_owned);
    taken.lock().expect("messages").push(message);
    let answer = *given.lock().expect("answer");
    let (status, body) = match (challenge, answer) {
        (Some(challenge), _) => (200, challenge),
        (None, Answer::Status(status)) => (status, String::new()),
        (None, Answer::After(pause)) => {
            tokio::time::sleep(pause).await;
            (204, String::new())
        }
        (None, Answer::Close) => return None,
        (None, Answer::Silence) => {
            tokio::time::sleep(Duration::from_mins(2)).await;
            return None;
        }
    };
    let response = format!(
        "HTTP/1.1 {status} X\r\nlocation: /elsewhere\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(response.as_bytes()).await.ok()
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
