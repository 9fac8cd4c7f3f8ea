//! A running server, and what it said.

use super::patience::PATIENCE;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server process; killed when dropped, so that a failing test leaves nothing behind.
pub(crate) struct Server {
    child: Child,
    log: std::path::PathBuf,
    pub(crate) base_url: String,
}

impl Server {
    /// Starts `command` and waits until it tells on standard error where it listens.
    pub(crate) fn start(mut command: Command, log: &Path) -> Self {
        let file = std::fs::File::create(log).expect("log file");
        let child = command.stdin(Stdio::null()).stderr(file).spawn().expect("restwell starts");
        let mut server = Self { child, log: log.to_owned(), base_url: String::new() };
        server.base_url = server.wait_for_address();
        server
    }

    fn wait_for_address(&mut self) -> String {
        let started = Instant::now();
        loop {
            if let Some(url) = self.log().lines().find_map(address_in) {
                return url;
            }
            if let Some(status) = self.child.try_wait().expect("status") {
                panic!("restwell ended with {status}:\n{}", self.log());
            }
            assert!(started.elapsed() < PATIENCE, "restwell does not listen:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Everything the server wrote to standard error so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("log")
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The address for raw connections.
    pub(crate) fn address(&self) -> &str {
        self.base_url.strip_prefix("http://").expect("http address")
    }

    /// Sends SIGTERM and waits; returns the exit code.
    pub(crate) fn terminate(&mut self) -> Option<i32> {
        self.signal("TERM");
        self.wait()
    }

    /// Kills the process without warning, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("kill");
        self.child.wait().expect("wait");
    }

    /// Returns whether the process has not ended yet.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("status").is_none()
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits for the end; returns the exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("status") {
                return status.code();
            }
            assert!(started.elapsed() < PATIENCE, "restwell does not end:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(&self.log).unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(20).collect();
            eprintln!("the server said last, the latest first:\n{}", last.join("\n"));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Finds the address in a log line such as `{"...":"listening","address":"http://127.0.0.1:4711"}`, or in the
/// text for people, `INFO restwell: listening address=127.0.0.1:4711`.
fn address_in(line: &str) -> Option<String> {
    let url = |address: &str| format!("http://{}", address.trim_start_matches("http://"));
    let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else {
        let (_, fields) = line.split_once(" listening ")?;
        return fields.split(' ').find_map(|field| field.strip_prefix("address=")).map(url);
    };
    let fields = line.get("fields").unwrap_or(&line);
    let message = fields.get("message")?.as_str()?;
    let address = fields.get("address").and_then(serde_json::Value::as_str)?;
    (message == "listening").then(|| url(address))
}
