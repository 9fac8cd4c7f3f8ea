//! The performance page.

use super::text::{figure, number, table};
use crate::outcome::{Figures, Measurement, Outcome, Reference, Series};
use std::fmt::Write as _;

const TEMPLATE: &str = include_str!("page.template");

/// Renders the page, followed by the written analysis.
pub(super) fn render(measurement: &Measurement, notes: &str) -> String {
    let mark = measurement.mark.as_ref().map_or_else(String::new, |mark| format!("**{mark}.** "));
    let parts = [
        ("{mark}", mark),
        ("{machine}", machine(measurement)),
        ("{targets}", targets(measurement)),
        ("{figures}", figures(measurement)),
        ("{notes}", remarks(measurement)),
        ("{growth}", growth(measurement)),
        ("{safety}", safety(measurement)),
        ("{tail}", without_title(notes)),
    ];
    let page = parts.iter().fold(TEMPLATE.to_owned(), |page, (place, text)| page.replace(place, text));
    format!("{}\n", page.replace("\n\n\n", "\n\n").trim_end())
}

fn machine(measurement: &Measurement) -> String {
    let (machine, versions) = (&measurement.machine, &measurement.versions);
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    table(
        &["measured", ""],
        &[
            row("day", measurement.date.clone()),
            row("commit", format!("`{}`", measurement.commit)),
            row("processor", format!("{}, {} cores", machine.processor, machine.cores)),
            row(
                "caches",
                if machine.caches.is_empty() { "unknown".to_owned() } else { machine.caches.clone() },
            ),
            row("memory", format!("{} MiB", machine.memory_mib)),
            row("system", machine.kernel.clone()),
            row("program", versions.restwell.clone()),
            row("PostgreSQL", versions.postgres.clone()),
            row("Redis", versions.redis.clone()),
            row("compiler", versions.rustc.clone()),
        ],
    )
    .replace("|---:|", "|---|")
}

fn targets(measurement: &Measurement) -> String {
    let rows: Vec<_> = measurement
        .cases
        .iter()
        .map(|outcome| {
            let met = match outcome.met {
                Some(true) => "yes",
                Some(false) => "**no**",
                None => "–",
            };
            vec![
                outcome.case.clone(),
                outcome.target.clone(),
                outcome.result.clone(),
                number(outcome.ratio),
                met.to_owned(),
            ]
        })
        .collect();
    table(&["case", "target", "result", "ratio", "met"], &rows)
        .replace("|---|---:|---:|---:|---:|", "|---|---|---|---:|---|")
}

fn figures(measurement: &Measurement) -> String {
    let mut rows = Vec::new();
    for Outcome { case, figures, reference, .. } in &measurement.cases {
        rows.push(row(case.clone(), figures));
        if let Some(Reference { name, figures }) = reference {
            rows.push(row(format!("– beside: {name}"), figures));
        }
    }
    table(&["case", "median ms", "p99 ms", "requests/s", "server µs", "database µs", "peak MB"], &rows)
}

fn row(name: String, figures: &Figures) -> Vec<String> {
    let Figures {
        median_ms,
        p99_ms,
        requests_per_second,
        server_cpu_us,
        database_cpu_us,
        peak_memory_mb,
        ..
    } = *figures;
    let numbers = [median_ms, p99_ms, requests_per_second, server_cpu_us, database_cpu_us, peak_memory_mb];
    std::iter::once(name).chain(numbers.map(number)).collect()
}

/// Renders the remarks of the cases.
fn remarks(measurement: &Measurement) -> String {
    let mut text = String::new();
    for outcome in &measurement.cases {
        if let Some(note) = &outcome.note {
            // Writing to a string does not fail.
            let _ = writeln!(text, "* **{}**: {note}", outcome.case);
        }
    }
    if text.is_empty() { text } else { text + "\n" }
}

fn growth(measurement: &Measurement) -> String {
    let mut text = String::new();
    for series in &measurement.series {
        let _ = writeln!(text, "**{}**\n", series.title);
        let mut heads = vec![series.x.as_str()];
        heads.extend(series.lines.iter().map(|line| line.name.as_str()));
        text.push_str(&table(&heads, &by_x(series)));
        text.push('\n');
    }
    text
}

/// Returns the points of a series as table rows.
fn by_x(series: &Series) -> Vec<Vec<String>> {
    let mut places: Vec<f64> =
        series.lines.iter().flat_map(|line| line.points.iter().map(|(x, _)| *x)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
        .into_iter()
        .map(|place| {
            let values = series.lines.iter().map(|line| {
                let found = line.points.iter().find(|(x, _)| x.total_cmp(&place).is_eq());
                found.map_or_else(|| "–".to_owned(), |(_, y)| figure(*y))
            });
            let name = if place < 100.0 { format!("{place}") } else { figure(place) };
            std::iter::once(name).chain(values).collect()
        })
        .collect()
}

fn safety(measurement: &Measurement) -> String {
    let rows: Vec<_> = measurement
        .safety
        .iter()
        .map(|check| {
            vec![check.name.clone(), figure(check.added_cpu_us), number(check.without.server_cpu_us)]
        })
        .collect();
    table(&["check", "adds µs", "a request without it, µs"], &rows)
}

/// Removes the title of the analysis, because the page has one.
fn without_title(notes: &str) -> String {
    let body = match notes.split_once('\n') {
        Some((title, body)) if title.starts_with("# ") => body,
        _ => notes,
    };
    body.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::measurement;

    #[test]
    fn the_page_shows_the_measurement_its_machine_and_the_verdict() {
        let page = render(&measurement(), "# Notes\n\n## Where the time goes\n\nNowhere.\n");
        for part in [
            "**a busy machine.** Written by",
            "| commit | `0123456789ab` |",
            "| processor | a processor, 2 cores |\n| caches | L1d 32K, L2 1024K |",
            "| refresh | at least 5,000 a second | 6,000 a second | 1.20 | yes |",
            "| refresh | 8.00 | 20.0 | 6,000 | 100 | 50.0 | 40.0 |",
            "**Sessions**",
            "| 100,000 | 0.50 |",
            "| access | 0.40 | 1.60 |",
            "## Where the time goes\n\nNowhere.\n",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains('{') && !page.contains("# Notes"), "{page}");
    }
}
