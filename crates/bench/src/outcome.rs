//! Results in the format of docs/performance.json.

use crate::process::output_of;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::Path;

/// Results of one run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Measurement {
    pub(crate) machine: Machine,
    pub(crate) versions: Versions,
    /// Measured commit, with `+` if files were modified.
    pub(crate) commit: String,
    /// Date as YYYY-MM-DD.
    pub(crate) date: String,
    /// Remark, such as that the machine was busy.
    pub(crate) mark: Option<String>,
    pub(crate) cases: Vec<Outcome>,
    /// Growth series.
    pub(crate) series: Vec<Series>,
    /// Cost of each check of a request.
    pub(crate) safety: Vec<Check>,
}

/// The machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    /// Caches of a core; empty if unknown.
    #[serde(default)]
    pub(crate) caches: String,
    pub(crate) cores: usize,
    pub(crate) memory_mib: u64,
    pub(crate) kernel: String,
}

/// Versions and machine of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Versions {
    pub(crate) restwell: String,
    pub(crate) postgres: String,
    pub(crate) redis: String,
    pub(crate) rustc: String,
}

/// Result of one case.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) case: String,
    /// The project's target in words.
    pub(crate) target: String,
    /// Result in the unit of the target.
    pub(crate) result: String,
    /// The ratio that the target limits, if it limits one.
    pub(crate) ratio: Option<f64>,
    /// Whether the target is met; `None` if there is none.
    pub(crate) met: Option<bool>,
    #[serde(flatten)]
    pub(crate) figures: Figures,
    pub(crate) reference: Option<Reference>,
    pub(crate) note: Option<String>,
}

/// Reference of a case.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Reference {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) figures: Figures,
}

/// Figures of a load, each the median of its rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// Latency in milliseconds, from the first byte sent to the last one read.
    pub(crate) median_ms: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
    pub(crate) requests_per_second: Option<f64>,
    /// CPU time of the server in microseconds per request.
    pub(crate) server_cpu_us: Option<f64>,
    /// CPU time of all database processes in microseconds per request; of the coordinator on Citus.
    pub(crate) database_cpu_us: Option<f64>,
    /// CPU time of all workers of a Citus cluster, or of a standby, in microseconds per request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) workers_cpu_us: Option<f64>,
    /// Peak resident memory of the server in MB (10^6 bytes).
    pub(crate) peak_memory_mb: Option<f64>,
}

/// Figures that depend on a size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) lines: Vec<Line>,
}

/// One line of a series.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Cost of one check.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Check {
    pub(crate) name: String,
    /// Figures without it.
    #[serde(flatten)]
    pub(crate) without: Figures,
    /// CPU time of the server that it adds, in microseconds per request.
    pub(crate) added_cpu_us: f64,
}

/// Results that a case adds to a measurement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Results {
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) series: Vec<Series>,
    pub(crate) safety: Vec<Check>,
}

impl From<Outcome> for Results {
    fn from(outcome: Outcome) -> Self {
        Self { outcomes: vec![outcome], ..Self::default() }
    }
}

impl Results {
    /// The same without a verdict, because a short run does not allow conclusions about time.
    #[must_use]
    pub(crate) fn unjudged(mut self) -> Self {
        for outcome in &mut self.outcomes {
            outcome.met = None;
        }
        self
    }
}

impl Outcome {
    /// Creates the result of a case, without ratio and reference.
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

    /// Sets whether the target is met.
    #[must_use]
    pub(crate) fn met(mut self, met: bool) -> Self {
        self.met = Some(met);
        self
    }

    /// Sets the ratio that the target limits.
    #[must_use]
    pub(crate) fn ratio(mut self, ratio: f64) -> Self {
        self.ratio = Some((ratio * 1000.0).round() / 1000.0);
        self
    }

    /// Sets the reference.
    #[must_use]
    pub(crate) fn reference(mut self, name: &str, figures: Figures) -> Self {
        self.reference = Some(Reference { name: name.to_owned(), figures });
        self
    }

    /// Sets a remark.
    #[must_use]
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl Measurement {
    /// Creates an empty measurement with the properties of the machine.
    pub(crate) fn begin(versions: Versions, mark: Option<String>) -> anyhow::Result<Self> {
        let changed = !output_of("git", &["status", "--porcelain", "--untracked-files=no"])?.is_empty();
        let commit = output_of("git", &["rev-parse", "--short=12", "HEAD"])?;
        Ok(Self {
            machine: Machine::here()?,
            versions,
            commit: if changed { format!("{commit}+") } else { commit },
            date: output_of("date", &["-u", "+%F"])?,
            mark,
            cases: Vec::new(),
            series: Vec::new(),
            safety: Vec::new(),
        })
    }

    /// Adds the results of a case.
    pub(crate) fn add(&mut self, found: Results) {
        let Results { outcomes, series, safety } = found;
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
            "{:<34} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7}  result\n",
            "case", "p50 ms", "p99 ms", "req/s", "cpu us", "db us", "wrk us", "peak MB", "ratio"
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
    let Figures {
        median_ms,
        p99_ms,
        requests_per_second,
        server_cpu_us,
        database_cpu_us,
        workers_cpu_us,
        peak_memory_mb,
    } = *figures;
    let cell = |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |v| format!("{v:.digits$}"));
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{name:<34} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7}  {result}",
        cell(median_ms, 3),
        cell(p99_ms, 3),
        cell(requests_per_second, 0),
        cell(server_cpu_us, 1),
        cell(database_cpu_us, 1),
        cell(workers_cpu_us, 1),
        cell(peak_memory_mb, 1),
        cell(ratio, 2),
    );
}

impl Machine {
    fn here() -> anyhow::Result<Self> {
        let processors = std::fs::read_to_string("/proc/cpuinfo")?;
        let memory = std::fs::read_to_string("/proc/meminfo")?;
        Ok(Self {
            processor: processor(&processors),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            cores: std::thread::available_parallelism()?.get(),
            memory_mib: value_of(&memory, "MemTotal")
                .and_then(|text| text.strip_suffix(" kB")?.trim().parse::<u64>().ok())
                .unwrap_or_default()
                / 1024,
            kernel: output_of("uname", &["-sr"])?,
        })
    }
}

/// Names the processor; a virtual one may give only its maker, so with its model number.
fn processor(processors: &str) -> String {
    let value = |name| value_of(processors, name).unwrap_or("unknown");
    let number =
        |name| value_of(processors, name).map(|number| format!(", {name} {number}")).unwrap_or_default();
    format!("{}{}{}", value("model name"), number("cpu family"), number("model"))
}

/// Lists the caches of the first core in the kernel's order, such as `L1d 32K, L1i 32K, L2 1024K`.
fn caches(folder: &Path) -> String {
    let cache = |number: usize| {
        let read = |name| std::fs::read_to_string(folder.join(format!("index{number}/{name}"))).ok();
        let kind = match read("type")?.trim() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        Some(format!("L{}{kind} {}", read("level")?.trim(), read("size")?.trim()))
    };
    (0..).map_while(cache).collect::<Vec<_>>().join(", ")
}

/// Returns the value of the first line `name : value`.
fn value_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_named_with_the_model_and_caches_of_its_processor() {
        let text = "model\t\t: 17\nmodel name\t: AMD EPYC\ncpu family\t: 25\n";
        assert_eq!(processor(text), "AMD EPYC, cpu family 25, model 17");
        assert_eq!(processor(""), "unknown");
        let folder = tempfile::tempdir().unwrap();
        for (number, level, kind, size) in
            [(0, 1, "Data", "32K"), (1, 1, "Instruction", "64K"), (2, 2, "Unified", "1024K")]
        {
            let cache = folder.path().join(format!("index{number}"));
            std::fs::create_dir(&cache).unwrap();
            for (name, value) in
                [("level", level.to_string()), ("type", kind.to_owned()), ("size", size.to_owned())]
            {
                std::fs::write(cache.join(name), value + "\n").unwrap();
            }
        }
        assert_eq!(caches(folder.path()), "L1d 32K, L1i 64K, L2 1024K");
        assert_eq!(caches(&folder.path().join("nowhere")), "");
    }
}
