//! The page with the committed figures, its plots, and the sizing table computed from them.

mod page;
mod plot;
mod sizing;
#[cfg(test)]
mod testing;
mod text;

use crate::outcome::Measurement;
use anyhow::Context;
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Folder of the plots beside the page.
const PLOTS: &str = "performance";

/// Inputs and outputs.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Input file with the figures
    #[arg(long, value_name = "FILE", default_value = "docs/performance.json")]
    pub(crate) figures: PathBuf,
    /// Output page
    #[arg(long, value_name = "FILE", default_value = "docs/performance.md")]
    pub(crate) page: PathBuf,
    /// Analysis of each case, appended to the page
    #[arg(long, value_name = "FILE", default_value = "docs/performance-notes.md")]
    pub(crate) notes: PathBuf,
    /// Page with the sizing table
    #[arg(long, value_name = "FILE", default_value = "docs/scaling.md")]
    pub(crate) sizing: PathBuf,
    /// Write nothing; fail if a page is out of date
    #[arg(long)]
    pub(crate) check: bool,
}

/// Renders the pages; exit code 1 if `--check` finds one out of date.
pub(crate) fn run(arguments: &ReportArguments) -> anyhow::Result<ExitCode> {
    let files = render(arguments)?;
    if arguments.check {
        let stale: Vec<_> = files.iter().filter(|(path, text)| !says(path, text)).collect();
        for (path, _) in &stale {
            eprintln!("bench: {} is out of date: run `just bench-report`", path.display());
        }
        return Ok(ExitCode::from(u8::from(!stale.is_empty())));
    }
    for (path, text) in files {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns every file with its content, which depends only on the figures.
fn render(arguments: &ReportArguments) -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let figures = read(&arguments.figures)?;
    let measurement: Measurement =
        serde_json::from_str(&figures).with_context(|| arguments.figures.display().to_string())?;
    let notes = std::fs::read_to_string(&arguments.notes).unwrap_or_default();
    let folder = arguments.page.with_file_name(PLOTS);
    let mut files = BTreeMap::new();
    files.insert(arguments.page.clone(), page::render(&measurement, &notes));
    for series in &measurement.series {
        files.insert(folder.join(format!("{}.svg", series.name)), plot::render(series));
    }
    let table = sizing::render(&measurement);
    files.insert(arguments.sizing.clone(), sizing::put_into(&read(&arguments.sizing)?, &table)?);
    Ok(files)
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

fn says(path: &Path, text: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|found| found == text)
}
