//! Measures Restwell and references that show what the machine can do, and renders the figures.
//!
//! `bench run` creates the data, starts Postgres, Redis and the program, and runs every case in turns with
//! its reference, so that other load on the machine affects both. `bench report` renders the committed
//! figures. `bench reference` is a server that the harness starts for comparison.

mod case;
mod cli;
mod grants;
mod growth;
mod load;
mod measure;
mod outcome;
mod process;
mod reference;
mod report;
mod safety;
mod stage;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::from(2)
        }
    }
}
