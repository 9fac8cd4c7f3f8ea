//! A running server: a thread of this process, or a separate process.

use super::clock::TestClock;
use super::polling::TIMEOUT;
use postgres_adapter::test_support::TestDatabase;
use restwell::embedded::{self, Environment, Stop};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Running server, stopped on drop, so that a failing test leaves nothing behind.
pub(crate) struct Server {
    running: Running,
    pub(crate) base_url: String,
    /// Folder and database of its world, which a test may drop while the server is running.
    store: Option<(Arc<TempDir>, Option<Arc<TestDatabase>>)>,
}

enum Running {
    Embedded { stop: UnboundedSender<Stop>, thread: Option<JoinHandle<Result<(), String>>> },
    Process { child: Child, log: PathBuf },
}

impl Server {
    /// Starts a server in this process and waits until it listens.
    pub(crate) fn embed(environment: Environment, clock: Arc<TestClock>) -> Self {
        let (stop, stops) = unbounded_channel();
        let (listening, address) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
            let runtime = runtime.expect("runtime");
            let listening = move |address| listening.send(address).expect("the test waits");
            let outcome = runtime.block_on(embedded::serve(environment, clock, stops, listening));
            runtime.shutdown_background();
            outcome.map_err(|error| format!("{error:#}"))
        });
        match address.recv_timeout(TIMEOUT) {
            Ok(address) => Self {
                running: Running::Embedded { stop, thread: Some(thread) },
                base_url: format!("http://{address}"),
                store: None,
            },
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                panic!("restwell does not listen: {:?}", thread.join().expect("no panic"))
            }
        }
    }

    /// Starts a process and waits until it reports its address on standard error.
    pub(crate) fn spawn(mut command: Command, log: &Path) -> Self {
        let file = std::fs::File::create(log).expect("log file");
        let child = command.stdin(Stdio::null()).stderr(file).spawn().expect("restwell starts");
        let running = Running::Process { child, log: log.to_owned() };
        let mut server = Self { running, base_url: String::new(), store: None };
        server.base_url = server.wait_for_address();
        server
    }

    /// Keeps the folder and the database of a world until the server has stopped.
    pub(crate) fn on_store(mut self, dir: &Arc<TempDir>, database: Option<&Arc<TestDatabase>>) -> Self {
        self.store = Some((Arc::clone(dir), database.map(Arc::clone)));
        self
    }

    fn wait_for_address(&mut self) -> String {
        let started = Instant::now();
        loop {
            if let Some(url) = self.written().lines().find_map(address_in) {
                return url;
            }
            if let Some(status) = self.child().try_wait().expect("status") {
                panic!("restwell ended with {status}:\n{}", self.log());
            }
            assert!(started.elapsed() < TIMEOUT, "restwell does not listen:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns everything that the process has logged. Waits 100 ms, the maximum delay of a line.
    #[track_caller]
    pub(crate) fn log(&self) -> String {
        std::thread::sleep(LOG_DELAY);
        self.written()
    }

    /// Returns everything that the process has written to standard error.
    #[track_caller]
    fn written(&self) -> String {
        let Running::Process { log, .. } = &self.running else { panic!("{NO_PROCESS}") };
        std::fs::read_to_string(log).expect("log")
    }

    #[track_caller]
    fn child(&mut self) -> &mut Child {
        let Running::Process { child, .. } = &mut self.running else { panic!("{NO_PROCESS}") };
        child
    }

    /// Returns the process id.
    #[track_caller]
    pub(crate) fn pid(&self) -> u32 {
        let Running::Process { child, .. } = &self.running else { panic!("{NO_PROCESS}") };
        child.id()
    }

    /// Returns the peak of the process's resident memory, in bytes.
    pub(crate) fn peak_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("status");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("VmHWM");
        peak.trim().trim_end_matches(" kB").parse::<usize>().expect("KiB") * 1024
    }

    /// Returns the address for raw connections.
    pub(crate) fn address(&self) -> &str {
        self.base_url.strip_prefix("http://").expect("http address")
    }

    /// Stops the server as SIGTERM does and waits; returns the exit code.
    pub(crate) fn terminate(&mut self) -> Option<i32> {
        match &mut self.running {
            Running::Process { .. } => {
                self.signal("TERM");
                self.wait()
            }
            Running::Embedded { stop, thread } => {
                stop.send(Stop::Gracefully).expect("the server runs");
                let outcome = thread.take().expect("the server runs").join().expect("no panic");
                Some(i32::from(outcome.is_err()))
            }
        }
    }

    /// Kills the process, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.child().kill().expect("kill");
        self.child().wait().expect("wait");
    }

    /// Returns whether the process is still running.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child().try_wait().expect("status").is_none()
    }

    /// Sends a signal by name to the process.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits for the end of the process; returns the exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child().try_wait().expect("status") {
                return status.code();
            }
            assert!(started.elapsed() < TIMEOUT, "restwell does not end:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Maximum delay of a line of the log.
const LOG_DELAY: Duration = Duration::from_millis(100);

/// Panic message of tests that need a process.
const NO_PROCESS: &str = "this server is embedded; make its world with `in_processes`";

/// Raises the soft limit of open files of this process, which its servers inherit. It is the same for every
/// test, because all of them share the process.
pub(crate) fn allow_many_open_files() {
    const LIMIT: u64 = 8192;
    let limits = getrlimit(Resource::Nofile);
    if limits.current.is_some_and(|current| current < LIMIT) {
        let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(LIMIT), ..limits });
        assert!(raised.is_ok(), "the open file limit cannot be raised to {LIMIT}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        match &mut self.running {
            Running::Embedded { stop, thread } => {
                let _ = stop.send(Stop::AtOnce);
                if let Some(Ok(Err(error))) = thread.take().map(JoinHandle::join) {
                    eprintln!("the server failed: {error}");
                }
            }
            Running::Process { child, log } => {
                if std::thread::panicking() {
                    let log = std::fs::read_to_string(log).unwrap_or_default();
                    let last: Vec<&str> = log.lines().rev().take(20).collect();
                    eprintln!("last lines of the server's log, newest first:\n{}", last.join("\n"));
                }
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }
}

/// Finds the address in a log line such as `{"...":"listening","address":"http://127.0.0.1:4711"}`, or in the
/// text format, `INFO restwell: listening address=127.0.0.1:4711`.
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
