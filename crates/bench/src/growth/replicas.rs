//! Pages per second by the number of replicas, each on one processor.

use super::{load, page_of, series};
use crate::measure::{Costs, count, medians, repeat, round};
use crate::outcome::{Figures, Results};
use crate::stage::{Server, Stage};

const REPLICAS: usize = 4;
/// Clients per replica.
const CLIENTS: usize = 16;

pub(super) fn run(stage: &mut Stage) -> anyhow::Result<Results> {
    let person = stage.sleeper(stage.plan.nights)?;
    let token = stage.token(&person)?;
    let pages = [page_of(&person, &token)];
    let processors = std::thread::available_parallelism()?.get();
    let most = if stage.plan.short { 1 } else { REPLICAS };
    let (mut speed, mut cpu) = (Vec::new(), Vec::new());
    let mut replicas: Vec<Server> = Vec::new();
    for number in 0..most {
        replicas.push(stage.program.serve_on(&[number % processors])?);
        let figures = repeat(stage.plan.rounds, &mut || together(stage, &replicas, &pages))?;
        let x = count(replicas.len() as u64);
        speed.extend(figures.requests_per_second.map(|y| (x, y)));
        cpu.extend(figures.server_cpu_us.map(|y| (x, y)));
    }
    let x = "replicas, each pinned to one processor";
    let series = vec![
        series(
            "replicas",
            "Pages a second against the number of replicas",
            (x, "pages a second"),
            vec![("pages a second", speed)],
        ),
        series(
            "replicas-cost",
            "Processor time of a page against the number of replicas",
            (x, "microseconds"),
            vec![("server, each page", cpu)],
        ),
    ];
    Ok(Results { series, ..Results::default() })
}

/// Loads all replicas concurrently; returns their combined rate and the cost per page of one.
fn together(stage: &Stage, replicas: &[Server], pages: &[Vec<u8>]) -> anyhow::Result<Figures> {
    let found = std::thread::scope(|scope| {
        let asked: Vec<_> = replicas
            .iter()
            .map(|replica| {
                let load = load(stage, replica.address, CLIENTS, pages);
                let costs = Costs { server: Some(replica.watched()), ..Costs::default() };
                scope.spawn(move || round(&load, costs))
            })
            .collect();
        asked
            .into_iter()
            .map(|thread| {
                thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a load generator broke off")))
            })
            .collect::<anyhow::Result<Vec<_>>>()
    })?;
    let speed = found.iter().filter_map(|figures| figures.requests_per_second).sum();
    Ok(Figures { requests_per_second: Some(speed), ..medians(&found) })
}
