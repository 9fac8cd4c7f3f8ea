//! Log, Prometheus metrics and traces.
//!
//! No event, label or attribute contains a query, header, body or health value; the code that emits them
//! ensures this. Events of other libraries are restricted here, whatever the setting, because some of them
//! log headers and SQL.

mod level;
mod log_buffer;
mod metrics;
mod traces;

pub(crate) use metrics::{MetricsServer, UploadMeter, count_mail, metrics_reference};
pub(crate) use traces::{end_traces, trace_continuation};

use crate::settings::{LogFormat, LogSettings, Settings};
use log_buffer::LogBuffer;
use std::io;
use std::sync::LazyLock;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

/// Buffered standard error.
static LOG: LazyLock<LogBuffer<io::Stderr>> = LazyLock::new(|| LogBuffer::new(io::stderr()));

/// Verbosity of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Levels of the settings, for a server.
    Server,
    /// Warnings and errors only, for a command that prints its result.
    Command,
}

/// Starts the log and, for a server, traces if configured. Further calls change nothing.
pub(crate) fn begin(settings: &Settings, verbosity: Verbosity) -> anyhow::Result<()> {
    let traces = if verbosity == Verbosity::Server { traces::layer(&settings.traces)? } else { None };
    let (log, let_through) = (log(&settings.log), level::targets(settings.log.level, verbosity));
    let registry = tracing_subscriber::registry();
    let initialized = match traces {
        // Without traces the log needs no separate filter, which would run for each span and event of a
        // request.
        None => registry.with(log).with(let_through).try_init(),
        Some(traces) => registry.with(vec![traces, log.with_filter(let_through).boxed()]).try_init(),
    };
    if initialized.is_ok() {
        report_panic_place();
        std::thread::Builder::new().name("log".to_owned()).spawn(|| LOG.flush_regularly())?;
    }
    Ok(())
}

/// Logs the location of a panic without its message, which may contain a value.
fn report_panic_place() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
}

/// Writes the log lines that are still buffered.
pub fn flush_log() {
    LOG.flush();
}

fn log(settings: &LogSettings) -> Box<dyn Layer<Registry> + Send + Sync> {
    match settings.format {
        LogFormat::Json => fmt::layer()
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .with_writer(&*LOG)
            .boxed(),
        LogFormat::Human => {
            let is_terminal = io::IsTerminal::is_terminal(&io::stderr());
            fmt::layer().with_ansi(is_terminal).with_writer(&*LOG).boxed()
        }
    }
}
