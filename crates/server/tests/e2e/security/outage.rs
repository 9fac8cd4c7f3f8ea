//! A database that becomes unavailable and available again.

use super::caller::{Caller, Form, Reply};
use super::raw::read_to_end;
use crate::e2e::app::{Registration, SCOPES, code, register};
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

/// Maximum time of a response while the database is unavailable: waiting for a connection, and for a
/// statement.
const PATIENCE: Duration = Duration::from_secs(45);

// T103
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_refuses_connections_is_a_503_and_nothing_is_lost() {
    outage(Line::Cut).await;
}

// T103
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unresponsive_database_is_a_503_and_nothing_is_lost() {
    outage(Line::Silent).await;
}

async fn outage(kind: Line) {
    let world = World::new(StoreKind::Postgres).await.in_processes();
    let registration = register(&world);
    let proxy = Proxy::start(&world.storage_url).await;
    let mut command = world.command(&["serve"]);
    command.env("RESTWELL__STORAGE__URL", proxy.url_of(&world.storage_url));
    command.env("RESTWELL__STORAGE__STATEMENT_TIMEOUT_SECONDS", "2");
    command.env("RESTWELL__STORAGE__CONNECT_TIMEOUT_SECONDS", "1");
    let server = Server::spawn(command, &world.dir.path().join("server.log"));
    let caller = Caller::of(&server);
    let redeemed = code(&world, &registration, &SCOPES);
    let tokens = caller.redeem(&registration, &redeemed).await.tokens();
    let unused = code(&world, &registration, &SCOPES);
    assert_eq!(caller.read_profile(&tokens.access, &registration).await.status, 200);
    wait_for(&caller, "/readyz", 200).await;

    proxy.set(kind);
    // Cached grants expire after a second.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_unavailable(&caller, &registration, (&unused, &tokens.refresh, &tokens.access)).await;
    wait_for(&caller, "/readyz", 503).await;
    assert_eq!(caller.get("/livez", &Form(Vec::new())).await.status, 200);

    proxy.set(Line::Up);
    wait_for(&caller, "/readyz", 200).await;
    // Without a restart. A code whose exchange failed is still valid.
    caller.redeem(&registration, &unused).await.tokens();
    caller.refresh(&registration, &tokens.refresh).await.access();
    assert_eq!(caller.read_profile(&tokens.access, &registration).await.status, 200);
    caller.redeem(&registration, &redeemed).await.assert_error(400, "invalid_grant");
    let log = server.log();
    for secret in [&unused, &redeemed, &tokens.refresh, &tokens.access, &registration.client_secret] {
        assert!(!log.contains(secret.as_str()), "a failure put a secret into the log");
    }
}

/// Replaces the key id of a token.
fn of_an_unseen_key(token: &str) -> String {
    let (_, rest) = token.split_once('.').expect("token");
    let kid = "5d0d7c4e-9a0b-4a56-8f0e-3b8f5c1f9a70";
    let header = serde_json::json!({ "alg": "EdDSA", "typ": "at+jwt", "kid": kid }).to_string();
    format!("{}.{rest}", URL_SAFE_NO_PAD.encode(header))
}

/// Checks that each kind of request gets 503 with a retry time, never an error about its secrets.
async fn assert_unavailable(caller: &Caller, registration: &Registration, secrets: (&str, &str, &str)) {
    let (code, refresh, access) = secrets;
    let wrong = Form::of_code(registration, code).with("client_secret", "rws_wrong");
    let user = &registration.user_id;
    let requests = [
        caller.request(Method::POST, "/api/token").form(&Form::of_code(registration, code).0),
        caller.request(Method::POST, "/api/refresh").form(&Form::of_refresh(registration, refresh).0),
        // The counters of failures do not fail open either.
        caller.request(Method::POST, "/api/token").form(&wrong.0),
        caller.request(Method::GET, &format!("/api/v1/profile/{user}")).bearer_auth(access),
        caller.request(Method::GET, &format!("/api/v1/sleep/{user}?include_stages=1")).bearer_auth(access),
        caller.request(Method::GET, &format!("/api/supplements/{user}")).bearer_auth(access),
        // With a key that this server has not seen: it cannot check whether the store has it (T70).
        caller.request(Method::GET, &format!("/api/v1/sleep/{user}")).bearer_auth(of_an_unseen_key(access)),
    ];
    let asked = Instant::now();
    let replies = requests.map(|request| tokio::spawn(Reply::to(request)));
    for (number, reply) in replies.into_iter().enumerate() {
        let reply = reply.await.expect("reply");
        if number < 3 {
            reply.assert_error(503, "temporarily_unavailable");
        } else {
            reply.assert_problem(503, "storage_unavailable");
        }
        let seconds = reply.header("retry-after").expect("Retry-After").parse::<u32>();
        assert!(seconds.is_ok_and(|seconds| seconds > 0), "{reply:?}");
        assert_eq!(reply.header("www-authenticate"), None, "{reply:?}");
    }
    assert!(asked.elapsed() < PATIENCE, "the answers took {:?}", asked.elapsed());
}

async fn wait_for(caller: &Caller, path: &str, status: u16) {
    let started = Instant::now();
    loop {
        let reply = caller.get(path, &Form(Vec::new())).await;
        if reply.status == status {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{path} is not {status}: {reply:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// State of the connection to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Bytes are forwarded.
    Up,
    /// Connections are closed, new ones too.
    Cut,
    /// Connections stay open, and nothing is forwarded.
    Silent,
}

/// Proxy between a server and its database.
struct Proxy {
    port: u16,
    line: watch::Sender<Line>,
}

impl Proxy {
    async fn start(url: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("port");
        let port = listener.local_addr().expect("address").port();
        let (line, state) = watch::channel(Line::Up);
        let target = Target::of(url);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, target.clone(), state.clone()));
            }
        });
        Self { port, line }
    }

    fn set(&self, line: Line) {
        self.line.send_replace(line);
    }

    /// Replaces the address in a URL by the proxy's.
    fn url_of(&self, url: &str) -> String {
        let mut parsed = url::Url::parse(url).expect("URL");
        parsed.set_host(Some("127.0.0.1")).expect("host");
        parsed.set_port(Some(self.port)).expect("port");
        parsed.into()
    }
}

/// Address of the database.
#[derive(Clone)]
enum Target {
    Unix(PathBuf),
    Tcp(String),
}

impl Target {
    fn of(url: &str) -> Self {
        let parsed = url::Url::parse(url).expect("URL");
        let host = parsed.host_str().expect("host").replace("%2F", "/");
        let port = parsed.port().unwrap_or(5432);
        if host.starts_with('/') {
            Self::Unix(PathBuf::from(host).join(format!(".s.PGSQL.{port}")))
        } else {
            Self::Tcp(format!("{host}:{port}"))
        }
    }
}

/// Forwards one connection while the line is up.
async fn carry(mut near: TcpStream, target: Target, mut state: watch::Receiver<Line>) {
    if *state.borrow() == Line::Up {
        let carried = async {
            match target {
                Target::Unix(path) => {
                    let mut far = UnixStream::connect(path).await?;
                    tokio::io::copy_bidirectional(&mut near, &mut far).await
                }
                Target::Tcp(address) => {
                    let mut far = TcpStream::connect(address).await?;
                    tokio::io::copy_bidirectional(&mut near, &mut far).await
                }
            }
        };
        tokio::select! {
            _ = carried => return,
            _ = state.wait_for(|line| *line != Line::Up) => {}
        }
    }
    // A silent connection stays so until the line is up again; then it is dead.
    let _ = state.wait_for(|line| *line != Line::Silent).await;
    let _ = near.shutdown().await;
}

/// Fails if the proxy does not work at all, so that such a failure is not mistaken for an outage.
#[tokio::test]
async fn the_proxy_closes_what_it_cut() {
    let proxy = Proxy::start("postgres://127.0.0.1:1/none").await;
    proxy.set(Line::Cut);
    let mut stream = TcpStream::connect(("127.0.0.1", proxy.port)).await.expect("connection");
    assert_eq!(read_to_end(&mut stream).await, "");
}
