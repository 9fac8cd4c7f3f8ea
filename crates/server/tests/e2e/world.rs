//! A separate store for each test, and the command line on it.

use super::clock::TestClock;
use super::server::Server;
use chrono::TimeDelta;
use postgres_adapter::test_support::TestDatabase;
use restwell::embedded::{self, CommandOutput, Environment};
use serde_json::Value;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;
use tokio::runtime::Runtime;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreKind {
    Sqlite,
    Postgres,
}

/// Migrated store with settings for it; clones share the store and the clock.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) kind: StoreKind,
    pub(crate) dir: Arc<TempDir>,
    pub(crate) storage_url: String,
    pub(crate) settings: Vec<(String, String)>,
    starts_processes: bool,
    clock: Arc<TestClock>,
    pub(crate) database: Option<Arc<TestDatabase>>,
}

impl World {
    /// Creates a migrated store with a signing key.
    pub(crate) async fn new(kind: StoreKind) -> Self {
        let dir = TempDir::new().expect("temporary folder");
        let database = match kind {
            StoreKind::Sqlite => None,
            StoreKind::Postgres => Some(TestDatabase::create().await),
        };
        let world = Self::on(dir, database);
        match kind {
            StoreKind::Sqlite => PreparedFiles::shared().copy_to(world.dir.path()),
            StoreKind::Postgres => drop(world.ok(&["migrate"])),
        }
        world
    }

    /// Creates a migrated store on Citus with a signing key.
    pub(crate) async fn distributed() -> Self {
        let database = TestDatabase::create_distributed().await;
        let world = Self::on(TempDir::new().expect("temporary folder"), Some(database));
        world.ok(&["migrate"]);
        world
    }

    /// Describes the store in a database; without one, in a file of the folder.
    pub(crate) fn on(dir: TempDir, database: Option<TestDatabase>) -> Self {
        let kind = if database.is_some() { StoreKind::Postgres } else { StoreKind::Sqlite };
        let storage_url = match &database {
            Some(database) => database.url().to_owned(),
            None => format!("sqlite://{}", dir.path().join(STORE_FILE).display()),
        };
        let settings = vec![
            ("RESTWELL__STORAGE__URL".to_owned(), storage_url.clone()),
            (
                "RESTWELL__STORAGE__DATA_DIR".to_owned(),
                dir.path().join("restwell-data").display().to_string(),
            ),
            ("RESTWELL__SERVER__LISTEN".to_owned(), "127.0.0.1:0".to_owned()),
            // No load balancer has to notice the shutdown.
            ("RESTWELL__SERVER__DRAIN_SECONDS".to_owned(), "0".to_owned()),
            ("RESTWELL__LOG__FORMAT".to_owned(), "json".to_owned()),
        ];
        Self {
            kind,
            dir: Arc::new(dir),
            storage_url,
            settings,
            starts_processes: false,
            clock: Arc::default(),
            database: database.map(Arc::new),
        }
    }

    /// Starts commands and servers as processes from now on: for tests of logs, signals, crashes, metrics,
    /// traces, memory or the environment.
    pub(crate) fn in_processes(mut self) -> Self {
        self.starts_processes = true;
        self
    }

    /// Adds a setting for commands and servers started from now on.
    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        self.settings.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Moves the clock of this world's embedded commands and servers forward.
    pub(crate) fn advance(&self, by: TimeDelta) {
        assert!(!self.starts_processes, "processes have the machine's clock");
        self.clock.advance(by);
    }

    fn environment(&self) -> Environment {
        self.settings.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// Returns a process of the program, with this world's settings and an otherwise empty environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_restwell"));
        command.args(arguments).current_dir(self.dir.path()).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").envs(self.settings.iter().cloned());
        command
    }

    /// Runs a command to completion.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.run_with_input(arguments, "")
    }

    /// Runs a command with this standard input to completion.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        // An embedded command would serve until the test ends.
        let serves = arguments.contains(&"serve") || arguments.contains(&"demo");
        if self.starts_processes || serves {
            return run_process(self.command(arguments), input);
        }
        let run = || {
            let command =
                embedded::run_command(arguments, self.environment(), self.clock.clone(), input.as_bytes());
            runtime().block_on(command)
        };
        // On a separate thread: the test's thread cannot block on another runtime.
        let output = std::thread::scope(|scope| scope.spawn(run).join());
        let CommandOutput { code, stdout, stderr } = output.expect("no panic");
        Output { status: ExitStatus::from_raw(i32::from(code) << 8), stdout, stderr }
    }

    /// Runs a command that must succeed; returns its standard output.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        self.ok_with_input(arguments, "")
    }

    /// Runs a command with this standard input, which must succeed; returns its standard output.
    pub(crate) fn ok_with_input(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run_with_input(arguments, input);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "restwell {arguments:?} failed: {errors}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Runs a command that must print one JSON value.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.ok(arguments);
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
    }

    /// Runs a command that must print one JSON value per line.
    pub(crate) fn json_lines(&self, arguments: &[&str]) -> Vec<Value> {
        json_lines(&self.ok(arguments))
    }

    /// Runs a command that must fail without a result; returns its error.
    pub(crate) fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code().is_some_and(|code| code == 1 || code == 2), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?} printed a result");
        assert!(!error.is_empty() && !error.contains("panicked"), "{arguments:?}: {error}");
        error
    }

    /// Starts the server.
    pub(crate) fn serve(&self) -> Server {
        self.serve_as("server")
    }

    /// Starts one of several servers on the same store, with a separate log.
    pub(crate) fn serve_as(&self, name: &str) -> Server {
        let server = if self.starts_processes {
            Server::spawn(self.command(&["serve"]), &self.dir.path().join(format!("{name}.log")))
        } else {
            Server::embed(self.environment(), self.clock.clone())
        };
        server.on_store(&self.dir, self.database.as_ref())
    }

    /// Executes statements on the store, bypassing the program.
    pub(crate) async fn execute(&self, statements: &str) {
        match &self.database {
            Some(database) => database.execute(statements).await,
            None => sqlite_adapter::test_support::execute(&self.dir.path().join(STORE_FILE), statements),
        }
    }

    /// Runs a query that returns one number, in a column named `number`.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        match &self.database {
            Some(database) => database.number(query).await,
            None => sqlite_adapter::test_support::number(&self.dir.path().join(STORE_FILE), query),
        }
    }

    /// Writes a file into the world's folder; returns its path.
    pub(crate) fn file(&self, name: &str, content: &str) -> String {
        self.file_of_bytes(name, content.as_bytes())
    }

    /// Writes a file that need not be a text and returns its path.
    pub(crate) fn file_of_bytes(&self, name: &str, content: &[u8]) -> String {
        let path = self.dir.path().join(name);
        std::fs::write(&path, content).expect("file");
        path.display().to_string()
    }
}

/// Parses text with one JSON value per line.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// File name of an embedded store in a world's folder.
const STORE_FILE: &str = "restwell.db";

/// Runtime of embedded commands.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().expect("runtime"))
}

/// Runs a process with this standard input to completion.
pub(crate) fn run_process(mut command: Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("restwell runs");
    // A command that reads no input may have exited already.
    let _ = child.stdin.take().expect("standard input").write_all(input.as_bytes());
    child.wait_with_output().expect("end")
}

/// Files of a migrated embedded store, created once per test run.
struct PreparedFiles(Vec<(&'static str, Vec<u8>)>);

impl PreparedFiles {
    fn shared() -> &'static Self {
        static FILES: OnceLock<PreparedFiles> = OnceLock::new();
        FILES.get_or_init(|| {
            // A process, so that no open connection holds back changes to the files.
            let world = World::on(TempDir::new().expect("temporary folder"), None).in_processes();
            world.ok(&["migrate"]);
            let read = |name| (name, std::fs::read(world.dir.path().join(name)).expect("prepared file"));
            Self([STORE_FILE, "restwell.key"].map(read).into())
        })
    }

    fn copy_to(&self, folder: &Path) {
        for (name, content) in &self.0 {
            let mut options = std::fs::OpenOptions::new();
            let file = options.create_new(true).write(true).mode(0o600).open(folder.join(name));
            file.and_then(|mut file| file.write_all(content)).expect("copy");
        }
    }
}

/// Declares tests that do not depend on the store and runs them on SQLite.
macro_rules! on_sqlite {
    ($($(#[$note:meta])* async fn $name:ident($world:ident: World) $body:block)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            $(#[$note])*
            async fn $name() {
                let $world = World::new($crate::e2e::world::StoreKind::Sqlite).await;
                $body
            }
        )*
    };
}

/// Declares tests and runs each on SQLite and on Postgres.
macro_rules! on_both_stores {
    ($($(#[$note:meta])* async fn $name:ident($world:ident: World) $body:block)*) => {
        $(
            mod $name {
                use super::*;

                $(#[$note])*
                async fn scenario($world: World) $body

                on_each_store!(scenario);
            }
        )*
    };
}

/// Declares tests and runs each on SQLite, on Postgres, and on Postgres with tables distributed by Citus.
macro_rules! on_all_stores {
    ($($(#[$note:meta])* async fn $name:ident($world:ident: World) $body:block)*) => {
        $(
            mod $name {
                use super::*;

                $(#[$note])*
                async fn scenario($world: World) $body

                on_each_store!(scenario);

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn on_postgres_with_citus() {
                    scenario(World::distributed().await).await;
                }
            }
        )*
    };
}

/// Runs a scenario on SQLite and on Postgres.
macro_rules! on_each_store {
    ($scenario:ident) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn on_sqlite() {
            $scenario(World::new($crate::e2e::world::StoreKind::Sqlite).await).await;
        }

        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn on_postgres() {
            $scenario(World::new($crate::e2e::world::StoreKind::Postgres).await).await;
        }
    };
}
