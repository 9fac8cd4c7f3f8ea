//! What the program tells of itself: the log, figures for Prometheus, traces.
//!
//! What is written is decided where it is written: no event, label or attribute holds a query, header, body or health
//! value. What other libraries write is kept down here, whatever the setting, because some of them print headers and
//! SQL.

mod level;
mod metrics;
mod panic;
mod traces;

pub(crate) use metrics::{MetricsServer, UploadMeter, count_mail, metrics_reference};
pub(crate) use traces::{end_traces, trace_continuation};

use crate::settings::{LogFormat, LogSettings, Settings};
use std::io;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

/// How much a command tells beside its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    /// All that the settings say: for a server.
    Server,
    /// Warnings and errors only: for a command that prints its result.
    Command,
}

/// Begins to write the log and, for a server that is told to, to send traces. A second call changes nothing.
pub(crate) fn begin(settings: &Settings, talk: Talk) -> anyhow::Result<()> {
    let traces = if talk == Talk::Server { traces::layer(&settings.traces)? } else { None };
    let (log, let_through) = (log(&settings.log), level::targets(settings.log.level, talk));
    let registry = tracing_subscriber::registry();
    let begun = match traces {
        // Alone, the log needs no filter of its own: that is asked at each span and each event of a request.
        None => registry.with(log).with(let_through).try_init(),
        Some(traces) => registry.with(vec![traces, log.with_filter(let_through).boxed()]).try_init(),
    };
    if begun.is_ok() {
        panic::report_place_only();
    }
    Ok(())
}

fn log(settings: &LogSettings) -> Box<dyn Layer<Registry> + Send + Sync> {
    match settings.format {
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
    }
}
