//! R3: pgbench with the statement of R2.

use super::database::ROW;
use crate::outcome::Figures;
use crate::stage::Postgres;
use anyhow::Context;
use std::path::Path;

/// Runs the prepared statement for a time with this many clients and returns its figures.
pub(crate) fn pgbench(
    postgres: &Postgres,
    folder: &Path,
    user_id: &str,
    (clients, seconds): (usize, f64),
) -> anyhow::Result<Figures> {
    let script = folder.join("row.sql");
    let statement = ROW.replace("$1", &format!("'{user_id}'"));
    std::fs::write(&script, format!("{statement};\n"))?;
    let seconds = seconds.ceil().max(1.0).to_string();
    let clients = clients.to_string();
    let script = script.display().to_string();
    let arguments = ["-n", "-M", "prepared", "-c", &clients, "-j", "1", "-T", &seconds, "-f", &script];
    pgbench_figures(&postgres.program("pgbench", &arguments)?)
}

/// Parses the output of pgbench.
fn pgbench_figures(printed: &str) -> anyhow::Result<Figures> {
    let number = |before: &str| {
        let line = printed.lines().find_map(|line| line.strip_prefix(before))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    Ok(Figures {
        median_ms: number("latency average = "),
        requests_per_second: Some(number("tps = ").context("pgbench printed no speed")?),
        ..Figures::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_pgbench_are_read() {
        let printed = "scaling factor: 1\nlatency average = 0.211 ms\ntps = 75708.5 (without initial connection time)\n";
        let figures = pgbench_figures(printed).unwrap();
        assert_eq!((figures.median_ms, figures.requests_per_second), (Some(0.211), Some(75708.5)));
        assert!(pgbench_figures("pgbench: error").is_err());
    }
}
