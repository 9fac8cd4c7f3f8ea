//! The profile, read with a token that is known, beside a server that reads one row and checks nothing.

use super::Case;
use crate::load::{Expected, Load, Requests};
use crate::measure::{Costs, in_turns, round};
use crate::outcome::{Figures, Found, Outcome};
use crate::reference::{Kind, ReferenceServer, pgbench};
use crate::stage::{Stage, create_person, get};
use std::net::SocketAddr;

/// Connections of every case about small reads.
pub(crate) const CONNECTIONS: usize = 16;
/// Nights of the person whose profile is read; they have nothing to do with it.
const NIGHTS: usize = 30;

/// The cases of this module.
pub(super) const CASES: &[Case] = &[
    Case { name: "profile read, hot token", run: hot_token },
    Case { name: "limit in Redis", run: limit_in_redis },
    Case { name: "profile read on SQLite", run: on_sqlite },
];

/// A load of profile reads.
pub(crate) fn profile_load(stage: &Stage, address: SocketAddr, path: &str, token: &str) -> Load {
    Load {
        address,
        connections: CONNECTIONS,
        requests: Requests::Again(vec![get(path, token)]),
        end: stage.plan.end(),
        expected: Expected::body(100..=2_000),
    }
}

fn hot_token(stage: &mut Stage) -> anyhow::Result<Found> {
    let person = stage.sleeper(NIGHTS)?;
    let token = stage.token(&person)?;
    stage.row_server()?;
    let (server, row) = (stage.server()?.address, stage.row_server()?.address);
    let costs = stage.server_costs()?;
    let row_costs = stage.row_costs()?;
    let ours = profile_load(stage, server, &format!("/api/v1/profile/{}", person.user_id), &token);
    let theirs = profile_load(stage, row, &format!("/row/{}", person.user_id), &token);
    let (found, reference) =
        in_turns(stage.plan.rounds, &mut || round(&ours, costs), &mut || round(&theirs, row_costs))?;
    let mut outcomes = vec![against_row(found, reference)];
    outcomes.extend(ceilings(stage, &person.user_id)?);
    Ok(Found { outcomes, ..Found::default() })
}

fn against_row(found: Figures, reference: Figures) -> Outcome {
    let ratio = ratio(found.requests_per_second, reference.requests_per_second);
    let result = format!("{ratio:.2} x R2");
    Outcome::new("profile read, hot token", "at least 1.2 x R2 in requests a second", result, found)
        .ratio(ratio)
        .met(ratio >= 1.2)
        .beside("R2, one row through a pool, no checks", reference)
}

/// R1 and R3: what the machine can do at most, without a database and without a server. They have no target.
fn ceilings(stage: &Stage, user_id: &str) -> anyhow::Result<Vec<Outcome>> {
    let constant = ReferenceServer::start(Kind::Constant, "")?;
    let load = profile_load(stage, constant.address, "/constant", "none");
    let costs = Costs { server: Some(constant.watched()), database: None };
    round(&load, costs)?;
    let constant = round(&load, costs)?;
    let seconds = stage.plan.seconds;
    let bare = pgbench(&stage.postgres, stage.folder.path(), user_id, (CONNECTIONS, seconds))?;
    let told =
        |figures: &Figures| format!("{:.0} requests a second", figures.requests_per_second.unwrap_or(0.0));
    Ok(vec![
        Outcome::new("R1, a constant", "none", told(&constant), constant),
        Outcome::new("R3, pgbench with the row of R2", "none", told(&bare), bare)
            .note("the latency is the mean, which is all that pgbench tells"),
    ])
}

fn limit_in_redis(stage: &mut Stage) -> anyhow::Result<Found> {
    let person = stage.sleeper(NIGHTS)?;
    let token = stage.token(&person)?;
    let path = format!("/api/v1/profile/{}", person.user_id);
    let shared = stage.program.clone().with("RATE_LIMITS__STORE_URL", &stage.redis.url()).serve()?;
    let alone = stage.server()?.address;
    let (shared_costs, alone_costs) = (stage.costs(&shared), stage.server_costs()?);
    let shared_load = profile_load(stage, shared.address, &path, &token);
    let alone_load = profile_load(stage, alone, &path, &token);
    let (found, reference) =
        in_turns(stage.plan.rounds, &mut || round(&shared_load, shared_costs), &mut || {
            round(&alone_load, alone_costs)
        })?;
    let ratio = ratio(found.median_ms, reference.median_ms);
    let target = "at most 1.6 x the p50 of the limit in the process, at 16 connections";
    Ok(Outcome::new("limit in Redis, profile read", target, format!("{ratio:.2} x"), found)
        .ratio(ratio)
        .met(ratio <= 1.6)
        .beside("the limit in the process", reference)
        .into())
}

fn on_sqlite(stage: &mut Stage) -> anyhow::Result<Found> {
    let postgres_person = stage.sleeper(NIGHTS)?;
    let postgres_token = stage.token(&postgres_person)?;
    let program = stage.sqlite("profile")?;
    let person = create_person(&program, "reader")?;
    let app = crate::stage::App::register(&program)?;
    let server = program.serve()?;
    let token = app.token(&program, &server, &person)?;
    let costs = Costs { server: Some(server.watched()), database: None };
    let postgres_costs = stage.server_costs()?;
    let load = profile_load(stage, server.address, &format!("/api/v1/profile/{}", person.user_id), &token);
    let postgres = stage.server()?.address;
    let path = format!("/api/v1/profile/{}", postgres_person.user_id);
    let postgres_load = profile_load(stage, postgres, &path, &postgres_token);
    let (found, reference) = in_turns(stage.plan.rounds, &mut || round(&load, costs), &mut || {
        round(&postgres_load, postgres_costs)
    })?;
    let ratio = ratio(found.requests_per_second, reference.requests_per_second);
    let target = "at least 0.7 x the same on PostgreSQL";
    Ok(Outcome::new("profile read on SQLite", target, format!("{ratio:.2} x"), found)
        .ratio(ratio)
        .met(ratio >= 0.7)
        .beside("the same on PostgreSQL", reference)
        .into())
}

/// One figure by another.
pub(crate) fn ratio(one: Option<f64>, other: Option<f64>) -> f64 {
    one.unwrap_or(f64::NAN) / other.unwrap_or(f64::NAN)
}
