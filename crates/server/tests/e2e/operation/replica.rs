//! Several servers on one database, and a database that becomes available late.

use super::reader::Reader;
use crate::e2e::app::{SCOPES, ask_refresh, ask_token, code, redeem, register};
use crate::e2e::patience::{PATIENCE, REVOCATION_LIMIT, within};
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use reqwest::StatusCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use url::Url;

/// Returns the status of a server path, such as `/livez`.
async fn status(server: &Server, path: &str) -> StatusCode {
    reqwest::get(format!("{}{path}", server.base_url)).await.expect("answer").status()
}

/// Waits until the server reports that it is ready.
pub(super) async fn wait_until_ready(server: &Server) {
    wait_for(server, StatusCode::OK).await;
}

async fn wait_for(server: &Server, expected: StatusCode) {
    let started = Instant::now();
    while status(server, "/readyz").await != expected {
        assert!(started.elapsed() < PATIENCE, "never {expected}:\n{}", server.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_accept_each_others_codes_and_tokens() {
    // Behind a load balancer all replicas share one address, which is the issuer of their tokens.
    let world = World::new(StoreKind::Postgres).await.in_processes();
    let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:4711");
    let registration = register(&world);
    let (mut first, mut second) = (world.serve_as("first"), world.serve_as("second"));
    let granted = code(&world, &registration, &SCOPES);
    let tokens = redeem(&first, &registration, &granted).await;
    for server in [&first, &second] {
        let reader = Reader::new(server, &registration.user_id, &tokens.access);
        for endpoint in ["profile", "sleep", "supplements"] {
            reader.read(endpoint, "").await;
        }
        assert_eq!(ask_refresh(server, &registration, &tokens.refresh).await.status(), StatusCode::OK);
    }
    // A code redeemed at one is used up at the other, and its replay revokes the tokens.
    assert_eq!(ask_token(&second, &registration, &granted).await.status(), StatusCode::BAD_REQUEST);
    let revoked_at = Instant::now();
    for server in [&first, &second] {
        let reader = Reader::new(server, &registration.user_id, &tokens.access);
        within(REVOCATION_LIMIT, revoked_at, "a revoked token is refused", async || {
            let status = reader.ask("profile", "").await.status;
            (status == StatusCode::UNAUTHORIZED).then_some(())
        })
        .await;
    }
    // One stops, the other continues.
    assert_eq!(first.terminate(), Some(0));
    let tokens = redeem(&second, &registration, &code(&world, &registration, &SCOPES)).await;
    Reader::new(&second, &registration.user_id, &tokens.access).read("sleep", "").await;
    assert_eq!(second.terminate(), Some(0));
}

/// Relay to a Postgres server that can be cut and restored.
struct Road {
    url: String,
    is_open: Arc<AtomicBool>,
}

impl Road {
    /// Creates a relay, initially cut, to the database in a URL.
    async fn to(database: &str) -> Self {
        let database = Url::parse(database).expect("URL");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
        let port = listener.local_addr().expect("address").port();
        let user = database.username();
        let url = format!("postgres://{user}@127.0.0.1:{port}{}?sslmode=disable", database.path());
        let is_open = Arc::new(AtomicBool::new(false));
        tokio::spawn(Self::serve(listener, database, is_open.clone()));
        Self { url, is_open }
    }

    async fn serve(listener: TcpListener, database: Url, is_open: Arc<AtomicBool>) {
        while let Ok((client, _)) = listener.accept().await {
            // Closing a connection at once is what a starting server does.
            if is_open.load(Ordering::SeqCst) {
                let host = database.host_str().unwrap_or_default().replace("%2F", "/");
                let port = database.port().unwrap_or(5432);
                if host.starts_with('/') {
                    let server =
                        UnixStream::connect(format!("{host}/.s.PGSQL.{port}")).await.expect("server");
                    tokio::spawn(carry(client, server, is_open.clone()));
                } else {
                    let server = TcpStream::connect((host.as_str(), port)).await.expect("server");
                    tokio::spawn(carry(client, server, is_open.clone()));
                }
            }
        }
    }

    fn set_open(&self, open: bool) {
        self.is_open.store(open, Ordering::SeqCst);
    }
}

/// Relays bytes both ways until the relay is cut.
async fn carry(
    mut client: TcpStream,
    mut server: impl AsyncRead + AsyncWrite + Unpin,
    is_open: Arc<AtomicBool>,
) {
    let closed = async {
        while is_open.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        () = closed => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_its_database_is_alive_but_not_ready() {
    let direct = World::new(StoreKind::Postgres).await.in_processes();
    let registration = register(&direct);
    let road = Road::to(&direct.storage_url).await;
    let world = direct.with("RESTWELL__STORAGE__URL", &road.url);
    let mut server = world.serve();
    assert_eq!(status(&server, "/livez").await, StatusCode::OK);
    assert_eq!(status(&server, "/readyz").await, StatusCode::SERVICE_UNAVAILABLE);
    let asked = ask_token(&server, &registration, "rwc_nothing").await;
    assert_ne!(asked.status(), StatusCode::OK);
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(status(&server, "/readyz").await, StatusCode::SERVICE_UNAVAILABLE);

    road.set_open(true);
    wait_until_ready(&server).await;
    let reader = Reader::authorized(&world, &server, &registration).await;
    reader.read("sleep", "").await;

    // Lost again: alive, not ready, 503 rather than an error about the token; then restored.
    road.set_open(false);
    wait_for(&server, StatusCode::SERVICE_UNAVAILABLE).await;
    assert_eq!(status(&server, "/livez").await, StatusCode::OK);
    let refused = reader.ask("sleep", "").await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE, "{}", refused.text);
    assert!(!refused.header("retry-after").is_empty());
    road.set_open(true);
    wait_until_ready(&server).await;
    reader.read("sleep", "").await;
    assert_eq!(server.terminate(), Some(0));
    assert!(!server.log().contains(&registration.user_id));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_waiting_for_its_database_can_be_stopped() {
    let dir = tempfile::TempDir::new().expect("temporary folder");
    let nowhere = "postgres://nobody@%2Fnowhere%2Fat%2Fall/none".to_owned();
    let mut server = World::on(dir, None).with("RESTWELL__STORAGE__URL", &nowhere).in_processes().serve();
    assert_eq!(status(&server, "/livez").await, StatusCode::OK);
    server.signal("INT");
    assert_eq!(server.wait(), Some(0));
}
