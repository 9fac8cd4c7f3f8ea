//! Runs one hot function repeatedly while `scripts/instructions` counts its instructions under valgrind.
//!
//! ```text
//! instructions                 lists the cases, each with the repeats of its two runs
//! instructions CASE REPEATS    runs one
//! ```
//!
//! Setup costs the same for any number of repeats, so the difference of two runs is the cost of the function.

mod night;
mod piece;

use anyhow::{Context, bail};
use piece::PIECES;
use std::io::Write;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => {
            let mut out = std::io::stdout().lock();
            for (name, [fewer, more], _) in PIECES {
                writeln!(out, "{name} {fewer} {more}")?;
            }
            Ok(())
        }
        [case, repeats] => {
            let found = PIECES.iter().find(|(name, _, _)| name == case);
            let (_, _, run) = found.with_context(|| format!("there is no case {case}"))?;
            run(repeats.parse().context("REPEATS is a number")?)
        }
        _ => bail!("instructions [CASE REPEATS]"),
    }
}
