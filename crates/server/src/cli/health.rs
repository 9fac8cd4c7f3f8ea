//! `restwell health`: the probe of an image that has no other program, and of service managers.

use crate::settings::Settings;
use anyhow::{Context, bail};
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is asked.
#[derive(Debug, Args)]
#[command(after_help = "Example, in a container:\n  restwell health --ready\n\n\
    Asks the server of the same settings on this machine. Exit code 0: it answered that it is well.")]
pub(crate) struct HealthArguments {
    /// Ask whether it can serve requests now, not only whether it lives
    #[arg(long)]
    ready: bool,
}

/// Asks the server that listens where the settings say.
pub(crate) async fn run(arguments: &HealthArguments, settings: &Settings) -> anyhow::Result<()> {
    let path = if arguments.ready { "/readyz" } else { "/livez" };
    let address = reachable(settings.server.listen);
    let asked = tokio::time::timeout(PATIENCE, status_of(address, path)).await;
    let status =
        asked.context("it did not answer in time").flatten().with_context(|| format!("{address}{path}"))?;
    if status == "200" { Ok(()) } else { bail!("{address}{path} answered {status}") }
}

/// Returns an address that can be connected to: a server that listens everywhere is here too.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let here = match listen.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(here, listen.port())
}

/// Returns the status of an answer, as it is written in the first line.
async fn status_of(address: SocketAddr, path: &str) -> anyhow::Result<String> {
    let mut connection = TcpStream::connect(address).await.context("nobody listens")?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    connection.take(4096).read_to_end(&mut answer).await?;
    let head = String::from_utf8_lossy(&answer);
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.split(' ').next());
    status.map(str::to_owned).context("what answered is no HTTP server")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_listens_everywhere_is_asked_on_this_machine() {
        let of = |listen: &str| reachable(listen.parse().unwrap()).to_string();
        assert_eq!(of("0.0.0.0:8080"), "127.0.0.1:8080");
        assert_eq!(of("[::]:8080"), "[::1]:8080");
        assert_eq!(of("10.1.2.3:8080"), "10.1.2.3:8080");
    }

    #[tokio::test]
    async fn what_is_no_http_server_and_a_port_of_nobody_are_told_apart() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answering = async {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut request = [0; 512];
            assert!(connection.read(&mut request).await.unwrap() > 0);
            connection.write_all(b"220 mail.example.org\r\n").await.unwrap();
        };
        let (asked, ()) = tokio::join!(status_of(address, "/livez"), answering);
        assert_eq!(asked.unwrap_err().to_string(), "what answered is no HTTP server");
        drop(listener);
        assert_eq!(status_of(address, "/livez").await.unwrap_err().to_string(), "nobody listens");
    }
}
