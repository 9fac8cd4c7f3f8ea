//! A certificate authority for tests, and clients that trust it.

use crate::e2e::server::Server;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ProtocolVersion, RootCertStore, ServerConfig, SupportedProtocolVersion};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Both supported versions.
pub(super) static BOTH: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12, &rustls::version::TLS13];

/// Certificate authority.
pub(in crate::e2e) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    own: CertificateDer<'static>,
}

impl Authority {
    pub(in crate::e2e) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("key");
        let own = params.self_signed(&key).expect("certificate").der().clone();
        Self { issuer: Issuer::new(params, key), own }
    }

    /// Writes a certificate for `localhost` and its key into a folder, replacing existing ones.
    pub(in crate::e2e) fn certify(&self, folder: &Path) {
        self.certify_as(folder, &localhost());
    }

    /// Writes a certificate that expired at the end of 2020.
    pub(in crate::e2e) fn certify_in_the_past(&self, folder: &Path) {
        let mut params = localhost();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 1, 1);
        self.certify_as(folder, &params);
    }

    fn certify_as(&self, folder: &Path, params: &CertificateParams) {
        let key = KeyPair::generate().expect("key");
        let certificate = params.signed_by(&key, &self.issuer).expect("certificate");
        write(&folder.join("tls.crt"), 0o644, &pem("CERTIFICATE", certificate.der()));
        write(&folder.join("tls.key"), 0o600, &pem("PRIVATE KEY", key.serialized_der()));
    }

    /// Returns a server configuration with a certificate for `localhost`.
    pub(in crate::e2e) fn server(&self) -> ServerConfig {
        let key = KeyPair::generate().expect("key");
        let certificate = localhost().signed_by(&key, &self.issuer).expect("certificate").der().clone();
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("key");
        ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("certificate")
    }

    /// Returns the authority's certificate.
    pub(in crate::e2e) fn pem(&self) -> String {
        pem("CERTIFICATE", &self.own)
    }

    /// Connects as a client that trusts this authority, and offers these protocols.
    pub(super) async fn connect(
        &self,
        server: &Server,
        versions: &[&'static SupportedProtocolVersion],
        protocols: &[&str],
    ) -> io::Result<Connection> {
        let mut roots = RootCertStore::empty();
        roots.add(self.own.clone()).expect("authority");
        let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_protocol_versions(versions)
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        let stream = TcpStream::connect(server.address()).await?;
        let name = ServerName::try_from("localhost").expect("name");
        TlsConnector::from(Arc::new(config)).connect(name, stream).await.map(Connection)
    }

    /// Sends a request on a separate connection, which the server closes; returns the whole response.
    pub(super) async fn ask(&self, server: &Server, request: &str) -> io::Result<String> {
        let mut connection = self.connect(server, BOTH, &["http/1.1"]).await?;
        connection.send(request).await?;
        connection.rest().await
    }
}

fn localhost() -> CertificateParams {
    CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters")
}

/// Writes a file with a mode, atomically for readers.
pub(in crate::e2e) fn write(path: &Path, mode: u32, text: &str) {
    let new = path.with_extension("new");
    let mut file = std::fs::OpenOptions::new();
    let mut file = file.write(true).create(true).truncate(true).mode(mode).open(&new).expect("file");
    file.write_all(text.as_bytes()).expect("written");
    std::fs::rename(&new, path).expect("renamed");
}

/// Encodes bytes as PEM (RFC 7468).
fn pem(label: &str, bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| str::from_utf8(line).expect("text")).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Established TLS connection.
pub(super) struct Connection(TlsStream<TcpStream>);

impl Connection {
    pub(super) fn version(&self) -> Option<ProtocolVersion> {
        self.0.get_ref().1.protocol_version()
    }

    pub(super) fn protocol(&self) -> Option<&[u8]> {
        self.0.get_ref().1.alpn_protocol()
    }

    pub(super) async fn send(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes()).await?;
        self.0.flush().await
    }

    /// Reads until the server closes the TLS session; a truncated connection is an error.
    pub(super) async fn rest(&mut self) -> io::Result<String> {
        let mut answer = Vec::new();
        self.0.read_to_end(&mut answer).await?;
        Ok(String::from_utf8(answer).expect("UTF-8"))
    }

    /// Requests `/livez`, and leaves the connection open.
    pub(super) async fn is_alive(&mut self) -> bool {
        self.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("request");
        let mut answer = String::new();
        while !is_whole(&answer) {
            let mut more = [0; 4096];
            let read = self.0.read(&mut more).await.expect("answer");
            assert!(read > 0, "the connection was closed");
            answer.push_str(str::from_utf8(&more[..read]).expect("UTF-8"));
        }
        answer.starts_with("HTTP/1.1 200 ")
    }
}

/// Returns whether a response is complete, according to its head.
fn is_whole(answer: &str) -> bool {
    let Some((head, body)) = answer.split_once("\r\n\r\n") else { return false };
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("length");
    body.len() == length.parse::<usize>().expect("number")
}
