//! A relay between a server and its Postgres database.

use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use url::Url;

/// State of the connections to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Bytes are forwarded.
    Up,
    /// Requests are forwarded after this delay.
    Slow(Duration),
    /// Connections are closed, new ones too.
    Cut,
    /// Connections stay open, and nothing is forwarded.
    Silent,
}

impl Line {
    const fn forwards(self) -> bool {
        matches!(self, Self::Up | Self::Slow(_))
    }
}

/// Running relay.
pub(crate) struct Relay {
    port: u16,
    line: watch::Sender<Line>,
}

impl Relay {
    /// Starts a relay to the database in a URL.
    pub(crate) async fn start(url: &str, line: Line) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("port");
        let port = listener.local_addr().expect("address").port();
        let (line, state) = watch::channel(line);
        let target = Target::new(url);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, target.clone(), state.clone()));
            }
        });
        Self { port, line }
    }

    pub(crate) fn set(&self, line: Line) {
        self.line.send_replace(line);
    }

    /// Replaces the address in a URL by the relay's.
    pub(crate) fn url_of(&self, url: &str) -> String {
        let mut parsed = Url::parse(url).expect("URL");
        parsed.set_host(Some("127.0.0.1")).expect("host");
        parsed.set_port(Some(self.port)).expect("port");
        parsed.set_query(Some("sslmode=disable"));
        parsed.into()
    }

    /// Connects as a client.
    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).await.expect("connection")
    }
}

/// Address of the database.
#[derive(Clone)]
enum Target {
    Unix(PathBuf),
    Tcp(String),
}

impl Target {
    fn new(url: &str) -> Self {
        let parsed = Url::parse(url).expect("URL");
        let host = parsed.host_str().expect("host").replace("%2F", "/");
        let port = parsed.port().unwrap_or(5432);
        if host.starts_with('/') {
            Self::Unix(PathBuf::from(host).join(format!(".s.PGSQL.{port}")))
        } else {
            Self::Tcp(format!("{host}:{port}"))
        }
    }
}

/// Forwards one connection while the line does.
async fn carry(mut client: TcpStream, target: Target, mut state: watch::Receiver<Line>) {
    let line = *state.borrow();
    if line.forwards() {
        let carried = async {
            match target {
                Target::Unix(path) => forward(&mut client, UnixStream::connect(path).await?, line).await,
                Target::Tcp(address) => forward(&mut client, TcpStream::connect(address).await?, line).await,
            }
        };
        tokio::select! {
            _ = carried => return,
            _ = state.wait_for(|line| !line.forwards()) => {}
        }
    }
    // A silent connection stays so until the line is up again; then it is dead.
    let _ = state.wait_for(|line| *line != Line::Silent).await;
    let _ = client.shutdown().await;
}

/// Forwards data in both directions. A slow line delays each part of a request, to simulate latency.
async fn forward(
    client: &mut TcpStream,
    server: impl AsyncRead + AsyncWrite + Unpin,
    line: Line,
) -> std::io::Result<()> {
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = tokio::io::split(server);
    let upwards = async {
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from_client.read(&mut bytes).await {
            if let Line::Slow(delay) = line {
                tokio::time::sleep(delay).await;
            }
            to_server.write_all(&bytes[..length]).await?;
        }
        std::io::Result::Ok(())
    };
    tokio::select! {
        outcome = upwards => outcome,
        outcome = copy(&mut from_server, &mut to_client) => outcome.map(drop),
    }
}
