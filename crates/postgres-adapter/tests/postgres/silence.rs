//! A server that does not respond: packets are lost, or a firewall dropped a connection, and no side closes
//! it.

use crate::made_up::*;
use application::ports::storage::{ProfileReader, SleepReader, UnitOfWork, UnitOfWorkFactory};
use postgres_adapter::test_support::TestDatabase;
use postgres_adapter::{PostgresOptions, PostgresStore};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_postgres::config::Host;

/// Wait timeout of the store, enough for a busy machine to connect, and its statement timeout. Responses time
/// out one second later.
const WAIT: Duration = Duration::from_millis(1_500);

/// Simulated network.
struct Line {
    /// Incremented when all open connections fall silent.
    generation: AtomicU64,
    /// Bytes that are still forwarded in total, including on new connections.
    bytes: AtomicI64,
}

impl Line {
    /// Silences all open connections for good; new ones work.
    fn forget(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// Drops everything after this number of bytes.
    fn vanish_after(&self, bytes: i64) {
        self.bytes.store(bytes, Ordering::SeqCst);
    }

    /// Forwards data until the connections of this generation fall silent.
    async fn carry(
        self: Arc<Self>,
        generation: u64,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
    ) {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            let left = self.bytes.fetch_sub(i64::try_from(length).unwrap(), Ordering::SeqCst);
            if left <= 0 || self.generation.load(Ordering::SeqCst) != generation {
                std::future::pending::<()>().await;
            }
            if to.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    }

    fn connect(self: &Arc<Self>, near: TcpStream, far: impl AsyncRead + AsyncWrite + Send + 'static) {
        let generation = self.generation.load(Ordering::SeqCst);
        let (near_read, near_write) = tokio::io::split(near);
        let (far_read, far_write) = tokio::io::split(far);
        tokio::spawn(Arc::clone(self).carry(generation, near_read, far_write));
        tokio::spawn(Arc::clone(self).carry(generation, far_read, near_write));
    }
}

/// Creates a store that reaches the database over the simulated network.
async fn store_over_line(database: &TestDatabase, wait_timeout: Duration) -> (PostgresStore, Arc<Line>) {
    let config: tokio_postgres::Config = database.url().parse().unwrap();
    let (host, port) = (config.get_hosts()[0].clone(), config.get_ports().first().copied().unwrap_or(5432));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let password = config.get_password().map(|text| String::from_utf8(text.to_vec()).unwrap());
    let url = format!(
        "postgres://{}:{}@{}/{}?sslmode=disable",
        config.get_user().unwrap(),
        password.unwrap_or_default(),
        listener.local_addr().unwrap(),
        config.get_dbname().unwrap(),
    );
    let line = Arc::new(Line { generation: AtomicU64::new(0), bytes: AtomicI64::new(i64::MAX) });
    let own = Arc::clone(&line);
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            match &host {
                Host::Unix(folder) => {
                    let socket = folder.join(format!(".s.PGSQL.{port}"));
                    own.connect(near, UnixStream::connect(socket).await.unwrap());
                }
                Host::Tcp(name) => {
                    own.connect(near, TcpStream::connect((name.as_str(), port)).await.unwrap());
                }
            }
        }
    });
    let options = PostgresOptions {
        pool_size: 2,
        shared_connections: 1,
        statement_timeout: WAIT,
        wait_timeout,
        ..PostgresOptions::new(url)
    };
    let store = PostgresStore::connect(&options).unwrap();
    populate(&store, [1]).await;
    (store, line)
}

/// Panics if something takes longer than every limit of the store.
async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), work).await.expect("the store waits for a silent server")
}

#[tokio::test]
async fn a_shared_connection_without_a_response_is_replaced() {
    let database = TestDatabase::create().await;
    // Longer than the response timeout, because new connections have more time.
    let (store, line) = store_over_line(&database, WAIT * 9).await;
    assert!(store.find_profile(user_id(1)).await.unwrap().is_some());
    line.forget();
    assert!(is_unavailable(&in_time(store.find_profile(user_id(1))).await));
    assert!(in_time(store.find_profile(user_id(1))).await.unwrap().is_some());
}

/// Starts a second read 2 s after the first, which must be abandoned by then, but not have timed out.
#[tokio::test]
async fn a_silent_shared_connection_serves_no_further_reads() {
    let database = TestDatabase::create().await;
    let (store, line) = store_over_line(&database, WAIT).await;
    assert!(store.find_profile(user_id(1)).await.unwrap().is_some());
    line.forget();
    let late = async {
        // After the connection is abandoned and before the first read times out.
        tokio::time::sleep(WAIT + WAIT / 3).await;
        tokio::time::timeout(WAIT, store.find_profile(user_id(1))).await
    };
    let (first, second) = in_time(async { tokio::join!(store.find_profile(user_id(1)), late) }).await;
    assert!(is_unavailable(&first));
    assert!(second.expect("waits behind the first").unwrap().is_some());
}

#[tokio::test]
async fn a_silent_pooled_connection_marks_the_idle_ones_as_suspect() {
    let database = TestDatabase::create().await;
    let (store, line) = store_over_line(&database, WAIT).await;
    let (one, other) = (begin(&store).await, begin(&store).await);
    one.commit().await.unwrap();
    other.commit().await.unwrap();
    line.forget();
    assert!(is_unavailable(&in_time(store.begin()).await));
    let (one, other) = in_time(async { (begin(&store).await, begin(&store).await) }).await;
    one.commit().await.unwrap();
    other.commit().await.unwrap();
}

#[tokio::test]
async fn a_page_without_a_response_times_out_and_the_next_one_succeeds() {
    let database = TestDatabase::create().await;
    let (store, line) = store_over_line(&database, WAIT).await;
    line.forget();
    assert!(is_unavailable(&in_time(store.walk(user_id(1), None, 10)).await));
    assert!(in_time(store.walk(user_id(1), None, 10)).await.is_ok());
}

#[tokio::test]
async fn an_incomplete_page_times_out() {
    let database = TestDatabase::create().await;
    let (store, line) = store_over_line(&database, WAIT).await;
    let mut unit = begin(&store).await;
    let sessions: Vec<_> = (1..=400).map(session).collect();
    unit.sleep().insert(user_id(1), &sessions).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(store.walk(user_id(1), None, 400).await.unwrap().len(), 400);
    line.vanish_after(10_000);
    assert!(is_unavailable(&in_time(store.walk(user_id(1), None, 400)).await));
}

/// Begins a unit of work after an outage; retries, because a connection on a busy machine may take longer
/// than one timeout.
async fn begin_again(store: &PostgresStore) -> Box<dyn UnitOfWork> {
    for _ in 0..10 {
        if let Ok(unit) = in_time(store.begin()).await {
            return unit;
        }
    }
    panic!("the store does not come back");
}

#[tokio::test]
async fn a_unit_of_work_without_a_response_times_out() {
    let database = TestDatabase::create().await;
    let (store, line) = store_over_line(&database, WAIT).await;
    let (mut finding, mut deleting) = (begin(&store).await, begin(&store).await);
    line.forget();
    assert!(is_unavailable(&in_time(finding.users().find(user_id(1))).await));
    assert!(is_unavailable(&in_time(deleting.users().delete(user_id(1))).await));
    drop(finding);
    // Well before a second response could time out.
    tokio::time::timeout(WAIT / 2, deleting.rollback()).await.expect("waits for the silent server").unwrap();
    let unit = begin_again(&store).await;
    line.forget();
    assert!(is_unavailable(&in_time(unit.commit()).await));
}

#[tokio::test]
async fn a_vanished_server_is_unavailable_within_the_limits_each_time() {
    let database = TestDatabase::create().await;
    let (store, line) = store_over_line(&database, WAIT).await;
    line.vanish_after(0);
    for _ in 0..2 {
        assert!(is_unavailable(&in_time(store.find_profile(user_id(1))).await));
        assert!(is_unavailable(&in_time(store.begin()).await));
        assert!(is_unavailable(&in_time(Box::pin(store.schema_state())).await));
    }
}
