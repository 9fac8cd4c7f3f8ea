//! TLS connections.

use crate::stage::{AMPLE, IN_PROCESS, Stage};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use redis_adapter::test_support::RedisServer;
use redis_adapter::{InvalidRedisOptions, RedisOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A test authority and the file with its certificate.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    file: PathBuf,
}

impl Authority {
    fn new(folder: &Path, name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let file = folder.join(name);
        std::fs::write(&file, pem("CERTIFICATE", params.self_signed(&key).unwrap().der())).unwrap();
        Self { issuer: Issuer::new(params, key), file }
    }

    /// Writes a certificate for `localhost` and its key.
    fn certify(&self, folder: &Path) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        std::fs::write(folder.join("server.crt"), pem("CERTIFICATE", certificate.der())).unwrap();
        std::fs::write(folder.join("server.key"), pem("PRIVATE KEY", key.serialized_der())).unwrap();
    }
}

/// Encodes bytes as PEM (RFC 7468).
fn pem(label: &str, bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Returns a port that was free a moment ago.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn options(url: &str, authorities: &Path) -> RedisOptions {
    RedisOptions::parse(url, Some(authorities), AMPLE).unwrap()
}

/// Checks that a server is not used. Waits 500 ms, because no event shows that no attempt succeeds.
async fn is_refused(options: &RedisOptions) {
    let stage = Stage::with(options);
    assert_eq!(stage.count(1, 5).await.limit, IN_PROCESS);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(!stage.limiter.is_up());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encrypted_connection_trusts_the_named_authority_for_the_named_host_alone() {
    let certificates = tempfile::TempDir::new().unwrap();
    let known = Authority::new(certificates.path(), "ca.crt");
    let other = Authority::new(certificates.path(), "other.crt");
    known.certify(certificates.path());
    let port = free_port();
    let file = |name: &str| certificates.path().join(name).display().to_string();
    let mut server = RedisServer::prepare(&[
        "--tls-port",
        &port.to_string(),
        "--bind",
        "127.0.0.1",
        "--tls-cert-file",
        &file("server.crt"),
        "--tls-key-file",
        &file("server.key"),
        "--tls-ca-cert-file",
        &file("ca.crt"),
        "--tls-auth-clients",
        "no",
    ]);
    server.restart();
    let stage = Stage::with(&options(&format!("rediss://localhost:{port}"), &known.file));
    stage.until_up().await;
    assert_eq!(stage.count(1, 5).await.remaining, 4);

    is_refused(&options(&format!("rediss://localhost:{port}"), &other.file)).await;
    is_refused(&options(&format!("rediss://127.0.0.1:{port}"), &known.file)).await;
    // The operating system does not trust the test authority.
    is_refused(&RedisOptions::parse(&format!("rediss://localhost:{port}"), None, AMPLE).unwrap()).await;
    // A TLS port replies nothing that a client without TLS understands.
    is_refused(&RedisOptions::parse(&format!("redis://localhost:{port}"), None, AMPLE).unwrap()).await;
}

#[test]
fn a_file_of_broken_certificates_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "-----BEGIN CERTIFICATE-----\n%%\n-----END CERTIFICATE-----\n").unwrap();
    let refused = RedisOptions::parse("rediss://h", Some(file.path()), AMPLE).unwrap_err();
    assert_eq!(refused, InvalidRedisOptions::Certificates(file.path().to_owned()));
}
