//! Clusters and poolers for one test, started by the project's scripts.

use postgres_adapter::{PostgresOptions, PostgresStore};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Time limit on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Runs a script of the project; returns its output.
fn script(name: &str, arguments: &[&str]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts").join(name);
    let output = Command::new(path).args(arguments).output().unwrap();
    assert!(output.status.success(), "{name} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Creates a folder that the server's user may enter.
fn folder() -> PathBuf {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!("/tmp/restwell-scale-{}-{number}", std::process::id()))
}

/// Dedicated cluster, removed when dropped.
pub(crate) struct Cluster {
    folder: PathBuf,
    pub(crate) url: String,
}

impl Cluster {
    /// Starts a primary with streaming replication.
    pub(crate) fn primary() -> Self {
        Self::start(&["--primary"])
    }

    /// Starts a standby of this cluster.
    pub(crate) fn standby(&self) -> Self {
        Self::start(&["--standby-of", self.folder.to_str().unwrap()])
    }

    fn start(kind: &[&str]) -> Self {
        let folder = folder();
        let mut arguments = vec!["start", folder.to_str().unwrap()];
        arguments.extend(kind);
        let url = script("postgres-cluster", &arguments);
        Self { folder, url }
    }

    /// Kills the server, as a power failure would.
    pub(crate) fn kill(&self) {
        script("postgres-cluster", &["kill", self.folder.to_str().unwrap()]);
    }

    /// Stops the server's processes: it accepts connections and does not respond.
    pub(crate) fn freeze(&self) {
        script("postgres-cluster", &["freeze", self.folder.to_str().unwrap()]);
    }

    /// Resumes a stopped server.
    pub(crate) fn thaw(&self) {
        script("postgres-cluster", &["thaw", self.folder.to_str().unwrap()]);
    }

    /// Promotes a standby.
    pub(crate) fn promote(&self) {
        script("postgres-cluster", &["promote", self.folder.to_str().unwrap()]);
    }

    pub(crate) fn host(&self) -> String {
        self.folder.join("socket").to_str().unwrap().replace('/', "%2F")
    }

    /// Opens a connection outside the store.
    pub(crate) async fn bystander(&self) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    /// Creates a store with a small pool.
    pub(crate) fn store(&self) -> PostgresStore {
        PostgresStore::connect(&PostgresOptions { pool_size: 4, ..PostgresOptions::new(&self.url) }).unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        script("postgres-cluster", &["stop", self.folder.to_str().unwrap()]);
    }
}

/// PgBouncer in front of a cluster.
pub(crate) struct Pooler {
    folder: PathBuf,
    address: String,
}

/// Time at which a server session returns to the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PoolMode {
    /// When the client disconnects.
    Session,
    /// At the end of each transaction.
    Transaction,
}

impl PoolMode {
    /// Returns the modes in which the installed PgBouncer supports prepared statements.
    pub(crate) fn supported() -> Vec<Self> {
        if Pooler::version() < (1, 21) { vec![Self::Session] } else { vec![Self::Session, Self::Transaction] }
    }
}

impl Pooler {
    /// Returns the installed version.
    pub(crate) fn version() -> (u32, u32) {
        let text = script("pgbouncer", &["version"]);
        let (major, minor) = text.split_once('.').unwrap();
        (major.parse().unwrap(), minor.parse().unwrap())
    }

    /// Starts a pooler in front of the cluster of this URL.
    pub(crate) fn before(url: &str, mode: PoolMode) -> Self {
        let config: tokio_postgres::Config = url.parse().unwrap();
        let [tokio_postgres::config::Host::Unix(socket)] = config.get_hosts() else {
            panic!("the tests of the pooler need a cluster on a Unix socket, as scripts/test starts it");
        };
        let folder = folder();
        let mode = match mode {
            PoolMode::Session => "session",
            PoolMode::Transaction => "transaction",
        };
        let arguments = ["start", folder.to_str().unwrap(), socket.to_str().unwrap(), mode];
        let address = script("pgbouncer", &arguments);
        Self { folder, address }
    }

    /// Returns the pooler's URL for the database of another URL.
    pub(crate) fn url(&self, of: &str) -> String {
        let config: tokio_postgres::Config = of.parse().unwrap();
        format!("{}/{}", self.address, config.get_dbname().unwrap())
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        script("pgbouncer", &["stop", self.folder.to_str().unwrap()]);
    }
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < TIMEOUT, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
