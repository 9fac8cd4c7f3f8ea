//! Profile reads with a cached token, beside a server that reads one row without any checks.

use super::Case;
use crate::load::{Expected, Load, Requests};
use crate::measure::{Costs, in_turns, round};
use crate::outcome::{Figures, Outcome, Results};
use crate::reference::{Kind, ReferenceServer, pgbench};
use crate::stage::{App, Person, Program, Server, Stage, create_person, get};
use std::net::SocketAddr;

/// Connections of all small-read cases.
pub(crate) const CONNECTIONS: usize = 16;
/// Number of people, equal to that of connections, so that concurrent requests read different rows.
const PEOPLE: usize = CONNECTIONS;

/// Returns the cases of this module.
pub(super) const CASES: &[Case] = &[
    Case { name: "profile read, hot token", run: hot_token },
    Case { name: "limit in Redis", run: limit_in_redis },
    Case { name: "profile read on SQLite", run: on_sqlite },
];

/// Creates a load of small reads.
fn small_reads(stage: &Stage, address: SocketAddr, requests: Vec<Vec<u8>>) -> Load {
    Load {
        address,
        connections: CONNECTIONS,
        requests: Requests::Again(requests),
        end: stage.plan.end(),
        expected: Expected::body(100..=2_000),
    }
}

/// People whose profiles are read, each with an access token.
#[derive(Debug)]
struct Readers(Vec<(Person, String)>);

impl Readers {
    /// Creates them in the store of a server.
    fn create(app: &App, program: &Program, server: &Server, name: &str) -> anyhow::Result<Self> {
        let reader = |number| {
            let person = create_person(program, &format!("{name}-{number}"))?;
            let token = app.token(program, server, &person)?;
            Ok((person, token))
        };
        Ok(Self((0..PEOPLE).map(reader).collect::<anyhow::Result<_>>()?))
    }

    /// Creates them on Postgres.
    fn on_postgres(stage: &mut Stage, name: &str) -> anyhow::Result<Self> {
        stage.server()?;
        let (app, program) = (stage.app.clone(), stage.program.clone());
        let readers = Self::create(&app, &program, stage.server()?, name)?;
        stage.postgres.sql("VACUUM ANALYZE")?;
        Ok(readers)
    }

    /// Requests for each profile.
    fn profiles(&self) -> Vec<Vec<u8>> {
        let ask =
            |(person, token): &(Person, String)| get(&format!("/api/v1/profile/{}", person.user_id), token);
        self.0.iter().map(ask).collect()
    }

    /// Requests to the reference for each row.
    fn rows(&self) -> Vec<Vec<u8>> {
        self.0.iter().map(|(person, token)| get(&format!("/row/{}", person.user_id), token)).collect()
    }
}

fn hot_token(stage: &mut Stage) -> anyhow::Result<Results> {
    let readers = Readers::on_postgres(stage, "profile")?;
    stage.row_server()?;
    let (server, row) = (stage.server()?.address, stage.row_server()?.address);
    let costs = stage.server_costs()?;
    let row_costs = stage.row_costs()?;
    let (ours, theirs) =
        (small_reads(stage, server, readers.profiles()), small_reads(stage, row, readers.rows()));
    let (found, reference) =
        in_turns(stage.plan.rounds, &mut || round(&ours, costs), &mut || round(&theirs, row_costs))?;
    let mut outcomes = vec![against_row(found, reference)];
    if let Some((person, _)) = readers.0.first() {
        outcomes.extend(ceilings(stage, &person.user_id)?);
    }
    Ok(Results { outcomes, ..Results::default() })
}

fn against_row(found: Figures, reference: Figures) -> Outcome {
    let (cpu, requests) = (
        ratio(found.server_cpu_us, reference.server_cpu_us),
        ratio(found.requests_per_second, reference.requests_per_second),
    );
    let target = "at most 1.4 x R2 in server CPU, at least 1.1 x in requests a second";
    Outcome::new("profile read, hot token", target, format!("{cpu:.2} x R2, {requests:.2} x"), found)
        .ratio(cpu)
        .met(cpu <= 1.4 && requests >= 1.1)
        .reference("R2, one row through a pool, no checks", reference)
}

/// Measures R1 and R3: the machine's limits without a database and without a server. They have no target.
fn ceilings(stage: &Stage, user_id: &str) -> anyhow::Result<Vec<Outcome>> {
    let constant = ReferenceServer::start(Kind::Constant, "")?;
    let load = small_reads(stage, constant.address, vec![get("/constant", "none")]);
    let costs = Costs { server: Some(constant.watched()), ..Costs::default() };
    round(&load, costs)?;
    let constant = round(&load, costs)?;
    let seconds = stage.plan.seconds;
    let bare = pgbench(&stage.postgres, stage.folder.path(), user_id, (CONNECTIONS, seconds))?;
    let rate =
        |figures: &Figures| format!("{:.0} requests a second", figures.requests_per_second.unwrap_or(0.0));
    Ok(vec![
        Outcome::new("R1, a constant", "none", rate(&constant), constant),
        Outcome::new("R3, pgbench with the row of R2", "none", rate(&bare), bare)
            .note("the latency is the mean; pgbench reports no percentiles"),
    ])
}

fn limit_in_redis(stage: &mut Stage) -> anyhow::Result<Results> {
    let readers = Readers::on_postgres(stage, "redis")?;
    let shared = stage.program.clone().with("RATE_LIMITS__STORE_URL", &stage.redis.url()).serve()?;
    let alone = stage.server()?.address;
    let (shared_costs, alone_costs) = (stage.costs(&shared), stage.server_costs()?);
    let shared_load = small_reads(stage, shared.address, readers.profiles());
    let alone_load = small_reads(stage, alone, readers.profiles());
    let (found, reference) =
        in_turns(stage.plan.rounds, &mut || round(&shared_load, shared_costs), &mut || {
            round(&alone_load, alone_costs)
        })?;
    let ratio = ratio(found.median_ms, reference.median_ms);
    let target = "at most 1.6 x the p50 of the limit in the process, at 16 connections";
    Ok(Outcome::new("limit in Redis, profile read", target, format!("{ratio:.2} x"), found)
        .ratio(ratio)
        .met(ratio <= 1.6)
        .reference("the limit in the process", reference)
        .into())
}

fn on_sqlite(stage: &mut Stage) -> anyhow::Result<Results> {
    let on_postgres = Readers::on_postgres(stage, "beside-sqlite")?;
    let program = stage.sqlite("profile")?;
    let app = App::register(&program)?;
    let server = program.serve()?;
    let readers = Readers::create(&app, &program, &server, "reader")?;
    let costs = Costs { server: Some(server.watched()), ..Costs::default() };
    let postgres_costs = stage.server_costs()?;
    let load = small_reads(stage, server.address, readers.profiles());
    let postgres = stage.server()?.address;
    let postgres_load = small_reads(stage, postgres, on_postgres.profiles());
    let (found, reference) = in_turns(stage.plan.rounds, &mut || round(&load, costs), &mut || {
        round(&postgres_load, postgres_costs)
    })?;
    let cpu = found.server_cpu_us.unwrap_or(f64::NAN) / both_cpu_us(&reference);
    let requests = ratio(found.requests_per_second, reference.requests_per_second);
    let target = "at most 1.2 x the CPU of server and PostgreSQL, at least 0.7 x in requests a second";
    Ok(Outcome::new("profile read on SQLite", target, format!("{cpu:.2} x, {requests:.2} x"), found)
        .ratio(cpu)
        .met(cpu <= 1.2 && requests >= 0.7)
        .reference("the same on PostgreSQL", reference)
        .into())
}

/// Returns the CPU time of server and database.
fn both_cpu_us(figures: &Figures) -> f64 {
    figures.server_cpu_us.unwrap_or(f64::NAN) + figures.database_cpu_us.unwrap_or(f64::NAN)
}

/// Divides two figures.
pub(crate) fn ratio(one: Option<f64>, other: Option<f64>) -> f64 {
    one.unwrap_or(f64::NAN) / other.unwrap_or(f64::NAN)
}
