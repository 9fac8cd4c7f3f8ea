//! The process: start-up time and idle memory.

use super::Case;
use crate::measure::median;
use crate::outcome::{Figures, Outcome, Results};
use crate::stage::Stage;
use std::time::Duration;

/// Idle time before memory is read.
const IDLE: Duration = Duration::from_secs(3);

/// Returns the cases of this module.
pub(super) const CASES: &[Case] =
    &[Case { name: "start to first answer", run: start }, Case { name: "idle memory", run: idle_memory }];

fn start(stage: &mut Stage) -> anyhow::Result<Results> {
    let program = stage.sqlite("start")?;
    let mut times = Vec::new();
    for _ in 0..stage.plan.rounds * 2 {
        times.push(program.serve()?.started_in.as_secs_f64() * 1_000.0);
    }
    let taken = median(times);
    let milliseconds = taken.unwrap_or(f64::NAN);
    let figures = Figures { median_ms: taken, ..Figures::default() };
    let target = "at most 150 ms on SQLite with a current schema";
    Ok(Outcome::new("start to first answer", target, format!("{milliseconds:.0} ms"), figures)
        .met(milliseconds <= 150.0)
        .into())
}

fn idle_memory(stage: &mut Stage) -> anyhow::Result<Results> {
    let lite = stage.sqlite("idle")?.serve()?;
    let server = stage.program.serve()?;
    std::thread::sleep(if stage.plan.short { Duration::ZERO } else { IDLE });
    let (lite, memory) = (lite.watched().memory_mb()?, server.watched().memory_mb()?);
    let figures = |memory| Figures { peak_memory_mb: Some(memory), ..Figures::default() };
    let worse = memory.max(lite);
    let result = format!("{memory:.1} MB on PostgreSQL, {lite:.1} MB on SQLite");
    Ok(Outcome::new("idle memory", "at most 25 MB", result, figures(memory))
        .met(worse <= 25.0)
        .reference("the same on SQLite", figures(lite))
        .into())
}
