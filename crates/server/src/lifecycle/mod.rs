//! Lifecycle of a server: live at once, ready when its store is, stopped after its running requests.

mod background;
mod cleaning;
mod clock;
mod housekeeping;
mod http_server;
mod lease;
mod listener;
mod open_files;
mod outbox;
mod readiness;
mod run;
mod sandbox;
mod shutdown;
mod start;
mod tls;
mod undos;
mod upkeep;
mod uploads;
mod webhooks;

pub(crate) use cleaning::Cleaning;
pub(crate) use housekeeping::Housekeeping;
pub(crate) use lease::LeasedJob;
pub(crate) use listener::bind;
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

use std::mem;
use std::time::Duration;
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
