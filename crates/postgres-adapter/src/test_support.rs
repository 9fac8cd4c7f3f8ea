//! Databases for tests: each test has its own, cloned from one migrated template.
//!
//! The environment variable `RESTWELL_TEST_POSTGRES` is the URL of a superuser's maintenance database;
//! `scripts/test` starts a cluster and sets it. Every function here panics on failure: a test without its
//! database must fail, not pass.

mod distributed;

use crate::{PostgresOptions, PostgresStore};
use distributed::Nodes;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio_postgres::{Client, NoTls};

/// Environment variable with the URL of the cluster.
pub const CLUSTER_VARIABLE: &str = "RESTWELL_TEST_POSTGRES";

/// Advisory lock for the creation of the template; an arbitrary number.
const TEMPLATE_LOCK: i64 = 7_310_868_735_422_391_405;

/// Directory of the migrations.
const MIGRATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/postgres");

/// Number of databases created by this process.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Database that is dropped together with this value, also if the test panics.
#[derive(Debug)]
pub struct TestDatabase {
    cluster: String,
    name: String,
    url: String,
    /// All nodes of a distributed database; empty for others.
    nodes: Nodes,
}

impl TestDatabase {
    /// Creates a migrated, empty database.
    ///
    /// # Panics
    ///
    /// If no cluster is set, or a statement fails.
    pub async fn create() -> Self {
        let cluster = cluster();
        let template = template(&cluster).await;
        // Copying the files takes half as long as the default, which writes them to the log. Version 14
        // always copies.
        let strategy = if version(&cluster).await < 150_000 { "" } else { "STRATEGY file_copy" };
        Self::make(cluster, &format!("TEMPLATE {template} {strategy}")).await
    }

    /// Creates a database without a schema.
    ///
    /// # Panics
    ///
    /// If no cluster is set, or a statement fails.
    pub async fn create_without_schema() -> Self {
        Self::make(cluster(), "TEMPLATE template0").await
    }

    async fn make(cluster: String, template: &str) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("restwell_test_{}_{number}", std::process::id());
        let client = client(&cluster).await;
        // A killed process with the same id may have left one behind.
        run(&client, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        run(&client, &format!("CREATE DATABASE {name} {template}")).await;
        let url = database_url(&cluster, &name);
        Self { cluster, name, url, nodes: Nodes::default() }
    }

    /// Returns the URL of the database.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs statements on the database over a separate connection.
    ///
    /// # Panics
    ///
    /// If a statement fails.
    pub async fn execute(&self, statements: &str) {
        run(&client(&self.url).await, statements).await;
    }

    /// Runs a query that returns one number.
    ///
    /// # Panics
    ///
    /// If the query fails or returns anything else.
    pub async fn number(&self, query: &str) -> i64 {
        let rows = demand(client(&self.url).await.simple_query(query).await, "the query fails");
        let number = rows.iter().find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
            _ => None,
        });
        demand(number.ok_or("no number"), "the query returns an unexpected value")
    }

    /// Runs statements in a transaction that stays open, with its locks, until the returned value is dropped.
    ///
    /// # Panics
    ///
    /// If a statement fails.
    pub async fn hold(&self, statements: &str) -> OpenTransaction {
        let client = client(&self.url).await;
        run(&client, &format!("BEGIN; {statements}")).await;
        OpenTransaction(client)
    }

    /// Creates a store with a small pool on the database.
    ///
    /// # Panics
    ///
    /// If the store rejects the URL of the cluster.
    pub fn store(&self) -> PostgresStore {
        let options = PostgresOptions { pool_size: 4, ..PostgresOptions::new(&self.url) };
        demand(PostgresStore::connect(&options), "the URL of the test database is refused")
    }
}

/// Open transaction on a separate connection; rolled back when dropped.
pub struct OpenTransaction(#[expect(dead_code, reason = "it is kept open")] Client);

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (cluster, statement) =
            (self.cluster.clone(), format!("DROP DATABASE {} WITH (FORCE)", self.name));
        let (name, nodes, url) = (self.name.clone(), self.nodes.clone(), self.url.clone());
        // On a separate thread, because `drop` cannot wait on the test's runtime. Errors are ignored: the
        // whole cluster is temporary.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            if let Ok(runtime) = runtime {
                runtime.block_on(async {
                    if !nodes.is_empty() {
                        return distributed::recycle(name, nodes, url).await;
                    }
                    let client = client(&cluster).await;
                    let _ = client.batch_execute(&statement).await;
                });
            }
        });
        let _ = dropping.join();
    }
}

/// Returns the URL of the cluster.
fn cluster() -> String {
    #[expect(clippy::disallowed_methods, reason = "tests have no settings; only they use the variable")]
    let url = std::env::var(CLUSTER_VARIABLE);
    demand(
        url,
        "RESTWELL_TEST_POSTGRES is not set. Run the tests with scripts/test, or start a cluster with \
         `scripts/postgres-cluster start DIR` and set the variable to the URL that it prints",
    )
}

/// Creates the template if it is missing; returns its name, which depends on the migrations.
async fn template(cluster: &str) -> String {
    let name = format!("restwell_template_{}", migrations_hash());
    let client = client(cluster).await;
    run(&client, &format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})")).await;
    // The mark is set last, so that an unfinished template is created again.
    let finished = format!("SELECT FROM pg_database WHERE datname = '{name}' AND datistemplate");
    let rows = client.simple_query(&finished).await;
    let is_finished = demand(rows, "the cluster does not list its databases")
        .iter()
        .any(|message| matches!(message, tokio_postgres::SimpleQueryMessage::Row(_)));
    if !is_finished {
        run(&client, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        run(&client, &format!("CREATE DATABASE {name} TEMPLATE template0")).await;
        let store = PostgresStore::connect(&PostgresOptions::new(database_url(cluster, &name)));
        let store = demand(store, "the URL of the test cluster is refused");
        demand(store.migrate().await, "the template cannot be migrated");
        drop(store);
        run(&client, &format!("ALTER DATABASE {name} WITH IS_TEMPLATE true")).await;
    }
    // The lock ends with the connection.
    name
}

/// Hashes the names and texts of the migrations.
fn migrations_hash() -> String {
    let unreadable = "the folder migrations/postgres cannot be read";
    let mut folders: Vec<_> = demand(Path::new(MIGRATIONS).read_dir(), unreadable)
        .map(|entry| demand(entry, unreadable).path())
        .collect();
    folders.sort();
    let mut hasher = Sha256::new();
    for folder in folders {
        hasher.update(folder.file_name().unwrap_or_default().as_encoded_bytes());
        hasher.update([0]);
        hasher.update(demand(std::fs::read(folder.join("up.sql")), unreadable));
    }
    hasher.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Replaces the database in a URL.
fn database_url(cluster: &str, database: &str) -> String {
    let (address, query) = cluster.split_once('?').map_or((cluster, None), |(a, q)| (a, Some(q)));
    let (scheme, rest) = address.split_once("://").unwrap_or(("postgres", address));
    let host = rest.split_once('/').map_or(rest, |(host, _)| host);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{scheme}://{host}/{database}{query}")
}

async fn client(cluster: &str) -> Client {
    let connected = tokio_postgres::connect(cluster, NoTls).await;
    let (client, connection) = demand(connected, "the cluster of RESTWELL_TEST_POSTGRES cannot be reached");
    tokio::spawn(connection);
    client
}

/// Returns the server's version, such as `150_004` for 15.4.
async fn version(cluster: &str) -> i32 {
    let row =
        client(cluster).await.query_one("SELECT current_setting('server_version_num')::integer", &[]).await;
    demand(row, "the cluster does not report its version").get(0)
}

async fn run(client: &Client, statement: &str) {
    demand(client.batch_execute(statement).await, statement);
}

/// Unwraps a result; panics with its error.
#[expect(clippy::panic, reason = "a test without its database must fail with the reason")]
#[track_caller]
fn demand<T, E: std::fmt::Debug>(result: Result<T, E>, why: &str) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{why} ({error:?})"),
    }
}
