//! Signals that end the process, and the stop timeouts.

use crate::settings::Settings;
use anyhow::Context;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::UnboundedReceiver;

/// Stop that finishes no running request; only an embedded server receives it.
pub(super) const ABORT: &str = "abort";

/// Signal of Ctrl-C.
const INTERRUPT: &str = "SIGINT";

/// How an embedded server stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Finishes the running requests first.
    Gracefully,
    /// Aborts the running requests.
    AtOnce,
}

/// Source of stop requests.
pub(crate) enum Signals {
    /// SIGTERM and SIGINT, caught from the moment this is created.
    OfProcess { terminate: Signal, interrupt: Signal },
    /// Messages to an embedded server.
    Embedded(UnboundedReceiver<Stop>),
}

impl Signals {
    /// Installs the signal handlers. Called before the server announces its address, so that a signal sent
    /// right after it stops the server gracefully.
    pub(crate) fn catch() -> anyhow::Result<Self> {
        let caught = |kind| signal(kind).context("signal handlers cannot be installed");
        Ok(Self::OfProcess {
            terminate: caught(SignalKind::terminate())?,
            interrupt: caught(SignalKind::interrupt())?,
        })
    }

    /// Creates a source that receives messages.
    pub(crate) const fn embedded(stop: UnboundedReceiver<Stop>) -> Self {
        Self::Embedded(stop)
    }

    /// Waits for a stop request, and returns its name.
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

/// Maximum durations of a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StopTimes {
    /// Time for which new requests are still served.
    pub(super) drain: Duration,
    /// Time from the signal to the end of the process, at the latest.
    pub(super) all: Duration,
}

impl StopTimes {
    pub(super) fn from_settings(settings: &Settings) -> Self {
        let seconds = |number: u32| Duration::from_secs(u64::from(number));
        let server = &settings.server;
        Self { drain: seconds(server.drain_seconds), all: seconds(server.stop_seconds) }
    }

    /// Removes the drain time for SIGINT: someone who presses Ctrl-C has no load balancer in front.
    pub(super) fn after(self, signal: &str) -> Self {
        let drain = if signal == INTERRUPT { Duration::ZERO } else { self.drain };
        Self { drain, ..self }
    }
}
