//! What the system knows of a running server.

use crate::e2e::server::Server;
use std::time::Duration;

/// How many times a second the system counts the time of processes; the same on every Linux.
const TICKS_A_SECOND: u64 = 100;

/// Returns how long the server has computed so far. Unlike the time that passes, it does not grow with what else
/// the machine has to do.
pub(super) fn computing_time(server: &Server) -> Duration {
    let line = std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).expect("process");
    // The name of the program stands in parentheses and may hold blanks; after it comes field 3.
    let (_, fields) = line.rsplit_once(") ").expect("fields");
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks: u64 = [14, 15].map(|field| fields[field - 3].parse::<u64>().expect("ticks")).iter().sum();
    Duration::from_millis(ticks * 1000 / TICKS_A_SECOND)
}

/// Returns the most memory that the server ever had, in MiB.
pub(super) fn most_memory_mib(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("KiB") / 1024
}
