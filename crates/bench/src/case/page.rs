//! Pages of ordinary size: sleep, supplements, and the last of many.

use super::Case;
use super::profile::{CONNECTIONS, ratio};
use crate::load::{Expected, Load, Requests};
use crate::measure::{in_turns, round};
use crate::outcome::{Figures, Outcome, Results};
use crate::stage::{Person, Stage, get};
use anyhow::ensure;
use std::time::{Duration, Instant};

const PAGE: usize = 30;
const SUPPLEMENTS: usize = 20;
const LOGS: usize = 2_000;
/// Nights of the person whose last page is read: five and a half years.
const MANY_NIGHTS: usize = 2_000;

/// Returns the cases of this module.
pub(super) const CASES: &[Case] = &[
    Case { name: "sleep, page of 30", run: sleep_page },
    Case { name: "supplements", run: supplements },
    Case { name: "last page", run: last_page },
    Case { name: "page from a standby", run: from_standby },
];

/// Path of a page with stages and metrics.
pub(super) fn whole_nights(person: &Person, nights: usize) -> String {
    let user_id = &person.user_id;
    format!("/api/v1/sleep/{user_id}?include_stages=true&include_metrics=true&pageSize={nights}")
}

/// Creates a load of requests for a page on the server with Postgres; fails unless the page has this many
/// records and intake logs.
pub(super) fn load(stage: &mut Stage, path: &str, token: &str, records: usize) -> anyhow::Result<Load> {
    let address = stage.server()?.address;
    let request = get(path, token);
    Ok(Load {
        address,
        connections: CONNECTIONS,
        expected: Expected::page(address, &request, records)?,
        requests: Requests::Again(vec![request]),
        end: stage.plan.end(),
    })
}

/// Measures a load in turns with R2.
fn beside_row(stage: &mut Stage, user_id: &str, ours: &Load) -> anyhow::Result<(Figures, Figures)> {
    let theirs = Load {
        address: stage.row_server()?.address,
        requests: Requests::Again(vec![get(&format!("/row/{user_id}"), "none")]),
        expected: Expected::body(100..=2_000),
        ..ours.clone()
    };
    let (costs, row_costs) = (stage.server_costs()?, stage.row_costs()?);
    in_turns(stage.plan.rounds, &mut || round(ours, costs), &mut || round(&theirs, row_costs))
}

fn sleep_page(stage: &mut Stage) -> anyhow::Result<Results> {
    let person = stage.sleeper(PAGE)?;
    let token = stage.token(&person)?;
    let path = whole_nights(&person, PAGE);
    let ours = load(stage, &path, &token, PAGE)?;
    let (found, reference) = beside_row(stage, &person.user_id, &ours)?;
    let cpu = ratio(found.server_cpu_us, reference.server_cpu_us);
    let requests = ratio(found.requests_per_second, reference.requests_per_second);
    let target = "at most 5 x R2 in server CPU, at least 0.3 x in requests a second";
    Ok(Outcome::new("sleep, page of 30", target, format!("{cpu:.2} x R2, {requests:.2} x"), found)
        .ratio(cpu)
        .met(cpu <= 5.0 && requests >= 0.3)
        .reference("R2, one row through a pool, no checks", reference)
        .into())
}

fn supplements(stage: &mut Stage) -> anyhow::Result<Results> {
    let logs = if stage.plan.short { LOGS / 10 } else { LOGS };
    let person = stage.taker(SUPPLEMENTS, logs)?;
    let token = stage.token(&person)?;
    let path = format!("/api/v1/supplements/{}?pageSize={SUPPLEMENTS}", person.user_id);
    let ours = load(stage, &path, &token, SUPPLEMENTS + logs)?;
    let (found, reference) = beside_row(stage, &person.user_id, &ours)?;
    let cpu = found.server_cpu_us.unwrap_or(f64::NAN) / 1_000.0;
    Ok(Outcome::new(
        "supplements, 20 with 2,000 logs",
        "at most 0.7 ms of server CPU",
        format!("{cpu:.3} ms"),
        found,
    )
    .met(cpu <= 0.7)
    .reference("R2, one row through a pool, no checks", reference)
    .into())
}

fn last_page(stage: &mut Stage) -> anyhow::Result<Results> {
    let nights = stage.plan.nights.min(MANY_NIGHTS);
    let person = stage.new_sleeper("last-page", nights)?;
    let token = stage.token(&person)?;
    let path = |page: usize| format!("/api/v1/sleep/{}?pageSize={PAGE}&page={page}", person.user_id);
    let last = nights.div_ceil(PAGE);
    let rest = nights - (last - 1) * PAGE;
    let ours = load(stage, &path(last), &token, rest)?;
    let first = load(stage, &path(1), &token, PAGE)?;
    let costs = stage.server_costs()?;
    let (found, reference) =
        in_turns(stage.plan.rounds, &mut || round(&ours, costs), &mut || round(&first, costs))?;
    let ratio = ratio(found.median_ms, reference.median_ms);
    Ok(Outcome::new("last page of 2,000", "p50 at most 3 x page 1", format!("{ratio:.2} x"), found)
        .ratio(ratio)
        .met(ratio <= 3.0)
        .reference("page 1", reference)
        .note(format!("without stages and metrics; the last page has {rest} of {PAGE} sessions"))
        .into())
}

/// Compares the processor time of the primary, because that is what a second machine for reads saves.
fn from_standby(stage: &mut Stage) -> anyhow::Result<Results> {
    let person = stage.sleeper(PAGE)?;
    let token = stage.token(&person)?;
    let path = whole_nights(&person, PAGE);
    let theirs = load(stage, &path, &token, PAGE)?;
    let standby = stage.postgres.standby()?;
    let server = stage.program.clone().with("STORAGE__READ_URL", &standby.url()).serve()?;
    let started = Instant::now();
    while !standby.has_read("sleep_session")? {
        ensure!(started.elapsed() < Duration::from_secs(20), "nothing is read from the standby");
        server.ask(&get(&path, &token))?;
    }
    let ours = Load { address: server.address, ..theirs.clone() };
    let costs = stage.postgres.costs_with(server.watched(), &standby);
    let their_costs = stage.server_costs()?;
    let (found, reference) =
        in_turns(stage.plan.rounds, &mut || round(&ours, costs), &mut || round(&theirs, their_costs))?;
    let primary = ratio(found.database_cpu_us, reference.database_cpu_us);
    let server = ratio(found.server_cpu_us, reference.server_cpu_us);
    let result = format!("{primary:.2} x on the primary, {server:.2} x on the server");
    Ok(Outcome::new("page of 30 from a standby", "none", result, found)
        .ratio(primary)
        .reference("the same from the primary", reference)
        .into())
}
