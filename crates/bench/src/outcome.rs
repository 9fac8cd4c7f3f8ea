//! What is measured, as docs/performance.json has it.

use crate::stage::Stage;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::process::Command;

/// Everything one run found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Measurement {
    pub(crate) machine: Machine,
    pub(crate) versions: Versions,
    /// The commit that was measured, with `+` when files were changed after it.
    pub(crate) commit: String,
    /// The day, YYYY-MM-DD.
    pub(crate) date: String,
    /// What a reader has to know of the run, such as that the machine was busy.
    pub(crate) mark: Option<String>,
    pub(crate) cases: Vec<Outcome>,
    /// The lines of the plots.
    pub(crate) series: Vec<Series>,
    /// What each check adds to a request.
    pub(crate) safety: Vec<Check>,
}

/// On what was measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory_mib: u64,
    pub(crate) kernel: String,
}

/// What was measured, and what it stood on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Versions {
    pub(crate) restwell: String,
    pub(crate) postgres: String,
    pub(crate) redis: String,
    pub(crate) rustc: String,
}

/// What one case found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) case: String,
    /// The target in words, as the project sets it.
    pub(crate) target: String,
    /// What was found, in the unit of the target.
    pub(crate) result: String,
    /// What the target bounds, when that is a ratio.
    pub(crate) ratio: Option<f64>,
    /// Whether the target is met; `None` if there is none.
    pub(crate) met: Option<bool>,
    #[serde(flatten)]
    pub(crate) figures: Figures,
    pub(crate) reference: Option<Reference>,
    pub(crate) note: Option<String>,
}

/// What a case is compared with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Reference {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) figures: Figures,
}

/// The figures of a load: the median of its rounds, each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// Milliseconds from the first byte sent to the last one read.
    pub(crate) median_ms: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
    pub(crate) requests_per_second: Option<f64>,
    /// Microseconds of processor time of the server, each request.
    pub(crate) server_cpu_us: Option<f64>,
    /// Microseconds of processor time of the database and all of its processes, each request.
    pub(crate) database_cpu_us: Option<f64>,
    /// The server's peak resident memory in MB (10^6 bytes).
    pub(crate) peak_memory_mb: Option<f64>,
}

/// A plot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Series {
    /// Returns the name of the file of the plot.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) lines: Vec<Line>,
}

/// One line of a plot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// What one check adds to a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Check {
    pub(crate) name: String,
    /// The figures without it.
    #[serde(flatten)]
    pub(crate) without: Figures,
    /// Microseconds of the server's processor time that it adds to a request.
    pub(crate) added_cpu_us: f64,
}

/// What a case adds to a measurement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) series: Vec<Series>,
    pub(crate) safety: Vec<Check>,
}

impl From<Outcome> for Found {
    fn from(outcome: Outcome) -> Self {
        Self { outcomes: vec![outcome], ..Self::default() }
    }
}

impl Found {
    /// The same without a judgement: few requests tell nothing of time.
    #[must_use]
    pub(crate) fn unjudged(mut self) -> Self {
        for outcome in &mut self.outcomes {
            outcome.met = None;
        }
        self
    }
}

impl Outcome {
    /// Creates an outcome of a case and its figures, which neither has a ratio nor a reference yet.
    pub(crate) fn new(case: &str, target: &str, result: String, figures: Figures) -> Self {
        Self {
            case: case.to_owned(),
            target: target.to_owned(),
            result,
            ratio: None,
            met: None,
            figures,
            reference: None,
            note: None,
        }
    }

    /// Says whether the target is met.
    #[must_use]
    pub(crate) fn met(mut self, met: bool) -> Self {
        self.met = Some(met);
        self
    }

    /// Adds the ratio that the target bounds.
    #[must_use]
    pub(crate) fn ratio(mut self, ratio: f64) -> Self {
        self.ratio = Some((ratio * 1000.0).round() / 1000.0);
        self
    }

    /// Adds what it was compared with.
    #[must_use]
    pub(crate) fn beside(mut self, name: &str, figures: Figures) -> Self {
        self.reference = Some(Reference { name: name.to_owned(), figures });
        self
    }

    /// Adds what else there is to say.
    #[must_use]
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl Measurement {
    /// Begins a measurement, with what is known of the machine.
    pub(crate) fn begin(stage: &Stage, mark: Option<String>) -> anyhow::Result<Self> {
        let changed = !said("git", &["status", "--porcelain", "--untracked-files=no"])?.is_empty();
        let commit = said("git", &["rev-parse", "--short=12", "HEAD"])?;
        Ok(Self {
            machine: Machine::here()?,
            versions: Versions {
                restwell: stage.program.version()?,
                postgres: stage.postgres.version()?,
                redis: stage.redis.version()?,
                rustc: said("rustc", &["--version"]).unwrap_or_default(),
            },
            commit: if changed { format!("{commit}+") } else { commit },
            date: said("date", &["-u", "+%F"])?,
            mark,
            cases: Vec::new(),
            series: Vec::new(),
            safety: Vec::new(),
        })
    }

    /// Adds what a case found.
    pub(crate) fn add(&mut self, found: Found) {
        let Found { outcomes, series, safety } = found;
        for outcome in &outcomes {
            eprintln!("bench:   {}: {} (target: {})", outcome.case, outcome.result, outcome.target);
        }
        self.cases.extend(outcomes);
        self.series.extend(series);
        self.safety.extend(safety);
    }

    /// Returns the table for the terminal.
    pub(crate) fn table(&self) -> String {
        let mut text = format!(
            "{:<34} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7}  result\n",
            "case", "p50 ms", "p99 ms", "req/s", "cpu us", "db us", "peak MB", "ratio"
        );
        for outcome in &self.cases {
            row(&mut text, &outcome.case, &outcome.figures, outcome.ratio, &outcome.result);
            if let Some(Reference { name, figures }) = &outcome.reference {
                row(&mut text, &format!("  beside {name}"), figures, None, "");
            }
        }
        text
    }
}

fn row(text: &mut String, name: &str, figures: &Figures, ratio: Option<f64>, result: &str) {
    let Figures { median_ms, p99_ms, requests_per_second, server_cpu_us, database_cpu_us, peak_memory_mb } =
        *figures;
    let cell = |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |v| format!("{v:.digits$}"));
    // Writing to a text cannot fail.
    let _ = writeln!(
        text,
        "{name:<34} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7}  {result}",
        cell(median_ms, 3),
        cell(p99_ms, 3),
        cell(requests_per_second, 0),
        cell(server_cpu_us, 1),
        cell(database_cpu_us, 1),
        cell(peak_memory_mb, 1),
        cell(ratio, 2),
    );
}

impl Machine {
    fn here() -> anyhow::Result<Self> {
        let processors = std::fs::read_to_string("/proc/cpuinfo")?;
        let memory = std::fs::read_to_string("/proc/meminfo")?;
        Ok(Self {
            processor: value_of(&processors, "model name").unwrap_or("unknown").to_owned(),
            cores: std::thread::available_parallelism()?.get(),
            memory_mib: value_of(&memory, "MemTotal")
                .and_then(|text| text.strip_suffix(" kB")?.trim().parse::<u64>().ok())
                .unwrap_or_default()
                / 1024,
            kernel: said("uname", &["-sr"])?,
        })
    }
}

/// The value of the first line `name : value`.
fn value_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

/// Runs a program and returns what it printed.
pub(crate) fn said(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let done = Command::new(program).args(arguments).output().with_context(|| program.to_owned())?;
    anyhow::ensure!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr).trim());
    Ok(String::from_utf8(done.stdout)?.trim().to_owned())
}
