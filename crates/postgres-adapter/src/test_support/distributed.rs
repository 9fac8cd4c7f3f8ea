//! Databases on a Citus cluster, distributed by `deploy/citus/distribute.sql`.
//!
//! Such a database exists on every node and takes half a second to copy, so those of finished tests are
//! emptied and used again.

use super::{NUMBER, TestDatabase, client, database_url, demand, migrations_hash, run};
use crate::{PostgresOptions, PostgresStore};
use futures_util::future::join_all;
use sha2::{Digest, Sha256};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock, PoisonError};
use tokio_postgres::Client;

/// Environment variable with the URL of the coordinator.
const COORDINATOR_VARIABLE: &str = "RESTWELL_TEST_CITUS";

const DISTRIBUTE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/citus/distribute.sql");

/// Advisory lock for joining nodes; an arbitrary number.
const TEMPLATE_LOCK: i64 = 6_042_119_302_871_553_210;

/// Emptied databases of finished tests.
static FREE: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Number of columns and migrations of the template: a test may have changed the schema.
static SHAPE: OnceLock<i64> = OnceLock::new();

/// Deletes every row. Those of distributed tables go with their people.
const EMPTY: &str = "
    SET lock_timeout = '5s';
    SET citus.multi_shard_modify_mode = 'sequential';
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'restwell' AND backend_type = 'client backend';
    DO $$
    DECLARE
        one text;
    BEGIN
        DELETE FROM person;
        FOR one IN
            SELECT c.relname FROM pg_class c LEFT JOIN pg_dist_partition d ON d.logicalrelid = c.oid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND d.partmethod IS DISTINCT FROM 'h'
                AND NOT c.relispartition AND c.relname NOT LIKE '%schema%' AND c.relname !~ '_[0-9]{6}$'
        LOOP
            EXECUTE format('DELETE FROM %I', one);
        END LOOP;
    END
    $$;";

/// Nodes of the cluster as URLs of their maintenance databases; the coordinator first.
#[derive(Debug, Clone, Default)]
pub(super) struct Nodes(Vec<String>);

impl Nodes {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs a statement on the maintenance database of every node at once.
    async fn run(&self, statement: &str) {
        join_all(self.0.iter().map(async |node| run(&client(node).await, statement).await)).await;
    }

    /// Runs a statement on a database of every node at once.
    async fn run_on(&self, database: &str, statement: &str) {
        let urls = self.0.iter().map(|node| database_url(node, database));
        join_all(urls.map(async |url| run(&client(&url).await, statement).await)).await;
    }
}

impl TestDatabase {
    /// Creates or reuses an empty database that is distributed over the workers.
    ///
    /// # Panics
    ///
    /// If no coordinator is set, or a statement fails.
    pub async fn create_distributed() -> Self {
        let nodes = nodes().await;
        let cluster = nodes.0.first().cloned().unwrap_or_default();
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let name = match free {
            Some(name) => name,
            None => copy_template(&nodes, &cluster).await,
        };
        let url = database_url(&cluster, &name);
        if SHAPE.get().is_none() {
            let counted = shape(&client(&url).await).await;
            SHAPE.get_or_init(|| counted.unwrap_or_default());
        }
        Self { cluster, name, url, nodes }
    }

    /// Creates a database with the extension on every node and without a schema.
    ///
    /// # Panics
    ///
    /// If no coordinator is set, or a statement fails.
    pub async fn create_on_nodes() -> Self {
        let nodes = nodes().await;
        let cluster = nodes.0.first().cloned().unwrap_or_default();
        let name =
            format!("restwell_nodes_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        // Nodes of two databases that join at once fail: "tuple concurrently updated".
        let lock = client(&cluster).await;
        run(&lock, &format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})")).await;
        make_cluster(&nodes, &name).await;
        drop(lock);
        let url = database_url(&cluster, &name);
        Self { cluster, name, url, nodes }
    }

    /// Distributes the tables as an operator does; returns what psql reports.
    ///
    /// # Panics
    ///
    /// If psql cannot be started.
    pub fn distribute(&self) -> Result<(), String> {
        let arguments = ["--no-psqlrc", "--quiet", "--set", "shards=4", "--file", DISTRIBUTE, &self.url];
        let output = demand(Command::new("psql").args(arguments).output(), "psql cannot be started");
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

impl TestDatabase {
    /// Deletes every row and ends the sessions of the program.
    ///
    /// # Panics
    ///
    /// If a statement fails.
    pub async fn empty(&self) {
        run(&client(&self.url).await, EMPTY).await;
    }
}

/// Empties a database for another test, or removes it if that fails.
pub(super) async fn recycle(database: String, nodes: Nodes, url: String) {
    let connected = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
    if let Ok((client, connection)) = connected {
        tokio::spawn(connection);
        let is_intact =
            database.starts_with("restwell_test_") && SHAPE.get() == shape(&client).await.as_ref();
        if is_intact && client.batch_execute(EMPTY).await.is_ok() {
            FREE.lock().unwrap_or_else(PoisonError::into_inner).push(database);
            return;
        }
    }
    nodes.run(&format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)")).await;
}

/// Returns a number that changes with the schema; `None` if it cannot be read.
async fn shape(client: &Client) -> Option<i64> {
    const SHAPE: &str = "SELECT (SELECT count(*) FROM schema_compatibility) + (
        SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = 'public'::regnamespace)";
    client.query_one(SHAPE, &[]).await.ok().map(|row| row.get(0))
}

async fn nodes() -> Nodes {
    #[expect(clippy::disallowed_methods, reason = "tests have no settings; only they use the variable")]
    let url = std::env::var(COORDINATOR_VARIABLE);
    let url =
        demand(url, "RESTWELL_TEST_CITUS is not set; scripts/test sets it or skips the tests named citus");
    let query = "SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid";
    let rows = demand(client(&url).await.query(query, &[]).await, "the cluster does not list its nodes");
    let node = |row: &tokio_postgres::Row| {
        let (host, port): (String, i32) = (row.get(0), row.get(1));
        format!("postgres://postgres@{host}:{port}/postgres")
    };
    Nodes(rows.iter().map(node).collect())
}

/// Creates a database with the extension on every node and joins the nodes.
async fn make_cluster(nodes: &Nodes, name: &str) {
    nodes.run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
    nodes.run(&format!("CREATE DATABASE {name} TEMPLATE template0")).await;
    nodes.run_on(name, "CREATE EXTENSION citus").await;
    let joining = nodes.0.iter().enumerate().map(|(place, node)| {
        let address = node.trim_start_matches("postgres://postgres@").trim_end_matches("/postgres");
        let (host, port) = address.split_once(':').unwrap_or_default();
        let join = if place == 0 { "citus_set_coordinator_host" } else { "citus_add_node" };
        format!("SELECT {join}('{host}', {port});")
    });
    let joining: String = joining.collect();
    let coordinator = nodes.0.first().map(|node| database_url(node, name)).unwrap_or_default();
    run(&client(&coordinator).await, &joining).await;
}

/// Copies the template, which is created if it is missing; returns the name of the copy.
async fn copy_template(nodes: &Nodes, coordinator: &str) -> String {
    let script = demand(std::fs::read(DISTRIBUTE), "deploy/citus/distribute.sql cannot be read");
    let hash = Sha256::digest(script).iter().take(4).fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
    let template = format!("restwell_distributed_{}_{hash:08x}", migrations_hash());
    let lock: Client = client(coordinator).await;
    run(&lock, &format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})")).await;
    let finished = format!("SELECT FROM pg_database WHERE datname = '{template}' AND NOT datallowconn");
    if demand(lock.query(&finished, &[]).await, "the cluster does not list its databases").is_empty() {
        make_cluster(nodes, &template).await;
        let url = database_url(coordinator, &template);
        let store = demand(PostgresStore::connect(&PostgresOptions::new(&url)), "the URL is refused");
        demand(store.migrate().await, "the template cannot be migrated");
        drop(store);
        let database =
            TestDatabase { cluster: String::new(), name: String::new(), url, nodes: Nodes::default() };
        demand(database.distribute(), "the template cannot be distributed");
        std::mem::forget(database);
        // The engine's daemons would keep it in use.
        let close = format!(
            "ALTER DATABASE {template} ALLOW_CONNECTIONS false;
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{template}'"
        );
        nodes.run(&close).await;
    }
    let name = format!("restwell_test_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    nodes.run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
    nodes.run(&format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")).await;
    name
}
