//! Operating system statistics of a running server.

use crate::e2e::server::Server;
use std::time::Duration;

/// Clock ticks per second of process times; the same on every Linux.
const TICKS_A_SECOND: u64 = 100;

/// Returns the server's processor time. Unlike elapsed time, it does not depend on other work of the machine.
pub(super) fn computing_time(server: &Server) -> Duration {
    let line = std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).expect("process");
    // The name of the program is in parentheses and may contain blanks; field 3 follows.
    let (_, fields) = line.rsplit_once(") ").expect("fields");
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks: u64 = [14, 15].map(|field| fields[field - 3].parse::<u64>().expect("ticks")).iter().sum();
    Duration::from_millis(ticks * 1000 / TICKS_A_SECOND)
}
