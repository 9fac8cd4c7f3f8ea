//! TLS modes, against a server that requires TLS and one with an invalid certificate.

use super::log::log_of;
use crate::connection::{Connector, Role};
use crate::{PostgresOptions, PostgresStore};
use application::ports::storage::{StorageError, UnitOfWorkFactory as _};
use diesel::sql_types::Bool;
use diesel::{dsl::sql, select};
use diesel_async::RunQueryDsl;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Time limit for the peer's messages.
const READ_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);

/// Reads a variable set by `scripts/test`. A test without its server must fail, not pass.
fn variable(name: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "tests have no settings; only they use the variables")]
    let value = std::env::var(name);
    value.unwrap_or_else(|_| {
        panic!(
            "{name} is not set. Run the tests with scripts/test, or start a cluster with \
             `scripts/postgres-cluster start DIR --tls` and set RESTWELL_TEST_POSTGRES_TLS to the URL that it \
             prints and RESTWELL_TEST_POSTGRES_CERTIFICATES to DIR/tls"
        )
    })
}

fn certificate_file(name: &str) -> PathBuf {
    PathBuf::from(variable("RESTWELL_TEST_POSTGRES_CERTIFICATES")).join(name)
}

/// Returns the URL parameters that trust this authority.
fn trusting(mode: &str, authority: &str) -> String {
    let file = certificate_file(&format!("{authority}.crt"));
    format!("sslmode={mode}&sslrootcert={}", file.to_str().unwrap())
}

/// Returns the options for the TLS cluster under one of its host names.
fn cluster(host: &str, parameters: &str) -> PostgresOptions {
    let url = variable("RESTWELL_TEST_POSTGRES_TLS").replace("@localhost:", &format!("@{host}:"));
    PostgresOptions::new(format!("{url}?hostaddr=127.0.0.1&{parameters}"))
}

/// Connects, and returns whether the server sees TLS on this connection.
async fn speaks_tls(options: &PostgresOptions) -> bool {
    let link = Connector::new(options, Role::Primary).unwrap().connect().await.unwrap();
    let ssl = sql::<Bool>("(SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid())");
    select(ssl).get_result(&mut &link).await.unwrap()
}

/// Asserts that connecting fails with `Unavailable`; returns the logged reason.
async fn refusal(options: &PostgresOptions) -> String {
    let store = PostgresStore::connect(options).unwrap();
    let mut log = log_of(async {
        assert!(matches!(store.begin().await, Err(StorageError::Unavailable)));
        let read = store.shared(|_| Box::pin(async { Ok(()) })).await;
        assert!(matches!(read, Err(StorageError::Unavailable)));
        assert!(matches!(store.migrate().await, Err(StorageError::Unavailable)));
    })
    .await;
    let warning = log.swap_remove(0);
    assert!(warning.starts_with("WARN"), "{warning}");
    warning
}

/// Server that accepts TLS, presents one certificate and hangs up.
struct Impostor {
    port: u16,
    outcome: JoinHandle<bool>,
}

impl Impostor {
    /// Listens for one connection.
    fn showing(certificate: &str) -> Self {
        let file = |extension| certificate_file(&format!("{certificate}.{extension}"));
        let chain = vec![CertificateDer::from_pem_file(file("crt")).unwrap()];
        let key = PrivateKeyDer::from_pem_file(file("key")).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Self { port, outcome: std::thread::spawn(move || perform_handshake(&listener, config)) }
    }

    /// Connects once; returns the logged reason of the failure, and whether the certificate was accepted.
    async fn meet(self, parameters: &str) -> (String, bool) {
        let url = format!("postgres://postgres@localhost:{}/postgres?hostaddr=127.0.0.1", self.port);
        let options = PostgresOptions::new(format!("{url}&{parameters}"));
        let connected = Connector::new(&options, Role::Primary).unwrap().connect().await;
        let reason = connected.err().unwrap().to_string();
        (reason, self.outcome.join().unwrap())
    }
}

/// Accepts the client's `SSLRequest`; returns whether the client accepts the certificate.
fn perform_handshake(listener: &TcpListener, config: ServerConfig) -> bool {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(READ_TIMEOUT)).unwrap();
    stream.read_exact(&mut [0; 8]).unwrap();
    stream.write_all(b"S").unwrap();
    let mut connection = ServerConnection::new(Arc::new(config)).unwrap();
    while connection.is_handshaking() {
        if connection.complete_io(&mut stream).is_err() {
            return false;
        }
    }
    true
}

#[tokio::test]
async fn verify_full_connects_to_each_name_of_the_certificate() {
    for host in ["localhost", "127.0.0.1"] {
        assert!(speaks_tls(&cluster(host, &trusting("verify-full", "ca"))).await, "{host}");
    }
    let store = PostgresStore::connect(&cluster("localhost", &trusting("verify-full", "ca"))).unwrap();
    store.begin().await.unwrap().commit().await.unwrap();
}

#[tokio::test]
async fn an_authority_that_is_not_trusted_is_refused_in_every_mode_that_names_one() {
    for mode in ["verify-full", "verify-ca", "require"] {
        let warning = refusal(&cluster("localhost", &trusting(mode, "other-ca"))).await;
        assert!(warning.contains("invalid peer certificate: UnknownIssuer"), "{warning}");
    }
}

#[tokio::test]
async fn only_verify_full_rejects_a_certificate_for_another_host() {
    let warning = refusal(&cluster("db.example.org", &trusting("verify-full", "ca"))).await;
    assert!(warning.contains("certificate not valid for name \"db.example.org\""), "{warning}");
    for mode in ["verify-ca", "require"] {
        assert!(speaks_tls(&cluster("db.example.org", &trusting(mode, "ca"))).await, "{mode}");
    }
}

#[tokio::test]
async fn an_expired_certificate_is_rejected() {
    for mode in ["verify-full", "verify-ca"] {
        let (reason, taken) = Impostor::showing("expired").meet(&trusting(mode, "ca")).await;
        assert!(!taken && reason.contains("certificate expired"), "{reason}");
    }
}

#[tokio::test]
async fn a_self_signed_certificate_is_rejected() {
    for mode in ["verify-full", "verify-ca"] {
        let (reason, taken) = Impostor::showing("self-signed").meet(&trusting(mode, "ca")).await;
        assert!(!taken && reason.contains("invalid peer certificate: UnknownIssuer"), "{reason}");
    }
}

#[tokio::test]
async fn require_alone_takes_any_certificate_and_verify_full_a_good_one() {
    for certificate in ["expired", "self-signed", "server"] {
        let (reason, taken) = Impostor::showing(certificate).meet("sslmode=require").await;
        assert!(taken, "{certificate}: {reason}");
    }
    let (reason, taken) = Impostor::showing("server").meet(&trusting("verify-full", "ca")).await;
    assert!(taken, "{reason}");
}

#[tokio::test]
async fn require_and_prefer_connect_over_tls_without_any_authority() {
    for parameters in ["sslmode=require", "sslmode=prefer", ""] {
        assert!(speaks_tls(&cluster("db.example.org", parameters)).await, "{parameters}");
    }
}

#[tokio::test]
async fn a_server_that_requires_tls_rejects_disable() {
    let warning = refusal(&cluster("localhost", "sslmode=disable")).await;
    assert!(warning.contains("no pg_hba.conf entry") && warning.contains("no encryption"), "{warning}");
}
