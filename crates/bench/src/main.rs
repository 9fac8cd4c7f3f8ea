//! Measures Restwell beside what the machine can do without it, and renders what came out.
//!
//! `bench run` makes the data, starts Postgres, Redis and the program, and runs every case in turns with its
//! reference, so that a burst of other work on the machine spoils a round of both. `bench report` renders the committed
//! figures. `bench reference` is what the harness starts as the server to compare with.

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
