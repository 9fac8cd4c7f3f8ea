//! The signals that end the process, and how long the end takes.

use crate::embedded::Stop;
use crate::settings::Settings;
use anyhow::Context;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::UnboundedReceiver;

/// Stop that finishes no running request; only an embedded server receives it.
pub(super) const ABORT: &str = "abort";

/// What a person at a terminal sends.
const INTERRUPT: &str = "SIGINT";

/// What ends a server.
pub(crate) enum Signals {
    /// SIGTERM and SIGINT, caught from the moment this exists.
    OfProcess { terminate: Signal, interrupt: Signal },
    /// Messages to an embedded server.
    Embedded(UnboundedReceiver<Stop>),
}

impl Signals {
    /// Begins to catch the signals. Do it before anybody is told that the server listens: one that is told to stop
    /// at once ends like any other.
    pub(crate) fn catch() -> anyhow::Result<Self> {
        let caught = |kind| signal(kind).context("signals cannot be caught");
        Ok(Self::OfProcess {
            terminate: caught(SignalKind::terminate())?,
            interrupt: caught(SignalKind::interrupt())?,
        })
    }

    /// Ends the server when a message arrives.
    pub(crate) const fn embedded(stop: UnboundedReceiver<Stop>) -> Self {
        Self::Embedded(stop)
    }

    /// Waits for one, and returns its name.
    pub(super) async fn next(&mut self) -> &'static str {
        match self {
            Self::OfProcess { terminate, interrupt } => tokio::select! {
                _ = terminate.recv() => "SIGTERM",
                _ = interrupt.recv() => INTERRUPT,
            },
            Self::Embedded(stop) => match stop.recv().await {
                Some(Stop::Gracefully) => "stop",
                Some(Stop::AtOnce) => ABORT,
                None => std::future::pending().await,
            },
        }
    }
}

/// How long a stop takes at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StopTimes {
    /// For how long new requests are still served.
    pub(super) drain: Duration,
    /// When the process ends, whatever still runs; counted from the signal.
    pub(super) all: Duration,
}

impl StopTimes {
    pub(super) fn of(settings: &Settings) -> Self {
        let seconds = |number: u32| Duration::from_secs(u64::from(number));
        let server = &settings.server;
        Self { drain: seconds(server.drain_seconds), all: seconds(server.stop_seconds) }
    }

    /// Takes the wait away where nobody has to be waited for: a person who presses Ctrl-C has no load balancer in
    /// front.
    pub(super) fn after(self, signal: &str) -> Self {
        let drain = if signal == INTERRUPT { Duration::ZERO } else { self.drain };
        Self { drain, ..self }
    }
}
