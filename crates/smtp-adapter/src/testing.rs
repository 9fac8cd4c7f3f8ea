//! An SMTP server for tests that records what it receives and misbehaves on request.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::PrivateKeyDer;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Misbehaviour in place of a normal reply.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Misbehaviour {
    /// Sends this reply.
    Say(&'static str),
    /// Sends nothing and keeps the connection open.
    Hang,
    /// Closes the connection.
    Drop,
}

/// A self-signed certificate for `localhost` with the server's TLS configuration.
pub(crate) struct Identity {
    pub(crate) certificate: Vec<u8>,
    acceptor: TlsAcceptor,
}

impl Identity {
    pub(crate) fn new() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        Self { certificate: cert.der().to_vec(), acceptor: TlsAcceptor::from(Arc::new(config)) }
    }
}

/// Behaviour of the server.
#[derive(Default)]
pub(crate) struct Behaviour {
    /// Misbehaviour per prefix of a line. `greeting` stands for the connection, `.` for the end of a text.
    pub(crate) instead: Vec<(&'static str, Misbehaviour)>,
    /// Extensions offered besides encryption.
    pub(crate) extensions: Vec<&'static str>,
    /// Encrypts from the first byte.
    pub(crate) implicit: Option<TlsAcceptor>,
    /// Offers STARTTLS.
    pub(crate) starttls: Option<TlsAcceptor>,
}

impl Behaviour {
    pub(crate) fn instead(line: &'static str, instead: Misbehaviour) -> Self {
        Self { instead: vec![(line, instead)], ..Self::default() }
    }

    pub(crate) fn with_implicit(identity: &Identity) -> Self {
        Self { implicit: Some(identity.acceptor.clone()), ..Self::default() }
    }

    pub(crate) fn with_starttls(identity: &Identity) -> Self {
        Self { starttls: Some(identity.acceptor.clone()), ..Self::default() }
    }
}

/// Messages and commands that the server received.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript {
    /// Unencrypted commands, without line ends.
    pub(crate) in_clear: Vec<String>,
    /// Encrypted commands.
    pub(crate) encrypted: Vec<String>,
    /// Message texts with dot stuffing removed.
    pub(crate) texts: Vec<String>,
}

/// A running server on a loopback port; ends with the runtime of its test.
pub(crate) struct MailServer {
    pub(crate) port: u16,
    heard: Arc<Mutex<Transcript>>,
}

impl MailServer {
    pub(crate) async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Transcript::default()));
        let visit = SmtpSession { behaviour: Arc::new(behaviour), heard: Arc::clone(&heard) };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(visit.clone().run(stream));
            }
        });
        Self { port, heard }
    }

    /// Returns everything received so far that was replied to.
    pub(crate) fn transcript(&self) -> Transcript {
        self.heard.lock().unwrap().clone()
    }
}

trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

type Lines = BufReader<Box<dyn Wire>>;

#[derive(Clone)]
struct SmtpSession {
    behaviour: Arc<Behaviour>,
    heard: Arc<Mutex<Transcript>>,
}

/// Next state of a connection.
enum Next {
    Reply(&'static str),
    Encrypt(TlsAcceptor),
    Text,
    End,
}

impl SmtpSession {
    /// Serves one client until it disconnects or the connection fails.
    async fn run(self, stream: TcpStream) {
        let _ = match &self.behaviour.implicit {
            Some(acceptor) => match acceptor.accept(stream).await {
                Ok(stream) => self.run_session(BufReader::new(Box::new(stream)), true, true).await,
                Err(_) => Ok(()),
            },
            None => self.run_session(BufReader::new(Box::new(stream)), false, true).await,
        };
    }

    async fn run_session(&self, mut lines: Lines, is_encrypted: bool, greets: bool) -> std::io::Result<()> {
        if greets && !self.answer(&mut lines, "greeting", "220 mail.example ready").await? {
            return Ok(());
        }
        let mut line = String::new();
        while lines.read_line(&mut line).await? > 0 {
            let command = std::mem::take(&mut line).trim_end().to_owned();
            let next = self.next(&command, is_encrypted);
            self.write_down(command.clone(), is_encrypted);
            let goes_on = match next {
                Next::Reply(usual) => self.answer(&mut lines, &command, usual).await?,
                Next::Text => {
                    self.answer(&mut lines, &command, "354 go on").await?
                        && self.listen(&mut lines).await?
                        && self.answer(&mut lines, ".", "250 taken").await?
                }
                Next::Encrypt(acceptor) => {
                    if self.answer(&mut lines, &command, "220 go on").await? {
                        let stream = acceptor.accept(lines.into_inner()).await?;
                        Box::pin(self.run_session(BufReader::new(Box::new(stream)), true, false)).await?;
                    }
                    return Ok(());
                }
                Next::End => {
                    self.answer(&mut lines, &command, "221 bye").await?;
                    false
                }
            };
            if !goes_on {
                return Ok(());
            }
        }
        Ok(())
    }

    fn next(&self, command: &str, is_encrypted: bool) -> Next {
        let starttls = self.behaviour.starttls.as_ref().filter(|_| !is_encrypted);
        match (command.split(' ').next().unwrap_or_default(), starttls) {
            ("EHLO", _) => Next::Reply("EHLO"),
            ("STARTTLS", Some(acceptor)) => Next::Encrypt(acceptor.clone()),
            ("AUTH", _) => Next::Reply("235 welcome"),
            ("MAIL" | "RCPT", _) => Next::Reply("250 good"),
            ("DATA", _) => Next::Text,
            ("QUIT", _) => Next::End,
            _ => Next::Reply("500 what?"),
        }
    }

    /// Replies as configured; returns whether the connection continues.
    async fn answer(&self, lines: &mut Lines, command: &str, usual: &str) -> std::io::Result<bool> {
        let scripted = self.behaviour.instead.iter().find(|(line, _)| command.starts_with(line));
        let text = match scripted.map(|(_, instead)| *instead) {
            Some(Misbehaviour::Hang) => return std::future::pending().await,
            Some(Misbehaviour::Drop) => return Ok(false),
            Some(Misbehaviour::Say(text)) => format!("{text}\r\n"),
            None if usual == "EHLO" => self.abilities(),
            None => format!("{usual}\r\n"),
        };
        lines.write_all(text.as_bytes()).await?;
        lines.flush().await?;
        Ok(true)
    }

    fn abilities(&self) -> String {
        let starttls = self.behaviour.starttls.as_ref().map(|_| "STARTTLS");
        let extensions = self.behaviour.extensions.iter().copied();
        let lines: Vec<&str> = ["mail.example"].into_iter().chain(extensions).chain(starttls).collect();
        format!("250-{}\r\n250 HELP\r\n", lines.join("\r\n250-"))
    }

    async fn listen(&self, lines: &mut Lines) -> std::io::Result<bool> {
        let (mut text, mut line) = (String::new(), String::new());
        while lines.read_line(&mut line).await? > 0 {
            if line == ".\r\n" {
                self.heard.lock().unwrap().texts.push(text);
                return Ok(true);
            }
            text.push_str(line.strip_prefix('.').unwrap_or(&line));
            line.clear();
        }
        Ok(false)
    }

    fn write_down(&self, command: String, is_encrypted: bool) {
        let mut heard = self.heard.lock().unwrap();
        if is_encrypted { heard.encrypted.push(command) } else { heard.in_clear.push(command) }
    }
}
