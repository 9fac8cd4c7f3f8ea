//! The page with the committed figures, and the sizing table computed from them.

mod page;
mod sizing;
#[cfg(test)]
mod testing;
mod text;

use crate::outcome::Measurement;
use anyhow::Context;
use std::process::ExitCode;

/// Figures.
const FIGURES: &str = "docs/performance.json";
/// Page with the figures.
const PAGE: &str = "docs/performance.md";
/// Analysis of each case, appended to the page.
const NOTES: &str = include_str!("notes.txt");
/// Page with the sizing table.
const SIZING: &str = "docs/scaling.md";

/// Renders the pages. With `check` it writes nothing and returns exit code 1 if one is out of date.
pub(crate) fn run(check: bool) -> anyhow::Result<ExitCode> {
    let measurement: Measurement = serde_json::from_str(&read(FIGURES)?).context(FIGURES)?;
    let old = (read(PAGE).unwrap_or_default(), read(SIZING)?);
    let sizing = sizing::put_into(&old.1, &sizing::render(&measurement))?;
    let mut is_stale = false;
    for (path, old, new) in [(PAGE, old.0, page::render(&measurement, NOTES)), (SIZING, old.1, sizing)] {
        if old == new {
            continue;
        }
        if check {
            eprintln!("bench: {path} is out of date: run `just bench-report`");
            is_stale = true;
        } else {
            std::fs::write(path, new).context(path)?;
        }
    }
    Ok(ExitCode::from(u8::from(is_stale)))
}

fn read(path: &'static str) -> anyhow::Result<String> {
    std::fs::read_to_string(path).context(path)
}
