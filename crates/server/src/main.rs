//! The binary `restwell`: settings, wiring, lifecycle, telemetry, command line.

mod cli;
mod lifecycle;
mod settings;
mod telemetry;
mod wiring;

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match cli::run(cli::Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed terminal is no reason to panic.
            let _ = writeln!(std::io::stderr().lock(), "restwell: {error:#}");
            ExitCode::FAILURE
        }
    }
}
