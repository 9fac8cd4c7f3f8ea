//! A store of its own for each test, and the command line on it.

use super::server::Server;
use postgres_adapter::test_support::TestDatabase;
use serde_json::Value;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Which store a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreKind {
    Sqlite,
    Postgres,
}

/// A migrated store with settings that point at it.
pub(crate) struct World {
    pub(crate) kind: StoreKind,
    pub(crate) dir: TempDir,
    pub(crate) storage_url: String,
    pub(crate) settings: Vec<(String, String)>,
    /// Keeps the database until the test ends.
    pub(crate) database: Option<TestDatabase>,
}

impl World {
    /// Makes a store and migrates it with the program itself.
    pub(crate) async fn new(kind: StoreKind) -> Self {
        let dir = TempDir::new().expect("temporary folder");
        let (storage_url, database) = match kind {
            StoreKind::Sqlite => (format!("sqlite://{}", dir.path().join("restwell.db").display()), None),
            StoreKind::Postgres => {
                let database = TestDatabase::create().await;
                (database.url().to_owned(), Some(database))
            }
        };
        let settings = vec![
            ("RESTWELL__STORAGE__URL".to_owned(), storage_url.clone()),
            ("RESTWELL__SERVER__LISTEN".to_owned(), "127.0.0.1:0".to_owned()),
            // There is no load balancer that has to notice.
            ("RESTWELL__SERVER__DRAIN_SECONDS".to_owned(), "0".to_owned()),
            ("RESTWELL__LOG__FORMAT".to_owned(), "json".to_owned()),
        ];
        let world = Self { kind, dir, storage_url, settings, database };
        world.ok(&["migrate"]);
        world
    }

    /// Adds a setting, for commands and servers started from now on.
    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        self.settings.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The program with this world's settings and nothing else of the environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_restwell"));
        command.args(arguments).current_dir(self.dir.path()).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").envs(self.settings.iter().cloned());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("restwell runs")
    }

    /// Runs a command that must succeed; returns its standard output.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "restwell {arguments:?} failed: {errors}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Runs a command that must print one JSON value.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.ok(arguments);
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
    }

    /// Starts the server.
    pub(crate) fn serve(&self) -> Server {
        self.serve_as("server")
    }

    /// Starts one of several servers on the same store, with a log of its own.
    pub(crate) fn serve_as(&self, name: &str) -> Server {
        Server::start(self.command(&["serve"]), &self.dir.path().join(format!("{name}.log")))
    }

    /// Runs statements on the store, as an operator with another program could.
    pub(crate) async fn execute(&self, statements: &str) {
        match &self.database {
            Some(database) => database.execute(statements).await,
            None => sqlite_adapter::test_support::execute(&self.dir.path().join("restwell.db"), statements),
        }
    }

    /// Asks the store for one number, in a column called `number`.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        match &self.database {
            Some(database) => database.number(query).await,
            None => sqlite_adapter::test_support::number(&self.dir.path().join("restwell.db"), query),
        }
    }

    /// Writes a file into the world's folder; returns its path.
    pub(crate) fn file(&self, name: &str, content: &str) -> String {
        let path = self.dir.path().join(name);
        std::fs::write(&path, content).expect("file");
        path.display().to_string()
    }
}

/// Declares each test once and runs it on SQLite and on Postgres.
macro_rules! on_both_stores {
    ($($(#[$note:meta])* async fn $name:ident($world:ident: World) $body:block)*) => {
        $(
            mod $name {
                use super::*;
                use $crate::e2e::world::StoreKind;

                $(#[$note])*
                async fn scenario($world: World) $body

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn on_sqlite() {
                    scenario(World::new(StoreKind::Sqlite).await).await;
                }

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn on_postgres() {
                    scenario(World::new(StoreKind::Postgres).await).await;
                }
            }
        )*
    };
}
