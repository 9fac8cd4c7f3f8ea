//! A Postgres server with production durability, or a Citus cluster of such.

use super::free_address;
use crate::measure::Costs;
use crate::process::{Running, Watched};
use anyhow::{Context, bail, ensure};
use std::fmt::Write as _;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SETTINGS: [&str; 5] = [
    "fsync=on",
    "shared_buffers=512MB",
    "max_connections=200",
    "max_wal_size=4GB",
    "checkpoint_timeout=30min",
];
/// For the coordinator and the workers of a Citus cluster, which reach each other through TCP.
const CITUS_SETTINGS: [&str; 3] =
    ["shared_preload_libraries=citus", "citus.node_conninfo=sslmode=prefer", "listen_addresses=127.0.0.1"];
const WORKERS: usize = 2;

/// A throwaway server on a Unix socket, or a Citus coordinator with workers.
#[derive(Debug)]
pub(crate) struct Postgres {
    /// The server, or the coordinator.
    server: Node,
    workers: Option<[Node; WORKERS]>,
    programs: PathBuf,
}

/// A running standby.
#[derive(Debug)]
pub(crate) struct Standby {
    server: Node,
    programs: PathBuf,
}

impl Standby {
    /// Returns whether a statement on this table is the last one of a connection.
    pub(crate) fn has_read(&self, table: &str) -> anyhow::Result<bool> {
        let sql = format!(
            "SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%FROM {table}%' AND pid <> pg_backend_pid()"
        );
        Ok(self.server.sql(&self.programs, &sql)? == "t")
    }

    /// Returns its URL for the program.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }
}

/// A server process with its data.
#[derive(Debug)]
struct Node {
    process: Running,
    folder: PathBuf,
    port: u16,
}

impl Node {
    /// Creates and starts a cluster in a folder, or a standby of a primary.
    fn start(
        folder: PathBuf,
        programs: &Path,
        settings: &[&str],
        primary: Option<&Self>,
    ) -> anyhow::Result<Self> {
        std::fs::create_dir(&folder)?;
        if let Some((user, group)) = server_user()? {
            chown(&folder, Some(user), Some(group))?;
        }
        let data = folder.join("data");
        let log = std::fs::File::create(folder.join("log"))?;
        let data = data.display().to_string();
        let mut create = match primary {
            None => {
                let mut create = as_server_user(&programs.join("initdb"))?;
                create.args(["-A", "trust", "-U", "postgres", "--locale=C.UTF-8"]);
                create
            }
            Some(Self { folder, port, .. }) => {
                let mut copy = as_server_user(&programs.join("pg_basebackup"))?;
                copy.args(["-U", "postgres", "-c", "fast", "--write-recovery-conf"]);
                copy.args(["-p", &port.to_string(), "-h"]).arg(folder);
                copy
            }
        };
        create.args(["--no-sync", "-D", &data]).stdout(log.try_clone()?).stderr(log.try_clone()?);
        ensure!(create.status()?.success(), "the data was not created: {}", last_words(&folder));
        let port = free_address()?.port();
        let mut command = as_server_user(&programs.join("postgres"))?;
        command.args(["-D", &data, "-p", &port.to_string(), "-k"]).arg(&folder);
        for setting in SETTINGS.iter().chain(settings) {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        // A fast shutdown releases shared memory.
        let process = Running::start(&mut command)?.ended_by(rustix::process::Signal::INT);
        let mut this = Self { process, folder, port };
        this.wait(programs)?;
        Ok(this)
    }

    fn wait(&mut self, programs: &Path) -> anyhow::Result<()> {
        let started = Instant::now();
        while self.sql(programs, "SELECT 1").is_err() {
            ensure!(
                self.process.is_running() && started.elapsed() < Duration::from_secs(30),
                "PostgreSQL did not start: {}",
                last_words(&self.folder)
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Returns its URL for the program.
    fn url(&self) -> String {
        let socket = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{socket}:{}/postgres", self.port)
    }

    /// Runs statements with psql; returns unaligned rows, one per line.
    fn sql(&self, programs: &Path, statements: &str) -> anyhow::Result<String> {
        self.program(programs, "psql", &["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statements])
    }

    /// Runs one of Postgres's programs against this server and returns its output.
    fn program(&self, programs: &Path, name: &str, arguments: &[&str]) -> anyhow::Result<String> {
        let done = Command::new(programs.join(name))
            .args(["-h", &self.folder.display().to_string(), "-p", &self.port.to_string(), "-U", "postgres"])
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
}

impl Postgres {
    /// Starts a server, or a Citus cluster.
    pub(crate) fn start(folder: &Path, is_citus: bool) -> anyhow::Result<Self> {
        let programs = find_programs().context("PostgreSQL is needed: install its package")?;
        let settings: &[&str] = if is_citus { &CITUS_SETTINGS } else { &["listen_addresses="] };
        let start = |name: &str| Node::start(folder.with_file_name(name), &programs, settings, None);
        let server = start("postgres")?;
        let workers = if is_citus { Some([start("worker-1")?, start("worker-2")?]) } else { None };
        let this = Self { server, workers, programs };
        if let Some(workers) = &this.workers {
            this.join(workers)?;
        }
        Ok(this)
    }

    fn join(&self, workers: &[Node; WORKERS]) -> anyhow::Result<()> {
        let create = "CREATE EXTENSION citus";
        let mut joined =
            format!("{create}; SELECT citus_set_coordinator_host('127.0.0.1', {});", self.server.port);
        for worker in workers {
            worker.sql(&self.programs, create)?;
            let _ = write!(joined, "SELECT citus_add_node('127.0.0.1', {});", worker.port);
        }
        self.sql(&joined)?;
        Ok(())
    }

    /// Distributes the tables of a migrated store over the workers.
    pub(crate) fn distribute(&self) -> anyhow::Result<()> {
        self.program("psql", &["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "deploy/citus/distribute.sql"])?;
        Ok(())
    }

    /// Starts a standby that replicates from this server.
    pub(crate) fn standby(&self) -> anyhow::Result<Standby> {
        let folder = self.server.folder.with_file_name("standby");
        let server = Node::start(folder, &self.programs, &["listen_addresses="], Some(&self.server))?;
        Ok(Standby { server, programs: self.programs.clone() })
    }

    /// Returns its URL for the program.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Returns its parameters for tokio-postgres.
    pub(crate) fn parameters(&self) -> String {
        let Node { folder, port, .. } = &self.server;
        format!("host={} port={port} user=postgres dbname=postgres", folder.display())
    }

    /// Runs statements with psql; returns unaligned rows, one per line.
    pub(crate) fn sql(&self, statements: &str) -> anyhow::Result<String> {
        self.server.sql(&self.programs, statements)
    }

    /// Runs one of Postgres's programs against this server and returns its output.
    pub(crate) fn program(&self, name: &str, arguments: &[&str]) -> anyhow::Result<String> {
        self.server.program(&self.programs, name, arguments)
    }

    /// Returns what a round on a server measures that also reads from a standby.
    pub(crate) fn costs_with(&self, server: Watched, standby: &Standby) -> Costs {
        let standby = Watched::Family(standby.server.process.id());
        Costs { workers: Some(standby), ..self.costs(server) }
    }

    /// Returns what a round on a server measures.
    pub(crate) fn costs(&self, server: Watched) -> Costs {
        let ids = |workers: &[Node; WORKERS]| workers.each_ref().map(|worker| worker.process.id());
        Costs {
            server: Some(server),
            database: Some(Watched::Family(self.server.process.id())),
            workers: self.workers.as_ref().map(ids).map(Watched::Families),
        }
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
