//! Runs one of the hot pure pieces so many times; `scripts/instructions` has valgrind count what that takes.
//!
//! ```text
//! instructions                 lists the cases, each with the repeats of its two runs
//! instructions CASE REPEATS    runs one
//! ```
//!
//! What is made before the first repeat costs the same however many there are, so that the difference of two runs is the
//! piece alone.

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
