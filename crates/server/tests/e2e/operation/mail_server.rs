//! A mail server on a loopback port that records messages.

use crate::e2e::world::World;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Timeout for a message: the outbox is polled every second.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(30);

/// Received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) to: String,
    /// Headers and text, decoded.
    pub(crate) text: String,
}

impl Message {
    /// Returns the path and the query of the link in it, which must exist.
    #[track_caller]
    pub(crate) fn link(&self) -> String {
        let line = self.text.lines().find(|line| line.contains("/set-password?link="));
        let line = line.unwrap_or_else(|| panic!("no link: {self:?}"));
        line.split_once("/set-password").map(|(_, query)| format!("/set-password{query}")).expect("path")
    }

    /// Returns the secret of the link in it.
    #[track_caller]
    pub(crate) fn secret(&self) -> String {
        self.link().split_once('=').map(|(_, secret)| secret.to_owned()).expect("secret")
    }
}

/// Reply of the server to a message.
#[derive(Clone, Copy)]
pub(crate) enum Verdict {
    /// The message is accepted.
    Accepted,
    /// The client should retry later.
    Later,
}

/// Mail server; stopped on drop.
pub(crate) struct MailServer {
    pub(crate) port: u16,
    messages: Arc<Mutex<Vec<Message>>>,
    task: JoinHandle<()>,
}

impl MailServer {
    /// Starts on a free port.
    pub(crate) async fn start() -> Self {
        Self::start_at(0, Verdict::Accepted).await
    }

    /// Starts on a port.
    pub(crate) async fn start_at(port: u16, verdict: Verdict) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("port");
        let port = listener.local_addr().expect("address").port();
        let messages = Arc::new(Mutex::new(Vec::new()));
        let taken = messages.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let taken = taken.clone();
                // A failed conversation shows in the recorded messages.
                tokio::spawn(async move { serve_connection(stream, verdict, &taken).await });
            }
        });
        Self { port, messages, task }
    }

    /// Returns the messages received so far.
    pub(crate) fn messages(&self) -> Vec<Message> {
        self.messages.lock().expect("messages").clone()
    }

    /// Waits for this many messages.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Message> {
        let started = Instant::now();
        while self.messages().len() < count {
            assert!(
                started.elapsed() < DELIVERY_TIMEOUT,
                "{} of {count} messages came",
                self.messages().len()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.messages()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Makes a world's servers send their email to a local port.
pub(crate) fn with_mail(world: World, port: u16) -> World {
    world
        .with("RESTWELL__MAIL__HOST", "127.0.0.1")
        .with("RESTWELL__MAIL__TLS", "none")
        .with("RESTWELL__MAIL__PORT", &port.to_string())
}

/// Returns a port without a listener.
pub(crate) async fn closed_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("port");
    listener.local_addr().expect("address").port()
}

async fn serve_connection(
    stream: TcpStream,
    verdict: Verdict,
    messages: &Mutex<Vec<Message>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream);
    say(&mut lines, "220 mail.example ready").await?;
    let (mut line, mut to) = (String::new(), String::new());
    while lines.read_line(&mut line).await? > 0 {
        let command = std::mem::take(&mut line).trim_end().to_owned();
        match command.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" | "MAIL" | "RSET" | "NOOP" => say(&mut lines, "250 good").await?,
            "RCPT" => {
                to = command.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                say(&mut lines, "250 good").await?;
            }
            "DATA" => {
                say(&mut lines, "354 go on").await?;
                let text = listen(&mut lines).await?;
                let message = Message { to: to.clone(), text: decoded(&text) };
                messages.lock().expect("messages").push(message);
                let answer = match verdict {
                    Verdict::Accepted => "250 taken",
                    Verdict::Later => "451 come back later",
                };
                say(&mut lines, answer).await?;
            }
            "QUIT" => return say(&mut lines, "221 bye").await,
            _ => say(&mut lines, "500 what?").await?,
        }
    }
    Ok(())
}

async fn say(lines: &mut BufReader<TcpStream>, text: &str) -> std::io::Result<()> {
    lines.write_all(format!("{text}\r\n").as_bytes()).await?;
    lines.flush().await
}

/// Reads a text to its end and removes the doubled dots at the start of lines.
async fn listen(lines: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let (mut text, mut line) = (String::new(), String::new());
    while lines.read_line(&mut line).await? > 0 && line != ".\r\n" {
        text.push_str(line.strip_prefix('.').unwrap_or(&line).trim_end_matches(['\r', '\n']));
        text.push('\n');
        line.clear();
    }
    Ok(text)
}

/// Decodes quoted-printable (RFC 2045 section 6.7).
fn decoded(text: &str) -> String {
    if !text.contains("Content-Transfer-Encoding: quoted-printable") {
        return text.to_owned();
    }
    let (head, body) = text.split_once("\n\n").expect("headers and a text");
    let joined = body.replace("=\n", "");
    let mut parts = joined.split('=');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).expect("two digits");
        bytes.push(u8::from_str_radix(digits, 16).expect("hexadecimal"));
        bytes.extend(rest.as_bytes());
    }
    format!("{head}\n\n{}", String::from_utf8(bytes).expect("UTF-8"))
}
