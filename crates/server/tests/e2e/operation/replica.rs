//! A database that becomes available late.

use super::reader::Reader;
use crate::e2e::app::{ask_token, register};
use crate::e2e::polling::TIMEOUT;
use crate::e2e::relay::{Line, Relay};
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use reqwest::StatusCode;
use std::time::{Duration, Instant};

/// Returns the status of a server path, such as `/livez`.
async fn status(server: &Server, path: &str) -> StatusCode {
    reqwest::get(format!("{}{path}", server.base_url)).await.expect("answer").status()
}

/// Waits until the server reports that it is ready.
pub(super) async fn wait_until_ready(server: &Server) {
    let started = Instant::now();
    while status(server, "/readyz").await != StatusCode::OK {
        assert!(started.elapsed() < TIMEOUT, "never ready:\n{}", server.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits 700 ms, because no event shows that the server does not become ready.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_its_database_is_alive_but_not_ready_on_postgres() {
    let direct = World::new(StoreKind::Postgres).await.in_processes();
    let registration = register(&direct);
    let relay = Relay::start(&direct.storage_url, Line::Cut).await;
    let url = relay.url_of(&direct.storage_url);
    let world = direct.with("RESTWELL__STORAGE__URL", &url);
    let mut server = world.serve();
    assert_eq!(status(&server, "/livez").await, StatusCode::OK);
    assert_eq!(status(&server, "/readyz").await, StatusCode::SERVICE_UNAVAILABLE);
    let asked = ask_token(&server, &registration, "rwc_nothing").await;
    assert_ne!(asked.status(), StatusCode::OK);
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(status(&server, "/readyz").await, StatusCode::SERVICE_UNAVAILABLE);

    relay.set(Line::Up);
    wait_until_ready(&server).await;
    let reader = Reader::authorized(&world, &server, &registration).await;
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
