//! Lifecycle of a server: live at once, ready when its store is, stopped after its running requests.

mod background;
mod cleaning;
mod clock;
mod housekeeping;
mod http_server;
mod lease;
mod open_files;
mod outbox;
mod readiness;
mod run;
mod sandbox;
mod shutdown;
mod start;
mod tls;
mod upkeep;
mod uploads;
mod webhooks;

pub(crate) use cleaning::Cleaning;
pub(crate) use housekeeping::Housekeeping;
pub(crate) use lease::LeasedJob;
pub(crate) use open_files::raise_file_limit;
pub(crate) use readiness::Readiness;
pub(crate) use run::run;
pub(crate) use sandbox::SandboxDays;
pub(crate) use shutdown::Signals;
pub use shutdown::Stop;
pub(crate) use start::{StartError, start, try_start};
pub(crate) use tls::{Period, Tls, certificate};
pub(crate) use uploads::ActiveUploads;
pub(crate) use webhooks::WebhookSender;

use anyhow::Context;
use std::mem;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;
use tokio::net::TcpSocket;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Ticks at once and then once a period; a late tick delays the following ones.
fn every(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Errors of a repeated attempt; only the first of several in a row is logged.
#[derive(Default)]
struct Errors {
    is_failing: bool,
}

impl Errors {
    /// Returns the error of an attempt unless the previous attempt failed too.
    fn first<T, E>(&mut self, outcome: Result<T, E>) -> Option<E> {
        let was_failing = mem::replace(&mut self.is_failing, outcome.is_err());
        outcome.err().filter(|_| !was_failing)
    }
}

/// Maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Binds an address; returns the socket with its actual address, whose port is never 0. An error names the
/// setting or option that configured the address.
pub(crate) fn bind(address: SocketAddr, set_by: &str) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let bound = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?.into_std()?;
        let address = listener.local_addr()?;
        Ok::<_, std::io::Error>((listener, address))
    };
    bound().with_context(|| format!("cannot listen on {address} (set by {set_by})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_used_address_is_reported_with_its_setting() {
        let (_listener, address) = bind("127.0.0.1:0".parse().unwrap(), "server.listen").unwrap();
        assert_ne!(address.port(), 0);
        let message = bind(address, "server.listen").unwrap_err().to_string();
        assert!(message.contains(&address.to_string()) && message.contains("server.listen"), "{message}");
    }
}
