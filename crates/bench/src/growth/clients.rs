//! Cost of a page by the number of concurrent clients.

use super::{load, page_of, series};
use crate::measure::{count, repeat, round};
use crate::outcome::Results;
use crate::stage::Stage;

const CLIENTS: [usize; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

pub(super) fn run(stage: &mut Stage) -> anyhow::Result<Results> {
    let person = stage.sleeper(stage.plan.nights)?;
    let token = stage.token(&person)?;
    let pages = [page_of(&person, &token)];
    let (address, costs) = (stage.server()?.address, stage.server_costs()?);
    let (mut median, mut p99, mut speed) = (Vec::new(), Vec::new(), Vec::new());
    let clients = CLIENTS.iter().take(if stage.plan.short { 2 } else { CLIENTS.len() });
    for clients in clients.copied() {
        let load = load(stage, address, clients, &pages);
        let figures = repeat(stage.plan.rounds, &mut || round(&load, costs))?;
        let x = count(clients as u64);
        median.extend(figures.median_ms.map(|y| (x, y)));
        p99.extend(figures.p99_ms.map(|y| (x, y)));
        speed.extend(figures.requests_per_second.map(|y| (x, y)));
    }
    let axes = ("clients at the same time", "milliseconds");
    let title = "A page of 30 sessions against the number of clients";
    let series = vec![
        series("clients", title, axes, vec![("p50", median), ("p99", p99)]),
        series(
            "clients-speed",
            "Pages a second against the number of clients",
            (axes.0, "pages a second"),
            vec![("pages a second", speed)],
        ),
    ];
    Ok(Results { series, ..Results::default() })
}
