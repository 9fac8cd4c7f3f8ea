//! Servers that reject a connection, or whose address leads to another server, until the operator acts.

use crate::stage::{AMPLE, IN_PROCESS, Stage, ask};
use redis_adapter::test_support::RedisServer;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, UnixStream};

/// Forwards each new connection of a TCP port to the socket that is current when it is opened, as a name does
/// that a failover changes. Returns the URL.
async fn moving_address(current: Arc<Mutex<PathBuf>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let socket = current.lock().unwrap().clone();
            tokio::spawn(async move {
                let mut server = UnixStream::connect(socket).await.unwrap();
                // Ends with an error when a test drops its server.
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    url
}

/// The old server keeps its connections and only rejects writes, so only a new connection finds the new one.
#[tokio::test(flavor = "multi_thread")]
async fn a_failover_behind_the_address_is_followed() {
    let (old, new) = (RedisServer::start(), RedisServer::start());
    let current = Arc::new(Mutex::new(old.dir().join("socket")));
    let stage = Stage::begin(&moving_address(current.clone()).await, AMPLE);
    stage.until_up().await;
    assert_eq!(stage.count(1, 5).await.remaining, 4);
    *current.lock().unwrap() = new.dir().join("socket");
    ask::<()>(&old, &["REPLICAOF", "127.0.0.1", "1"]).await;
    assert_eq!(stage.count(1, 5).await.limit, IN_PROCESS);
    stage.until_up().await;
    assert_eq!(stage.count(1, 5).await.remaining, 4);
    let counters: u32 = ask(&new, &["DBSIZE"]).await;
    assert_eq!(counters, 2, "the counter and the probe's");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_that_the_server_learns_later_is_accepted_then() {
    let server = RedisServer::start();
    let stage = Stage::begin(&format!("{}?user=restwell&pass=HIDDEN", server.url()), AMPLE);
    // Longer than the interval between attempts, so that at least one was rejected.
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    assert_eq!(stage.count(1, 5).await.limit, IN_PROCESS);
    ask::<()>(&server, &["ACL", "SETUSER", "restwell", "on", ">HIDDEN", "~*", "+@all"]).await;
    stage.until_up().await;
    assert_eq!(stage.count(1, 5).await.remaining, 4);
}
