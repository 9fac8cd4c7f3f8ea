//! Cost of each check of a request.
//!
//! A check costs less than a hundredth of an HTTP request and would be lost in noise. The product's own parts
//! therefore run here without HTTP, once all of them and once with one replaced by a part that always grants.

mod chain;
mod part;

use crate::case::Case;
use crate::load::{Expected, Load, Requests};
use crate::measure::{Costs, in_turns, median, round};
use crate::outcome::{Check, Figures, Results};
use crate::stage::{Stage, free_address, get};
use anyhow::Context;
use chain::{Chain, Part};

/// Returns the cases of this module.
pub(crate) const CASES: &[Case] = &[Case { name: "cost of safety", run }];

/// Requests per round of the chain.
const REQUESTS: u32 = 200_000;
const CONNECTIONS: usize = 16;

fn run(stage: &mut Stage) -> anyhow::Result<Results> {
    let (rounds, requests) = if stage.plan.short { (1, 100) } else { (stage.plan.rounds.max(5), REQUESTS) };
    let mut safety = vec![first_sight(rounds, requests / 100)?];
    for part in Part::EACH {
        safety.push(left_out(&[part], part.name(), rounds, requests)?);
    }
    safety.push(left_out(&Part::EACH, "token, access, limit and audit together", rounds, requests)?);
    safety.push(metrics(stage)?);
    Ok(Results { safety, ..Results::default() })
}

/// Runs the whole chain and the chain without some checks in turns.
fn left_out(parts: &[Part], name: &str, rounds: usize, requests: u32) -> anyhow::Result<Check> {
    let (whole, without) = (Chain::without(&[])?, Chain::without(parts)?);
    let one = |chain: &Chain| -> anyhow::Result<Figures> {
        Ok(Figures { server_cpu_us: Some(chain.microseconds_each(requests)?), ..Figures::default() })
    };
    let (with, without) = in_turns(rounds, &mut || one(&whole), &mut || one(&without))?;
    check(name, with, without)
}

/// Measures signature verification, which happens once per token and process.
fn first_sight(rounds: usize, tokens: u32) -> anyhow::Result<Check> {
    let mut found = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        found.push(Chain::microseconds_of_new_tokens(tokens.max(1))?);
    }
    Ok(Check {
        name: "token, seen for the first time (its signature)".to_owned(),
        without: Figures::default(),
        added_cpu_us: median(found).context("nothing was measured")?,
    })
}

/// Measures the metrics over HTTP: two servers in turns, one with the Prometheus listener.
fn metrics(stage: &mut Stage) -> anyhow::Result<Check> {
    let person = stage.sleeper(30)?;
    let token = stage.token(&person)?;
    let silent = stage.program.serve()?;
    let listen = free_address()?.to_string();
    let counting = stage.program.clone().with("METRICS__LISTEN", &listen).serve()?;
    let request = get(&format!("/api/v1/profile/{}", person.user_id), &token);
    let end = stage.plan.end();
    let load = |address| Load {
        address,
        connections: CONNECTIONS,
        requests: Requests::Again(vec![request.clone()]),
        end,
        expected: Expected::status(200),
    };
    let (with, without) = in_turns(
        stage.plan.rounds,
        &mut || {
            round(&load(counting.address), Costs { server: Some(counting.watched()), ..Costs::default() })
        },
        &mut || round(&load(silent.address), Costs { server: Some(silent.watched()), ..Costs::default() }),
    )?;
    check("metrics (over HTTP, profile read)", with, without)
}

fn check(name: &str, with: Figures, without: Figures) -> anyhow::Result<Check> {
    let cpu = |figures: Figures| figures.server_cpu_us.context("no processor time was counted");
    Ok(Check { name: name.to_owned(), without, added_cpu_us: cpu(with)? - cpu(without)? })
}
