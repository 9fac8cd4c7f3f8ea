//! What the program is asked to do.

use crate::outcome::Measurement;
use crate::stage::{Plan, Stage};
use crate::{case, reference, report};
use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures Restwell, and renders what came out.
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
    Report(report::ReportArguments),
    /// Serve as a reference: what `run` starts by itself
    #[command(hide = true)]
    Reference(ReferenceArguments),
}

/// What is run, and on what.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The program to measure
    #[arg(long, value_name = "FILE", default_value = "target/dist/restwell")]
    pub(crate) binary: PathBuf,
    /// Few requests a case, small data and no judgement of times: shows that every case still works
    #[arg(long)]
    pub(crate) short: bool,
    /// Only the cases whose names contain this; may be repeated
    #[arg(long = "case", value_name = "WORD")]
    pub(crate) cases: Vec<String>,
    /// Rounds of each case and its reference; the figure is the median of them
    #[arg(long)]
    pub(crate) rounds: Option<usize>,
    /// Seconds of each round
    #[arg(long)]
    pub(crate) seconds: Option<f64>,
    /// The numbers of sessions of the case of growth, such as 100000,1000000
    #[arg(long, value_delimiter = ',', value_name = "N,N")]
    pub(crate) sessions: Vec<u64>,
    /// Where the data lie while it runs
    #[arg(long, value_name = "DIR", default_value = "/tmp", overrides_with = "folder")]
    pub(crate) folder: PathBuf,
    /// Where the figures are written, beside the table that is printed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// What the figures are marked as, such as "a busy machine"
    #[arg(long, value_name = "TEXT")]
    pub(crate) mark: Option<String>,
}

/// Which reference, and where.
#[derive(Debug, Args)]
struct ReferenceArguments {
    /// What is served
    #[arg(value_enum)]
    kind: reference::Kind,
    #[arg(long)]
    listen: SocketAddr,
    /// The database, as tokio-postgres reads it
    #[arg(long, default_value = "")]
    database: String,
}

/// Does what the command line says.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Run(arguments) => measure(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Reference(ReferenceArguments { kind, listen, database }) => {
            reference::serve(kind, listen, &database)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Runs the chosen cases and writes down what came out: the code is 1 when a target is missed.
fn measure(arguments: &RunArguments) -> anyhow::Result<ExitCode> {
    let plan = Plan::new(arguments);
    let mut stage = Stage::set(&arguments.binary, &arguments.folder, plan)?;
    let mut measurement = Measurement::begin(&stage, arguments.mark.clone())?;
    for case in case::all() {
        if !arguments.cases.is_empty() && !arguments.cases.iter().any(|word| case.name.contains(word)) {
            continue;
        }
        eprintln!("bench: {}", case.name);
        let found = (case.run)(&mut stage).with_context(|| format!("the case `{}`", case.name))?;
        measurement.add(if arguments.short { found.unjudged() } else { found });
        // After each case: a run takes long, and what it found by then outlives what ends it.
        if let Some(path) = &arguments.out {
            let text = serde_json::to_string_pretty(&measurement)?;
            std::fs::write(path, format!("{text}\n")).with_context(|| path.display().to_string())?;
        }
    }
    print!("{}", measurement.table());
    let missed = measurement.cases.iter().any(|outcome| outcome.met == Some(false));
    Ok(ExitCode::from(u8::from(missed)))
}
