//! A Redis (or Valkey) server without persistence.

use crate::process::{Running, output_of};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A throwaway server on a Unix socket.
#[derive(Debug)]
pub(crate) struct Redis {
    /// Ends the process on drop.
    _process: Running,
    program: &'static str,
    socket: PathBuf,
}

impl Redis {
    /// Starts a server with its socket in a folder.
    pub(crate) fn start(folder: &Path) -> anyhow::Result<Self> {
        let socket = folder.join("redis.socket");
        let program = ["redis-server", "valkey-server"]
            .into_iter()
            .find(|name| output_of(name, &["--version"]).is_ok())
            .context("Redis or Valkey is needed: install its package")?;
        let mut command = Command::new(program);
        command.args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"]).arg(&socket);
        command.arg("--dir").arg(folder).stdin(Stdio::null()).stdout(Stdio::null());
        let mut process = Running::start(&mut command)?;
        let started = Instant::now();
        while !socket.exists() {
            ensure!(
                process.is_running() && started.elapsed() < Duration::from_secs(10),
                "Redis did not start"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Self { _process: process, program, socket })
    }

    /// Returns its URL for the program.
    pub(crate) fn url(&self) -> String {
        format!("redis+unix://{}", self.socket.display())
    }

    /// Returns the server version.
    pub(crate) fn version(&self) -> anyhow::Result<String> {
        let printed = output_of(self.program, &["--version"])?;
        let version = printed.split_whitespace().find_map(|word| word.strip_prefix("v="));
        Ok(version.unwrap_or(&printed).to_owned())
    }
}
