//! The section `metrics`.

use super::problem::Problem;
use super::section::section;
use std::net::SocketAddr;

section! {
    /// Metrics for Prometheus on a separate listener.
    MetricsSettings("metrics") {
        /// Address of `GET /metrics`, plain HTTP without authentication: choose one that only the monitoring
        /// can reach. If unset, metrics are off.
        listen: Option<SocketAddr> = None, "address:port", "127.0.0.1:9464";
    }
}

impl MetricsSettings {
    pub(super) fn problems(&self, server: SocketAddr) -> Vec<Problem> {
        let taken = self.listen.filter(|listen| overlaps(*listen, server));
        let problem = |_| {
            Problem::new(
                "metrics.listen",
                "must use a different port from server.listen: metrics have a separate listener",
            )
        };
        taken.map(problem).into_iter().collect()
    }
}

/// Returns whether two listeners conflict. Port 0 never conflicts: it selects a free port.
fn overlaps(one: SocketAddr, other: SocketAddr) -> bool {
    let same_place = one.ip() == other.ip() || one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port() && one.port() != 0 && same_place
}

#[cfg(test)]
mod tests {
    use super::overlaps;

    #[test]
    fn listeners_on_one_port_conflict_unless_their_addresses_differ() {
        let overlap = |one: &str, other: &str| overlaps(one.parse().unwrap(), other.parse().unwrap());
        assert!(overlap("127.0.0.1:8080", "127.0.0.1:8080"));
        assert!(overlap("0.0.0.0:8080", "127.0.0.1:8080") && overlap("127.0.0.1:8080", "[::]:8080"));
        assert!(!overlap("127.0.0.1:9464", "127.0.0.1:8080") && !overlap("127.0.0.2:8080", "127.0.0.1:8080"));
        assert!(!overlap("127.0.0.1:0", "127.0.0.1:0"));
    }
}
