//! A Postgres server with production durability.

use crate::process::{Running, Watched};
use anyhow::{Context, bail, ensure};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SETTINGS: [&str; 6] = [
    "fsync=on",
    "shared_buffers=512MB",
    "listen_addresses=",
    "max_connections=200",
    "max_wal_size=4GB",
    "checkpoint_timeout=30min",
];

/// A throwaway cluster on a Unix socket.
#[derive(Debug)]
pub(crate) struct Postgres {
    process: Running,
    folder: PathBuf,
    programs: PathBuf,
}

impl Postgres {
    /// Creates and starts a cluster in a folder.
    pub(crate) fn start(folder: &Path) -> anyhow::Result<Self> {
        let programs = find_programs().context("PostgreSQL is needed: install its package")?;
        std::fs::create_dir(folder)?;
        if let Some((user, group)) = server_user()? {
            chown(folder, Some(user), Some(group))?;
        }
        let data = folder.join("data");
        let log = std::fs::File::create(folder.join("log"))?;
        let data = data.display().to_string();
        let made = as_server_user(&programs.join("initdb"))?
            .args(["-A", "trust", "-U", "postgres", "--locale=C.UTF-8", "--no-sync", "-D", &data])
            .stdout(log.try_clone()?)
            .stderr(log.try_clone()?)
            .status()?;
        ensure!(made.success(), "initdb failed: {}", last_words(folder));
        let mut command = as_server_user(&programs.join("postgres"))?;
        command.args(["-D", &data, "-k"]).arg(folder);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        // A fast shutdown releases shared memory.
        let process = Running::start(&mut command)?.ended_by(rustix::process::Signal::INT);
        let mut this = Self { process, folder: folder.to_path_buf(), programs };
        this.wait()?;
        Ok(this)
    }

    fn wait(&mut self) -> anyhow::Result<()> {
        let begun = Instant::now();
        while self.sql("SELECT 1").is_err() {
            ensure!(
                self.process.is_running() && begun.elapsed() < Duration::from_secs(30),
                "PostgreSQL did not start: {}",
                last_words(&self.folder)
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Returns its URL for the program.
    pub(crate) fn url(&self) -> String {
        let socket = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{socket}/postgres")
    }

    /// Returns its parameters for tokio-postgres.
    pub(crate) fn parameters(&self) -> String {
        format!("host={} user=postgres dbname=postgres", self.folder.display())
    }

    /// Runs statements with psql; returns unaligned rows, one per line.
    pub(crate) fn sql(&self, statements: &str) -> anyhow::Result<String> {
        self.program("psql", &["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statements])
    }

    /// Runs one of Postgres's programs against this server and returns its output.
    pub(crate) fn program(&self, name: &str, arguments: &[&str]) -> anyhow::Result<String> {
        let done = Command::new(self.programs.join(name))
            .args(["-h", &self.folder.display().to_string(), "-U", "postgres"])
            .args(arguments)
            .arg(if name == "psql" { "-dpostgres" } else { "postgres" })
            .stdin(Stdio::null())
            .output()
            .with_context(|| name.to_owned())?;
        if !done.status.success() {
            bail!("{name}: {}", String::from_utf8_lossy(&done.stderr).trim());
        }
        Ok(String::from_utf8(done.stdout)?.trim().to_owned())
    }

    /// Returns the CPU time and memory source of all its processes.
    pub(crate) fn watched(&self) -> Watched {
        Watched::Family(self.process.id())
    }

    /// Returns the server version.
    pub(crate) fn version(&self) -> anyhow::Result<String> {
        self.sql("SHOW server_version")
    }
}

/// Returns the folder of the server's programs, which Debian and Ubuntu keep per version and off the path.
fn find_programs() -> Option<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            let programs = entry.path().join("bin");
            programs.join("initdb").is_file().then_some((version, programs))
        })
        .collect();
    versions.sort();
    versions.pop().map(|(_, programs)| programs)
}

/// Returns the user and group that run the server if the harness runs as root.
fn server_user() -> anyhow::Result<Option<(u32, u32)>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let users = std::fs::read_to_string("/etc/passwd")?;
    let fields = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = line.split(':').skip(2).filter_map(|field| field.parse::<u32>().ok());
        Some((numbers.next()?, numbers.next()?))
    };
    Ok(Some(fields("postgres").or_else(|| fields("nobody")).context("no user for PostgreSQL")?))
}

/// Creates a command that runs as the server's user.
fn as_server_user(program: &Path) -> anyhow::Result<Command> {
    Ok(match server_user()? {
        None => Command::new(program),
        Some((user, group)) => {
            let mut command = Command::new("setpriv");
            command.args([
                "--reuid",
                &user.to_string(),
                "--regid",
                &group.to_string(),
                "--clear-groups",
                "--",
            ]);
            command.arg(program);
            command
        }
    })
}

fn last_words(folder: &Path) -> String {
    let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
    log.lines().last().unwrap_or_default().to_owned()
}
