//! Cost of a page by the number of concurrent clients.

use super::{load, page_of, plot};
use crate::measure::{Costs, count, medians, round};
use crate::outcome::Found;
use crate::stage::Stage;

const CLIENTS: [usize; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

pub(super) fn run(stage: &mut Stage) -> anyhow::Result<Found> {
    let person = stage.sleeper(stage.plan.nights)?;
    let token = stage.token(&person)?;
    let pages = [page_of(&person, &token)];
    let server = stage.server()?;
    let (address, watched) = (server.address, server.watched());
    let costs = Costs { server: Some(watched), database: Some(stage.postgres.watched()) };
    let (mut median, mut p99, mut speed) = (Vec::new(), Vec::new(), Vec::new());
    let clients = CLIENTS.iter().take(if stage.plan.short { 2 } else { CLIENTS.len() });
    for clients in clients.copied() {
        let load = load(stage, address, clients, &pages);
        round(&load, costs)?;
        let rounds = (0..stage.plan.rounds).map(|_| round(&load, costs)).collect::<Result<Vec<_>, _>>()?;
        let figures = medians(&rounds);
        let x = count(clients as u64);
        median.extend(figures.median_ms.map(|y| (x, y)));
        p99.extend(figures.p99_ms.map(|y| (x, y)));
        speed.extend(figures.requests_per_second.map(|y| (x, y)));
    }
    let axes = ("clients at the same time", "milliseconds");
    let title = "A page of 30 sessions against the number of clients";
    let series = vec![
        plot("clients", title, axes, vec![("p50", median), ("p99", p99)]),
        plot(
            "clients-speed",
            "Pages a second against the number of clients",
            (axes.0, "pages a second"),
            vec![("pages a second", speed)],
        ),
    ];
    Ok(Found { series, ..Found::default() })
}
