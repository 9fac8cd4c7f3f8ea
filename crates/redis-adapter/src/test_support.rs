//! A Redis server per test, from the distribution's package.
//!
//! The program is named by the environment variable `RESTWELL_TEST_REDIS_SERVER`, which `scripts/test` sets;
//! otherwise `redis-server` or `valkey-server` from the path.

use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Environment variable with the path of the program.
pub const SERVER_VARIABLE: &str = "RESTWELL_TEST_REDIS_SERVER";

/// Timeout for starting and stopping a server.
const START_STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// A running server on a Unix socket in a temporary folder; dropping it stops the server and removes the
/// folder.
#[derive(Debug)]
pub struct RedisServer {
    dir: TempDir,
    child: Option<Child>,
    options: Vec<String>,
}

impl RedisServer {
    /// Starts a server without persistence.
    ///
    /// # Panics
    ///
    /// If the program is missing or does not start.
    pub fn start() -> Self {
        let mut server = Self::prepare(&[]);
        server.restart();
        server
    }

    /// Prepares a server with additional command-line options; `restart` starts it.
    ///
    /// # Panics
    ///
    /// If the folder cannot be created.
    pub fn prepare(options: &[&str]) -> Self {
        let dir = demand(TempDir::with_prefix("restwell-redis."), "temporary folder");
        Self { dir, child: None, options: options.iter().map(|option| (*option).to_owned()).collect() }
    }

    /// Starts the server, which must be stopped, and waits until it accepts connections.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn restart(&mut self) {
        let log = demand(File::create(self.dir.path().join("log")), "log");
        let mut command = Command::new(program());
        command.args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"]).arg(self.socket());
        command.arg("--dir").arg(self.dir.path()).args(&self.options);
        let child = command.stdin(Stdio::null()).stdout(log).stderr(Stdio::null()).spawn();
        self.child = Some(demand(child, "redis-server"));
        let started = Instant::now();
        while UnixStream::connect(self.socket()).is_err() {
            assert!(started.elapsed() < START_STOP_TIMEOUT, "the server does not start:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// URL of the server's socket.
    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    /// Folder of the server.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Kills the server.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have exited already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Suspends the server: it keeps its connections and does not reply.
    pub fn pause(&self) {
        self.signal("STOP");
    }

    /// Resumes a suspended server.
    pub fn resume(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let Some(child) = &self.child else { return };
        let sent = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status();
        assert!(demand(sent, "kill").success(), "the signal {name} was not sent");
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("socket")
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default()
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

#[expect(clippy::disallowed_methods, reason = "the path of a program for tests is not a setting")]
fn program() -> String {
    let named = std::env::var(SERVER_VARIABLE).ok();
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = || ["redis-server", "valkey-server"].into_iter().find(is_there).map(str::to_owned);
    match named.or_else(found) {
        Some(program) => program,
        None => demand(Err("run: scripts/packages test"), "redis-server is missing"),
    }
}

#[expect(clippy::panic, reason = "a test that cannot be prepared must fail with the reason")]
#[track_caller]
fn demand<T, E: std::fmt::Display>(result: Result<T, E>, what: &str) -> T {
    result.unwrap_or_else(|error| panic!("{what}: {error}"))
}
