//! Child processes.

use anyhow::{Context, ensure};
use procfs::process::{ClearRefs, Process};
use rustix::process::{Pid, Signal};
use std::process::{Child, Command};
use std::time::Duration;

/// A child process, ended on drop.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    /// Signal that ends it.
    signal: Signal,
}

impl Running {
    /// Starts a process that is killed on drop.
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.spawn().with_context(|| format!("{name} does not start"))?;
        Ok(Self { child, signal: Signal::KILL })
    }

    /// Starts a process that is ended by another signal.
    #[must_use]
    pub(crate) fn ended_by(mut self, signal: Signal) -> Self {
        self.signal = signal;
        self
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns whether it is still running.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only if it has exited already.
        let _ = rustix::process::kill_process(Pid::from_child(&self.child), self.signal);
        let _ = self.child.wait();
    }
}

/// Processes whose CPU time and memory are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watched {
    /// One process.
    Alone(u32),
    /// A process and all of its children, including exited ones.
    Family(u32),
    /// Two of them.
    Families([u32; 2]),
}

impl Watched {
    /// Returns the CPU time so far, user and system.
    pub(crate) fn cpu(self) -> anyhow::Result<Duration> {
        let ticks = match self {
            Self::Alone(id) => {
                let stat = process(id)?.stat()?;
                stat.utime + stat.stime
            }
            Self::Family(id) => family_ticks(id)?,
            Self::Families([one, other]) => family_ticks(one)? + family_ticks(other)?,
        };
        Ok(Duration::from_secs(1) / u32::try_from(procfs::ticks_per_second())? * u32::try_from(ticks)?)
    }

    /// Resets the peak of resident memory.
    pub(crate) fn forget_peak(self) -> anyhow::Result<()> {
        Ok(process(self.id())?.clear_refs(ClearRefs::PeakRSS)?)
    }

    /// Returns the peak of resident memory in MB.
    pub(crate) fn peak_mb(self) -> anyhow::Result<f64> {
        let peak = process(self.id())?.status()?.vmhwm.context("no peak memory is known")?;
        Ok(megabytes(peak))
    }

    /// Returns the resident memory in MB.
    pub(crate) fn memory_mb(self) -> anyhow::Result<f64> {
        let memory = process(self.id())?.status()?.vmrss.context("no memory is known")?;
        Ok(megabytes(memory))
    }

    fn id(self) -> u32 {
        match self {
            Self::Alone(id) | Self::Family(id) | Self::Families([id, _]) => id,
        }
    }
}

fn process(id: u32) -> anyhow::Result<Process> {
    Process::new(i32::try_from(id)?).with_context(|| format!("the process {id} is gone"))
}

fn family_ticks(id: u32) -> anyhow::Result<u64> {
    let stat = process(id)?.stat()?;
    let ended = u64::try_from(stat.cutime + stat.cstime).unwrap_or_default();
    Ok(stat.utime + stat.stime + ended + children_ticks(id)?)
}

fn children_ticks(parent: u32) -> anyhow::Result<u64> {
    let parent = i32::try_from(parent)?;
    let mut ticks = 0;
    // A child that exits meanwhile is counted with its parent's exited children.
    for one in procfs::process::all_processes()?.flatten() {
        if let Ok(stat) = one.stat()
            && stat.ppid == parent
        {
            ticks += stat.utime + stat.stime;
        }
    }
    Ok(ticks)
}

/// Converts the kernel's kB (2^10 bytes) to MB (10^6 bytes).
#[expect(clippy::cast_precision_loss, reason = "memory in bytes is far below 2^52")]
fn megabytes(kilobytes: u64) -> f64 {
    kilobytes as f64 * 1024.0 / 1e6
}

/// Runs a program and returns its output.
pub(crate) fn output_of(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let done = Command::new(program).args(arguments).output().with_context(|| program.to_owned())?;
    ensure!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr).trim());
    Ok(String::from_utf8(done.stdout)?.trim().to_owned())
}
