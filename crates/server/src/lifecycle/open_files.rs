//! Limit on the open files of the process; a connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files other than client connections: the store, other servers, spooled request bodies.
const OTHER_OPEN_FILES: u64 = 512;
/// Minimum number of connections.
const MIN_CONNECTIONS: u32 = 16;

/// Raises the limit of the process so that this many connections fit.
///
/// Processes start with a soft limit of 1024 open files and may raise it up to the hard limit. At the soft
/// limit, the server would stop accepting connections far below `server.max_connections`.
pub(crate) fn raise_file_limit(connections: u32) {
    let limit = getrlimit(Resource::Nofile);
    let current = granted(limit, u64::from(connections) + OTHER_OPEN_FILES);
    if current != limit.current && setrlimit(Resource::Nofile, Rlimit { current, ..limit }).is_err() {
        tracing::warn!("the open file limit cannot be raised");
    }
}

/// Returns how many of these connections the limit of the process allows.
pub(super) fn room_for(connections: u32) -> u32 {
    let fitting = fitting(connections, getrlimit(Resource::Nofile).current);
    if fitting < connections {
        tracing::warn!(
            max_connections = connections,
            connections = fitting,
            "the open file limit allows fewer connections than server.max_connections"
        );
    }
    fitting
}

/// Returns the new soft limit: at least the wanted number, up to the hard limit. `None` means unlimited.
fn granted(limit: Rlimit, wanted: u64) -> Option<u64> {
    let current = limit.current?;
    let most = limit.maximum.unwrap_or(u64::MAX);
    Some(current.max(wanted.min(most)))
}

/// Returns how many connections fit into a limit.
fn fitting(connections: u32, limit: Option<u64>) -> u32 {
    let room = limit.unwrap_or(u64::MAX).saturating_sub(OTHER_OPEN_FILES);
    connections.min(u32::try_from(room).unwrap_or(u32::MAX)).max(MIN_CONNECTIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_up_to_the_hard_limit_and_never_lowered() {
        let limit = |current, maximum| Rlimit { current, maximum };
        assert_eq!(granted(limit(Some(1024), Some(524_288)), 8704), Some(8704));
        assert_eq!(granted(limit(Some(1024), Some(4096)), 8704), Some(4096));
        assert_eq!(granted(limit(Some(1024), None), 8704), Some(8704));
        assert_eq!(granted(limit(Some(65_536), Some(65_536)), 8704), Some(65_536));
        assert_eq!(granted(limit(None, None), 8704), None);
    }

    #[test]
    fn connections_are_limited_by_the_open_files() {
        assert_eq!(fitting(8192, Some(8704)), 8192);
        assert_eq!(fitting(8192, Some(1024)), 512);
        assert_eq!(fitting(8192, Some(100)), MIN_CONNECTIONS);
        assert_eq!(fitting(8192, None), 8192);
    }
}
