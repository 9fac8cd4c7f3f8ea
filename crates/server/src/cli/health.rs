//! `restwell health`: a probe for service managers and for images without another program.

use crate::settings::Settings;
use anyhow::{Context, bail};
use clap::Args;
use rustls::pki_types::ServerName;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tls_trust::Trust;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Response timeout.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Kind of check.
#[derive(Debug, Args)]
#[command(after_help = "Example, in a container:\n  restwell health --ready\n\n\
    Uses the address in the settings. The exit code is 0 if the server is healthy.")]
pub(crate) struct HealthArguments {
    /// Check readiness instead of liveness
    #[arg(long)]
    ready: bool,
}

/// Sends a request to the server at the address of the settings.
pub(crate) async fn run(arguments: &HealthArguments, settings: &Settings) -> anyhow::Result<()> {
    let path = if arguments.ready { "/readyz" } else { "/livez" };
    let address = reachable(settings.server.listen);
    let by_tls = settings.server.tls_files()?.is_some();
    let asked = tokio::time::timeout(RESPONSE_TIMEOUT, status_of(address, by_tls, path)).await;
    let status = asked
        .context("the server did not respond in time")
        .flatten()
        .with_context(|| format!("{address}{path}"))?;
    if status == "200" { Ok(()) } else { bail!("{address}{path} returned {status}") }
}

/// Returns an address to connect to; the loopback address if the server listens on all.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let here = match listen.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(here, listen.port())
}

/// Returns the status of a response, as in its first line.
async fn status_of(address: SocketAddr, by_tls: bool, path: &str) -> anyhow::Result<String> {
    let connection = TcpStream::connect(address).await.context("no server is listening")?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    if by_tls {
        // The certificate is not checked: it names no IP address, the request contains no secret, and only a
        // status is read. A certificate renewed a moment ago, which the server has not reloaded yet, must not
        // fail the probe.
        let connector = TlsConnector::from(Arc::new(tls_trust::client_config(Trust::AnyServer)?));
        let name = ServerName::IpAddress(address.ip().into());
        let connection =
            connector.connect(name, connection).await.context("the server does not speak TLS")?;
        exchange(connection, &request).await
    } else {
        exchange(connection, &request).await
    }
}

/// Sends a request and returns the status of its response.
async fn exchange(
    mut connection: impl AsyncRead + AsyncWrite + Unpin,
    request: &str,
) -> anyhow::Result<String> {
    connection.write_all(request.as_bytes()).await?;
    connection.flush().await?;
    let mut line = Vec::new();
    BufReader::new(connection.take(4096)).read_until(b'\n', &mut line).await?;
    let line = String::from_utf8_lossy(&line);
    let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.split([' ', '\r']).next());
    status.map(str::to_owned).context("the response is not HTTP")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_listens_on_all_addresses_is_probed_on_loopback() {
        let of = |listen: &str| reachable(listen.parse().unwrap()).to_string();
        assert_eq!(of("0.0.0.0:8080"), "127.0.0.1:8080");
        assert_eq!(of("[::]:8080"), "[::1]:8080");
        assert_eq!(of("10.1.2.3:8080"), "10.1.2.3:8080");
    }

    #[tokio::test]
    async fn a_closed_port_and_a_server_without_http_are_distinguished() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answering = async {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut request = [0; 512];
            assert!(connection.read(&mut request).await.unwrap() > 0);
            connection.write_all(b"220 mail.example.org\r\n").await.unwrap();
        };
        let (asked, ()) = tokio::join!(status_of(address, false, "/livez"), answering);
        assert_eq!(asked.unwrap_err().to_string(), "the response is not HTTP");
        drop(listener);
        assert_eq!(
            status_of(address, false, "/livez").await.unwrap_err().to_string(),
            "no server is listening"
        );
    }
}
