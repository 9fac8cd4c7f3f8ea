//! Command line.

use crate::outcome::Measurement;
use crate::stage::{Plan, Stage};
use crate::{case, grants, growth, reference, report, safety};
use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures Restwell and renders the figures.
#[derive(Debug, Parser)]
#[command(name = "bench")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the cases, each in turns with its reference
    Run(RunArguments),
    /// Render the committed figures
    Report {
        /// Write nothing; fail if a page is out of date
        #[arg(long)]
        check: bool,
    },
    /// Serve a reference; started by `run`
    #[command(hide = true)]
    Reference(ReferenceArguments),
}

/// What to run, and on which data.
#[derive(Debug, Args)]
struct RunArguments {
    /// The program to measure
    #[arg(long, value_name = "FILE", default_value = "target/dist/restwell")]
    binary: PathBuf,
    /// Few requests and little data, without judging times: checks that every case works
    #[arg(long)]
    short: bool,
    /// Only the cases whose names contain this; repeatable
    #[arg(long = "case", value_name = "WORD")]
    cases: Vec<String>,
    /// Rounds of each case and its reference; figures are medians
    #[arg(long)]
    rounds: Option<usize>,
    /// Seconds per round
    #[arg(long)]
    seconds: Option<f64>,
    /// Numbers of sessions of the growth case, such as 100000,1000000
    #[arg(long, value_delimiter = ',', value_name = "N,N")]
    sessions: Vec<u64>,
    /// Folder for the data
    #[arg(long, value_name = "DIR", default_value = "/tmp", overrides_with = "folder")]
    folder: PathBuf,
    /// Output file of the figures
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Use a Citus coordinator with two workers as the store; needs the extension
    #[arg(long)]
    citus: bool,
    /// Remark on the run, such as "a busy machine"
    #[arg(long, value_name = "TEXT")]
    mark: Option<String>,
}

impl RunArguments {
    /// Returns the size of the run.
    fn plan(&self) -> Plan {
        let short = self.short;
        let sessions = if self.sessions.is_empty() {
            if short { vec![1_000] } else { vec![100_000, 1_000_000, 10_000_000, 50_000_000] }
        } else {
            self.sessions.clone()
        };
        Plan {
            short,
            rounds: self.rounds.unwrap_or(if short { 1 } else { 5 }).max(1),
            seconds: self.seconds.unwrap_or(if short { 0.2 } else { 4.0 }),
            nights: if short { 300 } else { 10_000 },
            sessions,
        }
    }
}

/// Options of a reference server.
#[derive(Debug, Args)]
struct ReferenceArguments {
    /// What to serve
    #[arg(value_enum)]
    kind: reference::Kind,
    #[arg(long)]
    listen: SocketAddr,
    /// Connection string of the database for tokio-postgres
    #[arg(long, default_value = "")]
    database: String,
}

/// Runs the command.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Run(arguments) => measure(&arguments),
        Command::Report { check } => report::run(check),
        Command::Reference(ReferenceArguments { kind, listen, database }) => {
            reference::serve(kind, listen, &database)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Runs the chosen cases and writes the figures; exit code 1 if a target is missed.
fn measure(arguments: &RunArguments) -> anyhow::Result<ExitCode> {
    let plan = arguments.plan();
    let mut stage = Stage::set(&arguments.binary, &arguments.folder, arguments.citus, plan)?;
    let mut measurement = Measurement::begin(stage.versions()?, arguments.mark.clone())?;
    // In the order of the targets.
    let cases = case::CASES.into_iter().chain([grants::CASES, growth::CASES, safety::CASES]);
    for case in cases.flatten() {
        if !arguments.cases.is_empty() && !arguments.cases.iter().any(|word| case.name.contains(word)) {
            continue;
        }
        eprintln!("bench: {}", case.name);
        let found = (case.run)(&mut stage).with_context(|| format!("the case `{}`", case.name))?;
        measurement.add(if arguments.short { found.unjudged() } else { found });
        // After each case, so that an aborted run keeps its results.
        if let Some(path) = &arguments.out {
            let text = serde_json::to_string_pretty(&measurement)?;
            std::fs::write(path, format!("{text}\n")).with_context(|| path.display().to_string())?;
        }
    }
    print!("{}", measurement.table());
    let missed = measurement.cases.iter().any(|outcome| outcome.met == Some(false));
    Ok(ExitCode::from(u8::from(missed)))
}
