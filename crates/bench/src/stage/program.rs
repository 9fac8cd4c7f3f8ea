//! The measured program: its commands and servers.

use crate::load::{Connection, on_own_thread};
use crate::process::{Running, Watched};
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Address shared by all servers, so that they accept each other's tokens.
const PUBLIC_URL: &str = "http://localhost:8080";
/// Daily limit: counted but never reached.
const LIMIT: &str = "1000000000";
const LIMITED: [&str; 6] = ["PROFILE", "SLEEP", "SUPPLEMENTS", "CHANGES", "EXPORT", "INGEST"];

/// The program and its settings; the environment is ignored.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    binary: PathBuf,
    folder: PathBuf,
    /// Whether logs of its servers are kept; otherwise they are discarded.
    keeps_logs: bool,
    settings: BTreeMap<String, String>,
}

impl Program {
    /// The program with all checks and limits that are counted but never reached.
    pub(crate) fn new(binary: &Path, folder: &Path) -> anyhow::Result<Self> {
        let binary = std::path::absolute(binary)?;
        ensure!(binary.is_file(), "{} is no program", binary.display());
        let mut this =
            Self { binary, folder: folder.to_path_buf(), keeps_logs: false, settings: BTreeMap::new() }
                .with("STORAGE__DATA_DIR", &folder.join("data").display().to_string())
                .with("SERVER__PUBLIC_URL", PUBLIC_URL);
        for endpoint in LIMITED {
            this = this.with(&format!("RATE_LIMITS__{endpoint}"), LIMIT);
        }
        Ok(this)
    }

    /// The same with logs in files. With a line per request they must not fill the disk.
    #[must_use]
    pub(crate) const fn keeping_logs(mut self, keeps_logs: bool) -> Self {
        self.keeps_logs = keeps_logs;
        self
    }

    /// Returns the path of the program.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// Returns the same with another setting, such as `RATE_LIMITS__STORE_URL`.
    #[must_use]
    pub(crate) fn with(mut self, setting: &str, value: &str) -> Self {
        self.settings.insert(format!("RESTWELL__{setting}"), value.to_owned());
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).env_clear().env("PATH", "/usr/bin:/bin").envs(&self.settings);
        command
    }

    /// Runs a command with this input and returns its output.
    pub(crate) fn run(&self, arguments: &[&str], input: Option<&str>) -> anyhow::Result<String> {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            pipe.write_all(input.unwrap_or_default().as_bytes())?;
        }
        let done = child.wait_with_output()?;
        if !done.status.success() {
            let name = arguments.iter().take(2).copied().collect::<Vec<_>>().join(" ");
            bail!("restwell {name}: {}", String::from_utf8_lossy(&done.stderr).trim());
        }
        Ok(String::from_utf8(done.stdout)?.trim().to_owned())
    }

    /// Runs a command that prints one JSON object.
    pub(crate) fn json(&self, arguments: &[&str]) -> anyhow::Result<Value> {
        Ok(serde_json::from_str(&self.run(arguments, None)?)?)
    }

    /// Returns the program's version.
    pub(crate) fn version(&self) -> anyhow::Result<String> {
        self.run(&["--version"], None)
    }

    /// Starts a server and waits until it is ready.
    pub(crate) fn serve(&self) -> anyhow::Result<Server> {
        self.serve_on(&[])
    }

    /// Starts a server on these processors, or on all if none are given.
    pub(crate) fn serve_on(&self, processors: &[usize]) -> anyhow::Result<Server> {
        let address = free_address()?;
        let with_address = self.clone().with("SERVER__LISTEN", &address.to_string());
        let mut command = with_address.command(&["serve"]);
        if !processors.is_empty() {
            let list = processors.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            let mut pinned = Command::new("taskset");
            pinned.args(["-c", &list]).arg(&self.binary).arg("serve");
            pinned.env_clear().env("PATH", "/usr/bin:/bin").envs(&with_address.settings);
            command = pinned;
        }
        let log = if self.keeps_logs {
            self.folder.join(format!("server-{}.log", address.port()))
        } else {
            PathBuf::from("/dev/null")
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        let started = Instant::now();
        let mut process = Running::start(&mut command)?;
        wait_for_answer(address, "/readyz", &mut process)
            .with_context(|| last_words(&log).unwrap_or("with --short it says why".to_owned()))?;
        Ok(Server { process, address, started_in: started.elapsed() })
    }
}

/// Returns the last lines of a log; `None` if it is empty.
fn last_words(log: &Path) -> Option<String> {
    let text = std::fs::read_to_string(log).ok()?;
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.get(lines.len().saturating_sub(5)..)?;
    (!last.is_empty()).then(|| last.join("\n"))
}

/// A ready server.
#[derive(Debug)]
pub(crate) struct Server {
    process: Running,
    pub(crate) address: SocketAddr,
    /// Time from process start to the first successful response.
    pub(crate) started_in: Duration,
}

impl Server {
    /// Returns its CPU time and memory source.
    pub(crate) fn watched(&self) -> Watched {
        Watched::Alone(self.process.id())
    }

    /// Sends one request; returns status and body.
    pub(crate) fn ask(&self, request: &[u8]) -> anyhow::Result<(u16, Vec<u8>)> {
        ask(self.address, request)
    }
}

/// Sends one request over a new connection; returns status and body.
pub(crate) fn ask(address: SocketAddr, request: &[u8]) -> anyhow::Result<(u16, Vec<u8>)> {
    let request = request.to_vec();
    on_own_thread(async move || {
        let mut connection = Connection::open(address, None).await?;
        let mut body = Vec::new();
        let answer = connection.exchange(&request, &mut |piece| body.extend_from_slice(piece)).await?;
        Ok((answer.status, body))
    })
}

/// Returns an unused loopback address.
pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// Polls until the response is 200.
pub(crate) fn wait_for_answer(address: SocketAddr, path: &str, process: &mut Running) -> anyhow::Result<()> {
    let started = Instant::now();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    loop {
        if ask(address, request.as_bytes()).is_ok_and(|(status, _)| status == 200) {
            return Ok(());
        }
        ensure!(
            process.is_running() && started.elapsed() < Duration::from_secs(30),
            "a server at {address} did not start"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}
