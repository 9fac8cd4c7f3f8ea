//! A server with TLS and without a proxy.

pub(in crate::e2e) mod authority;

use super::schema::refusal;
use crate::e2e::app::{REDIRECT_URI, SCOPES, code, register};
use crate::e2e::collector::metrics;
use crate::e2e::polling::{TIMEOUT, eventually};
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use authority::{Authority, BOTH, write};
use rustls::ProtocolVersion;
use std::io::ErrorKind;
use std::path::Path;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Number of silent connections: more than the HTTP library's default limit of handshakes (256 per thread).
const SILENT: usize = 400;

/// Number of attempts to get a response at the same time.
const ROUNDS: u32 = 4;

/// Creates a world whose server has a certificate of this authority.
async fn world(authority: &Authority) -> World {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    authority.certify(world.dir.path());
    let path = |name: &str| world.dir.path().join(name).display().to_string();
    let (certificate, key) = (path("tls.crt"), path("tls.key"));
    world
        .with("RESTWELL__SERVER__TLS_CERTIFICATE_FILE", &certificate)
        .with("RESTWELL__SERVER__TLS_KEY_FILE", &key)
        .with("RESTWELL__SERVER__PUBLIC_URL", "https://localhost:8443")
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Connection: close\r\n\r\n")
}

/// Runs the health probe of a server; returns whether it succeeded.
fn is_healthy(world: &World, server: &Server, arguments: &[&str]) -> bool {
    let mut probe = world.command(&["health"]);
    // The configured port is 0, which the system replaces.
    probe.args(arguments).env("RESTWELL__SERVER__LISTEN", server.address());
    probe.status().expect("restwell runs").success()
}

fn body(answer: &str) -> serde_json::Value {
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").expect("body");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_1_2_and_1_3_are_supported_with_http_1_1_only() {
    let authority = Authority::new();
    let world = world(&authority).await;
    let mut server = world.serve();
    for (version, known) in [
        (&rustls::version::TLS12, ProtocolVersion::TLSv1_2),
        (&rustls::version::TLS13, ProtocolVersion::TLSv1_3),
    ] {
        let mut connection = authority.connect(&server, &[version], &["h2", "http/1.1"]).await.expect("TLS");
        assert_eq!(connection.version(), Some(known));
        assert_eq!(connection.protocol(), Some(&b"http/1.1"[..]));
        connection.send(&get("/livez", "")).await.expect("request");
        let answer = connection.rest().await.expect("answer").to_lowercase();
        assert!(
            answer.starts_with("http/1.1 200 ") && answer.contains("strict-transport-security:"),
            "{answer}"
        );
    }
    assert!(authority.connect(&server, BOTH, &["h2"]).await.is_err());
    assert!(Authority::new().connect(&server, BOTH, &[]).await.is_err());
    // A client without TLS gets no response.
    let mut plain = TcpStream::connect(server.address()).await.expect("connection");
    plain.write_all(get("/livez", "").as_bytes()).await.expect("request");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.windows(4).any(|window| window == b"HTTP"), "{}", String::from_utf8_lossy(&answer));

    assert!(is_healthy(&world, &server, &[]));
    eventually("it is ready", async || is_healthy(&world, &server, &["--ready"]).then_some(())).await;
    assert!(world.ok(&["check-config"]).contains("TLS: certificate "));
    // An idle open connection does not delay the shutdown.
    let mut idle = authority.connect(&server, BOTH, &[]).await.expect("TLS");
    assert!(idle.is_alive().await);
    assert_eq!(server.terminate(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_gets_its_token_and_data_over_tls() {
    let authority = Authority::new();
    let world = world(&authority).await;
    let registration = register(&world);
    let server = world.serve();
    let form = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("code", &code(&world, &registration, &SCOPES))
        .append_pair("client_id", &registration.client_id)
        .append_pair("client_secret", &registration.client_secret)
        .append_pair("redirect_uri", REDIRECT_URI)
        .finish();
    let answer = authority.ask(&server, &get(&format!("/api/token?{form}"), "")).await.expect("answer");
    let token = crate::e2e::app::text(&body(&answer), "access_token");
    let path = format!("/api/v1/profile/{}", registration.user_id);
    let header = format!("Authorization: Bearer {token}\r\n");
    let answer = authority.ask(&server, &get(&path, &header)).await.expect("answer");
    assert!(body(&answer)["data"].is_object(), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn incomplete_requests_time_out_over_tls_too() {
    let authority = Authority::new();
    let world = world(&authority).await.with("RESTWELL__SERVER__REQUEST_TIMEOUT_SECONDS", "1");
    let server = world.serve();
    // A body that is too long is rejected before it is sent, and the connection is closed.
    let announced = "POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\
                     Content-Type: application/x-www-form-urlencoded\r\n\r\n";
    let answer = tokio::time::timeout(TIMEOUT, authority.ask(&server, announced)).await.expect("in time");
    let answer = answer.expect("answer");
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // So is an endless head.
    let answer = tokio::time::timeout(TIMEOUT, authority.ask(&server, "GET /livez HTTP/1.1\r\nHost:"));
    let answer = answer.await.expect("in time").expect("answer");
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_is_renewed_under_open_connections_unless_it_is_invalid() {
    let (first, second) = (Authority::new(), Authority::new());
    let world = world(&first).await;
    let mut server = world.serve();
    let mut open = first.connect(&server, BOTH, &[]).await.expect("TLS");
    assert!(open.is_alive().await);
    second.certify(world.dir.path());
    server.signal("HUP");
    eventually("the new certificate is used", async || second.connect(&server, BOTH, &[]).await.ok()).await;
    assert!(first.connect(&server, BOTH, &[]).await.is_err(), "the old certificate is still used");
    assert!(open.is_alive().await);

    write(&world.dir.path().join("tls.crt"), 0o644, "not a certificate");
    server.signal("HUP");
    eventually("it is said", async || {
        let log = server.log();
        let is_logged =
            log.contains("the certificate files cannot be used") && log.contains("no PEM certificate");
        is_logged.then_some(())
    })
    .await;
    assert!(second.connect(&server, BOTH, &[]).await.is_ok());
    assert!(open.is_alive().await);
    // A probe checks the server, not the files.
    assert!(!world.run(&["check-config"]).status.success());
    assert!(is_healthy(&world, &server, &[]));
    assert_eq!(server.terminate(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expired_certificate_causes_a_warning_and_its_expiry_is_measured() {
    let authority = Authority::new();
    let world = world(&authority).await.with("RESTWELL__METRICS__LISTEN", "127.0.0.1:0");
    assert!(!world.ok(&["check-config"]).contains("WARNING"));
    authority.certify_in_the_past(world.dir.path());
    assert!(world.ok(&["check-config"]).contains("WARNING: the certificate of this server"));
    let server = world.serve();
    let ended = "restwell_tls_certificate_end_seconds 1609459200";
    eventually("it is measured", async || metrics(&server).await.contains(ended).then_some(())).await;
    assert_eq!(server.log().matches("expired on 2021-01-01").count(), 1, "{}", server.log());
    // The renewed certificate causes no further warning.
    authority.certify(world.dir.path());
    server.signal("HUP");
    eventually("it is renewed", async || (!metrics(&server).await.contains(ended)).then_some(())).await;
    server.signal("HUP");
    assert!(authority.connect(&server, BOTH, &[]).await.is_ok());
    assert_eq!(server.log().matches("the certificate of this server").count(), 1, "{}", server.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_sockets_block_no_other_client_and_are_closed() {
    let authority = Authority::new();
    let world = world(&authority).await.with("RESTWELL__SERVER__WORKERS", "1");
    let server = world.serve();
    let mut is_answered_beside_them = false;
    // On a busy machine a response may take as long as the handshake timeout.
    for _ in 0..ROUNDS {
        let silent = silent_sockets(&server).await;
        let answer = authority.ask(&server, &get("/livez", "")).await.expect("answer");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        // If the server had waited for them, they would be closed by the time of the response.
        is_answered_beside_them |= silent.last().is_some_and(is_open);
        for mut socket in silent {
            let read = tokio::time::timeout(TIMEOUT, socket.read(&mut [0; 64])).await.expect("still open");
            assert!(!matches!(read, Ok(1..)), "it was answered");
        }
        if is_answered_beside_them {
            return;
        }
    }
    panic!("silent connections block the others");
}

/// Opens connections that do not start or finish a handshake.
async fn silent_sockets(server: &Server) -> Vec<TcpStream> {
    let mut silent = Vec::new();
    for number in 0..SILENT {
        let mut socket = TcpStream::connect(server.address()).await.expect("connection");
        if number % 2 == 0 {
            // The beginning of a long ClientHello.
            socket.write_all(&[0x16, 0x03, 0x01, 0x20, 0x00, 0x01]).await.expect("beginning");
        }
        silent.push(socket);
    }
    silent
}

/// Returns whether the peer has neither closed the connection nor sent anything.
fn is_open(socket: &TcpStream) -> bool {
    socket.try_read(&mut [0; 1]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

#[tokio::test]
async fn invalid_files_and_an_http_public_url_are_rejected_in_one_sentence() {
    let mut world = world(&Authority::new()).await;
    let right = world.settings.clone();
    let path = |name: &str| world.dir.path().join(name).display().to_string();
    let (certificate, open) = (path("tls.crt"), path("open.key"));
    write(Path::new(&open), 0o644, &std::fs::read_to_string(path("tls.key")).expect("key"));
    for (setting, value, expected) in [
        ("TLS_CERTIFICATE_FILE", "/nowhere/tls.crt", "server.tls_certificate_file names /nowhere/tls.crt"),
        ("TLS_KEY_FILE", &open, "which others may access (mode 644)"),
        ("TLS_KEY_FILE", &certificate, "which others may access"),
        ("TLS_KEY_FILE", "", "server.tls_certificate_file is set, but server.tls_key_file is not"),
        ("TLS_CERTIFICATE_FILE", "", "server.tls_key_file is set, but server.tls_certificate_file is not"),
        ("PUBLIC_URL", "http://localhost:8443", "server.public_url must be set to an https URL"),
    ] {
        world.settings = right.clone();
        let world = &mut world;
        world.settings.push((format!("RESTWELL__SERVER__{setting}"), value.to_owned()));
        let message = refusal(world);
        assert!(message.contains(expected), "{message}");
        let check = world.run(&["check-config"]);
        let errors = String::from_utf8_lossy(&check.stderr);
        assert!(!check.status.success() && errors.contains(expected), "{errors}");
    }
}
