//! When and for how long servers are tried.

use crate::test_support::TestDatabase;
use crate::{PostgresOptions, PostgresStore};
use futures_util::future::join_all;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

fn store_at(url: String, wait_timeout: Duration) -> PostgresStore {
    PostgresStore::connect(&PostgresOptions { wait_timeout, ..PostgresOptions::new(url) }).unwrap()
}

fn store(addresses: &str, wait_timeout: Duration) -> PostgresStore {
    store_at(format!("postgres://nobody@{addresses}/nothing?sslmode=disable"), wait_timeout)
}

/// Leaves each connection open for 50 ms, so that concurrent attempts would overlap.
#[tokio::test]
async fn only_one_connection_attempt_runs_at_a_time() {
    let (listener, address) = listener().await;
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (of_server, seen) = (Arc::clone(&open), Arc::clone(&most));
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            seen.fetch_max(of_server.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let of_server = Arc::clone(&of_server);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(50)).await;
                of_server.fetch_sub(1, Ordering::SeqCst);
                drop(connection);
            });
        }
    });
    let store = store(&address, Duration::from_secs(10));
    let connected = join_all((0..4).map(|_| store.pooled())).await;
    assert!(connected.iter().all(Result::is_err));
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_server_gets_the_time_left_by_earlier_ones() {
    let (refusing, refused) = listener().await;
    drop(refusing);
    // Accepts connections, and never responds.
    let (_silent, address) = listener().await;
    let store = store(&format!("{refused},{address}"), Duration::from_secs(1));
    let began = Instant::now();
    assert!(store.pooled().await.is_err());
    assert!(began.elapsed() > Duration::from_millis(900), "{:?}", began.elapsed());
}

#[tokio::test]
async fn an_attempt_continues_when_its_callers_give_up() {
    let database = TestDatabase::create().await;
    let (_silent, address) = listener().await;
    let url = database.url().replacen('@', &format!("@{address},"), 1);
    // The silent server alone takes a second.
    let store = store_at(url, Duration::from_secs(2));
    let began = Instant::now();
    while !matches!(tokio::time::timeout(Duration::from_millis(300), store.pooled()).await, Ok(Ok(_))) {
        assert!(began.elapsed() < Duration::from_secs(30), "no caller got a connection");
    }
}
