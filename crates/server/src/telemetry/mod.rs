//! The log: lines on standard error, for machines or for people.
//!
//! What is written is decided where it is written: events hold no query, header, body or health value. What
//! other libraries write is kept down here, whatever the setting, because some of them print headers and SQL.

mod level;
mod panic;

use crate::settings::{LogFormat, LogSettings};
use std::io;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// How much a command tells beside its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    /// All that the settings say: for a server.
    Server,
    /// Warnings and errors only: for a command that prints its result.
    Command,
}

/// Begins to write the log. A second call changes nothing.
pub(crate) fn begin(settings: &LogSettings, talk: Talk) {
    let targets = level::targets(settings.level, talk);
    let layer = match settings.format {
        LogFormat::Json => fmt::layer()
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .with_writer(io::stderr)
            .boxed(),
        LogFormat::Human => {
            let is_terminal = io::IsTerminal::is_terminal(&io::stderr());
            fmt::layer().with_ansi(is_terminal).with_writer(io::stderr).boxed()
        }
    };
    let begun = tracing_subscriber::registry().with(layer.with_filter(targets)).try_init();
    if begun.is_ok() {
        panic::report_place_only();
    }
}
