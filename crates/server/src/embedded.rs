//! The program embedded in another process, such as its end-to-end tests.
//!
//! Nothing global to the process is installed or changed: no log, metrics, traces, panic hook, signal handler
//! or open-file limit. Settings are read from the variables that the caller passes.

pub use crate::lifecycle::Stop;
pub use crate::settings::EnvironmentVariables as Environment;

use crate::cli::{self, Cli, Streams};
use crate::lifecycle::Signals;
use crate::settings::{Settings, variables};
use application::ports::system::Clock;
use clap::Parser as _;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Output of a command.
#[derive(Debug)]
pub struct CommandOutput {
    /// Exit code.
    pub code: u8,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// Runs a command with these arguments (without the program name), this clock and this standard input.
pub async fn run_command(
    arguments: &[&str],
    environment: Environment,
    clock: Arc<dyn Clock>,
    input: &[u8],
) -> CommandOutput {
    let streams = Streams::with_input(input.to_vec());
    let code = streams
        .replacing(async {
            let parsed = Cli::try_parse_from(std::iter::once("restwell").chain(arguments.iter().copied()));
            match parsed {
                Ok(cli) => {
                    let outcome = Box::pin(cli::run_in(cli, environment, clock, |_, _| Ok(()))).await;
                    outcome.map_or_else(|error| cli::report_failure(&error), |()| 0)
                }
                Err(error) => cli::report_usage(error),
            }
        })
        .await;
    CommandOutput { code, stdout: streams.take_output(), stderr: streams.take_errors() }
}

/// Serves with this clock until a message arrives on `stop`; calls `listening` with the address once the
/// socket is bound.
pub async fn serve(
    environment: Environment,
    clock: Arc<dyn Clock>,
    stop: mpsc::UnboundedReceiver<Stop>,
    listening: impl FnOnce(SocketAddr),
) -> anyhow::Result<()> {
    let settings = Settings::from_sources(None, &variables(environment)?)?;
    if settings.metrics.listen.is_some() || settings.traces.otlp_endpoint.is_some() {
        anyhow::bail!("metrics and traces are global to a process; an embedded server has none");
    }
    cli::serve(settings, clock, None, |address| {
        listening(address);
        Ok(Signals::embedded(stop))
    })
    .await
}
