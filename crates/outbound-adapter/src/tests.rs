mod metadata;
mod site_probe;

use crate::{GuardedFetcher, Resolver};
use application::ports::system::{Fetcher, OutboundError, OutboundRequest, OutboundResponse};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::outbound::{OutboundPolicy, OutboundUrl};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tls_trust::Authorities;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// Returns its answers in turn, then the last one again.
struct Answers {
    lists: Vec<Vec<SocketAddr>>,
    lookups: AtomicUsize,
}

#[async_trait]
impl Resolver for Answers {
    async fn addresses(&self, _name: &str, _port: u16) -> Vec<SocketAddr> {
        let turn = self.lookups.fetch_add(1, Ordering::Relaxed);
        self.lists.get(turn).or(self.lists.last()).cloned().unwrap_or_default()
    }
}

fn answers(lists: &[&[SocketAddr]]) -> Arc<Answers> {
    let lists = lists.iter().map(|list| list.to_vec()).collect();
    Arc::new(Answers { lists, lookups: AtomicUsize::new(0) })
}

const LOOPBACK: OutboundPolicy = OutboundPolicy { allow_loopback: true, allow_private_networks: false };

fn fetcher(policy: OutboundPolicy) -> GuardedFetcher {
    GuardedFetcher::new(policy, answers(&[]))
}

fn get(url: &str) -> OutboundRequest {
    OutboundRequest {
        url: OutboundUrl::parse(url).unwrap(),
        is_reviewed: true,
        json: None,
        headers: Vec::new(),
        max_body_bytes: 100,
        timeout: Duration::from_secs(5),
    }
}

/// Behaviour of a host after it has read a request.
#[derive(Clone)]
enum Behaviour {
    /// Writes these bytes and closes.
    Writes(String),
    /// Writes these bytes and keeps the connection open.
    Hangs(&'static str),
    /// Writes these bytes again and again.
    Floods(&'static str),
}

/// A host on loopback and the requests it has read.
struct Host {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Host {
    async fn start(behaviour: Behaviour) -> Self {
        Self::listen(behaviour, None).await
    }

    async fn listen(behaviour: Behaviour, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (behaviour, seen, tls) = (behaviour.clone(), Arc::clone(&seen), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, behaviour, seen).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, behaviour, seen).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    behaviour: Behaviour,
    seen: Arc<Mutex<Vec<String>>>,
) {
    let mut request = vec![0; 4096];
    let read = stream.read(&mut request).await.unwrap_or(0);
    seen.lock().unwrap().push(String::from_utf8_lossy(&request[..read]).into_owned());
    match behaviour {
        Behaviour::Writes(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
        Behaviour::Hangs(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            std::future::pending::<()>().await;
        }
        Behaviour::Floods(text) => while stream.write_all(text.as_bytes()).await.is_ok() {},
    }
}

fn ok(body: &str) -> Behaviour {
    Behaviour::Writes(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nx-a: b\r\n\r\n{body}", body.len()))
}

/// A certificate authority and a TLS host that has its certificate for this name.
async fn tls_host(name: &str, behaviour: Behaviour) -> (Authorities, Host) {
    let issuer_key = rcgen::KeyPair::generate().unwrap();
    let mut issuer = rcgen::CertificateParams::new(Vec::new()).unwrap();
    issuer.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let certificate = issuer.self_signed(&issuer_key).unwrap();
    let key = rcgen::KeyPair::generate().unwrap();
    let names = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    let leaf = names.signed_by(&key, &rcgen::Issuer::new(issuer, issuer_key)).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    let authorities = Authorities::from_pem(pem(certificate.der()).as_bytes()).unwrap();
    (authorities, Host::listen(behaviour, Some(TlsAcceptor::from(Arc::new(config)))).await)
}

fn pem(certificate: &CertificateDer<'_>) -> String {
    let text = STANDARD.encode(certificate);
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

#[tokio::test]
async fn a_post_sends_json_and_headers_and_returns_status_headers_and_body() {
    let host = Host::start(ok("hello")).await;
    let request = OutboundRequest {
        json: Some(r#"{"a":1}"#.to_owned()),
        headers: vec![("webhook-id", "msg_1".to_owned())],
        ..get(&format!("http://{}/hook?x=y", host.address))
    };
    let response = fetcher(LOOPBACK).fetch(request).await.unwrap();
    let OutboundResponse { status, body, is_cut, .. } = &response;
    assert_eq!(
        (*status, body.as_slice(), *is_cut, response.header("x-a")),
        (200, &b"hello"[..], false, Some("b"))
    );
    let [sent] = &host.requests()[..] else { panic!("one request") };
    assert!(sent.starts_with("POST /hook?x=y HTTP/1.1\r\n"), "{sent}");
    for part in ["webhook-id: msg_1\r\n", "content-type: application/json\r\n", "\r\n\r\n{\"a\":1}"] {
        assert!(sent.contains(part), "{part}");
    }
    assert!(sent.contains(&format!("host: {}\r\n", host.address)));
    for secret in ["cookie", "authorization"] {
        assert!(!sent.to_lowercase().contains(secret), "{secret}");
    }
}

/// Standard Webhooks, SSRF.
#[tokio::test]
async fn a_name_that_only_has_forbidden_addresses_gets_no_connection() {
    let host = Host::start(ok("")).await;
    for address in
        [host.address, "169.254.169.254:443".parse().unwrap(), "[::ffff:10.0.0.1]:443".parse().unwrap()]
    {
        let guarded = GuardedFetcher::new(OutboundPolicy::default(), answers(&[&[address]]));
        assert_eq!(
            guarded.fetch(get("https://hooks.example/")).await,
            Err(OutboundError::Forbidden),
            "{address}"
        );
    }
    assert_eq!(host.requests(), [""; 0]);
}

#[tokio::test]
async fn a_forbidden_address_in_the_url_is_refused_standard_webhooks_ssrf() {
    let host = Host::start(ok("")).await;
    for url in [
        format!("http://{}/", host.address),
        "https://[::ffff:127.0.0.1]/".to_owned(),
        "https://0177.1/".to_owned(),
    ] {
        let refused = fetcher(OutboundPolicy::default()).fetch(get(&url)).await;
        assert_eq!(refused, Err(OutboundError::Forbidden), "{url}");
    }
    assert_eq!(host.requests(), [""; 0]);
}

/// Standard Webhooks, SSRF.
#[tokio::test]
async fn a_name_is_resolved_once_and_the_checked_address_is_connected_to() {
    let (authorities, host) = tls_host("hooks.example", ok("judged")).await;
    let rebinding = answers(&[&[host.address], &["10.0.0.1:443".parse().unwrap()]]);
    let guarded = GuardedFetcher::new(LOOPBACK, rebinding.clone()).trusting(authorities);
    let response = guarded.fetch(get("https://hooks.example/")).await.unwrap();
    assert_eq!(response.body, b"judged");
    assert_eq!(rebinding.lookups.load(Ordering::Relaxed), 1);
    // The second lookup, of the next request, is judged again.
    assert_eq!(guarded.fetch(get("https://hooks.example/")).await, Err(OutboundError::Forbidden));
}

/// Client ID Metadata Document, section 6.5.
#[tokio::test]
async fn a_host_with_one_special_use_address_among_others_is_rejected() {
    let (authorities, host) = tls_host("hooks.example", ok("")).await;
    let mixed = answers(&[&[host.address, "10.0.0.1:443".parse().unwrap()]]);
    let guarded = GuardedFetcher::new(LOOPBACK, mixed).trusting(authorities);
    assert_eq!(guarded.fetch(get("https://hooks.example/")).await, Err(OutboundError::Forbidden));
    assert_eq!(host.requests(), [""; 0]);
}

#[tokio::test]
async fn a_certificate_of_another_name_or_authority_is_refused() {
    let (authorities, host) = tls_host("hooks.example", ok("")).await;
    let to_host = || answers(&[&[host.address]]);
    let other_name = GuardedFetcher::new(LOOPBACK, to_host()).trusting(authorities);
    assert_eq!(other_name.fetch(get("https://other.example/")).await, Err(OutboundError::Tls));
    let (other, _) = tls_host("hooks.example", ok("")).await;
    let other_authority = GuardedFetcher::new(LOOPBACK, to_host()).trusting(other);
    assert_eq!(other_authority.fetch(get("https://hooks.example/")).await, Err(OutboundError::Tls));
    assert_eq!(host.requests(), [""; 0]);
}

/// Standard Webhooks, Delivery success and failure.
#[tokio::test]
async fn a_redirect_is_returned_and_not_followed() {
    let target = Host::start(ok("")).await;
    let answer =
        format!("HTTP/1.1 307 X\r\nlocation: http://{}/\r\ncontent-length: 0\r\n\r\n", target.address);
    let host = Host::start(Behaviour::Writes(answer)).await;
    let response = fetcher(LOOPBACK).fetch(get(&format!("http://{}/", host.address))).await.unwrap();
    assert_eq!(response.status, 307);
    assert_eq!(target.requests(), [""; 0]);
}

/// A response that begins with more bytes than are read.
const ENDLESS: &str = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

#[tokio::test]
async fn a_long_body_is_cut_even_if_it_never_ends() {
    let exact = Host::start(ok(&"x".repeat(100))).await;
    let response = fetcher(LOOPBACK).fetch(get(&format!("http://{}/", exact.address))).await.unwrap();
    assert_eq!((response.body.len(), response.is_cut), (100, false));
    let endless = Host::start(Behaviour::Hangs(ENDLESS)).await;
    let response = fetcher(LOOPBACK).fetch(get(&format!("http://{}/", endless.address))).await.unwrap();
    assert_eq!((response.body.len(), response.is_cut), (100, true));
}

#[tokio::test]
async fn only_a_reviewed_destination_may_be_on_a_private_network() {
    let policy = OutboundPolicy { allow_loopback: true, allow_private_networks: true };
    // Nothing listens there; only the policy forbids a connection without trying it.
    let private = |is_reviewed| OutboundRequest {
        is_reviewed,
        timeout: Duration::from_millis(200),
        ..get("https://private.example/")
    };
    let fetch = async |is_reviewed| {
        let addresses = answers(&[&[SocketAddr::from(([10, 255, 255, 1], 443))]]);
        GuardedFetcher::new(policy, addresses).fetch(private(is_reviewed)).await
    };
    assert_eq!(fetch(false).await, Err(OutboundError::Forbidden));
    assert_ne!(fetch(true).await, Err(OutboundError::Forbidden));
    let literal = OutboundRequest { url: OutboundUrl::parse("https://10.0.0.1/").unwrap(), ..private(false) };
    assert_eq!(GuardedFetcher::new(policy, answers(&[])).fetch(literal).await, Err(OutboundError::Forbidden));
}

#[tokio::test]
async fn endless_interim_responses_are_no_response() {
    let host = Host::start(Behaviour::Floods("HTTP/1.1 100 Continue\r\n\r\n")).await;
    let request =
        OutboundRequest { timeout: Duration::from_mins(1), ..get(&format!("http://{}/", host.address)) };
    assert_eq!(fetcher(LOOPBACK).fetch(request).await, Err(OutboundError::Broken));
}

#[tokio::test]
async fn a_host_that_does_not_respond_in_time_is_given_up() {
    for partial_response in ["", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"] {
        let host = Host::start(Behaviour::Hangs(partial_response)).await;
        let request = OutboundRequest {
            timeout: Duration::from_millis(200),
            ..get(&format!("http://{}/", host.address))
        };
        let began = Instant::now();
        assert_eq!(fetcher(LOOPBACK).fetch(request).await, Err(OutboundError::TimedOut));
        assert!(began.elapsed() < Duration::from_secs(2));
    }
}

#[tokio::test]
async fn waiting_for_a_slot_does_not_use_up_the_timeout() {
    let (silent, host) = (Host::start(Behaviour::Hangs("")).await, Host::start(ok("done")).await);
    let fetcher = Arc::new(fetcher(LOOPBACK));
    let timeout = Duration::from_secs(1);
    for _ in 0..GuardedFetcher::MAX_CONCURRENT {
        let request = OutboundRequest { timeout, ..get(&format!("http://{}/", silent.address)) };
        let fetcher = Arc::clone(&fetcher);
        tokio::spawn(async move { fetcher.fetch(request).await });
    }
    while silent.requests().len() < GuardedFetcher::MAX_CONCURRENT {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let began = Instant::now();
    let request = get(&format!("http://{}/", host.address));
    let request = OutboundRequest { timeout: Duration::from_millis(200), ..request };
    // On a busy machine 200 ms may be short for the request itself, but not for a wait that is not counted.
    let outcome = fetcher.fetch(request).await;
    assert!(began.elapsed() > Duration::from_millis(300) && outcome.is_ok(), "{outcome:?}");
}

#[tokio::test]
async fn a_host_that_closes_early_or_sends_no_http_is_broken() {
    for text in ["", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", "SSH-2.0-OpenSSH_9.2\r\n"] {
        let host = Host::start(Behaviour::Writes(text.to_owned())).await;
        let answer = fetcher(LOOPBACK).fetch(get(&format!("http://{}/", host.address))).await;
        assert_eq!(answer, Err(OutboundError::Broken), "{text}");
    }
}

#[tokio::test]
async fn a_name_without_addresses_and_a_closed_port_have_different_errors() {
    assert_eq!(fetcher(LOOPBACK).fetch(get("https://hooks.example/")).await, Err(OutboundError::NotFound));
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(
        fetcher(LOOPBACK).fetch(get(&format!("http://{closed}/"))).await,
        Err(OutboundError::Unreachable)
    );
}

#[tokio::test]
async fn plain_http_to_localhost_never_asks_the_resolver() {
    let host = Host::start(ok("")).await;
    let elsewhere = answers(&[&["9.9.9.9:80".parse().unwrap()]]);
    let guarded = GuardedFetcher::new(LOOPBACK, elsewhere.clone());
    let url = format!("http://localhost:{}/", host.address.port());
    assert_eq!(guarded.fetch(get(&url)).await.unwrap().status, 200);
    assert_eq!(elsewhere.lookups.load(Ordering::Relaxed), 0);
}
