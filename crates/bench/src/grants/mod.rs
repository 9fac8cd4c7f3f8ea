//! Grants: refresh, code redemption, sign-in.

pub(crate) mod seed;
mod sign_in;

use crate::case::{Case, ratio};
use crate::load::{Expected, Load, Requests};
use crate::measure::{in_turns, repeat, round};
use crate::outcome::{Figures, Outcome, Results};
use crate::stage::{Stage, get, post};
use domain::secret::Secret;

/// Returns the cases of this module.
pub(crate) const CASES: &[Case] = &[
    Case { name: "refresh", run: refresh },
    Case { name: "code redemption", run: redemption },
    Case { name: "sign-in", run: sign_in::run },
    Case { name: "memory of 400 sign-ins", run: sign_in::memory },
];

/// Enough concurrency for group commit.
const CONNECTIONS: usize = 64;
/// Enough people that concurrent requests are for different ones, as in production.
const PEOPLE: usize = 5_000;
/// Refreshes beside reads of R2.
const REFRESHES: f64 = 0.7;
const REDEMPTIONS: f64 = 1_500.0;
/// More than can be redeemed in a second.
const CODES_A_SECOND: f64 = 4_000.0;

/// Refreshes the tokens of many people, each request with its `user_id`.
fn refresh(stage: &mut Stage) -> anyhow::Result<Results> {
    let people = seed::people(stage, PEOPLE)?;
    let tokens = seed::grants(stage, &people)?;
    let requests = tokens
        .iter()
        .zip(&people)
        .map(|(token, person)| {
            let (id, secret) = (&stage.app.client_id, &stage.app.client_secret);
            let token = token.expose();
            let body =
                format!("client_id={id}&client_secret={secret}&refresh_token={token}&user_id={person}");
            post("/api/refresh", &body)
        })
        .collect();
    let (address, end) = (stage.server()?.address, stage.plan.end());
    let ours = Load {
        address,
        connections: CONNECTIONS,
        requests: Requests::Again(requests),
        end,
        expected: Expected::status(200),
    };
    let rows = people.iter().map(|person| get(&format!("/row/{person}"), "none")).collect();
    let theirs =
        Load { address: stage.row_server()?.address, requests: Requests::Again(rows), ..ours.clone() };
    let (costs, row_costs) = (stage.server_costs()?, stage.row_costs()?);
    let (found, reference) =
        in_turns(stage.plan.rounds, &mut || round(&ours, costs), &mut || round(&theirs, row_costs))?;
    let ratio = ratio(found.requests_per_second, reference.requests_per_second);
    let target = format!("at least {REFRESHES} x R2 in requests a second");
    Ok(Outcome::new("refresh", &target, format!("{ratio:.2} x R2"), found)
        .ratio(ratio)
        .met(ratio >= REFRESHES)
        .reference("R2, one row through a pool, no checks", reference)
        .into())
}

/// Redeems pending codes, each once.
fn redemption(stage: &mut Stage) -> anyhow::Result<Results> {
    let people = seed::people(stage, PEOPLE)?;
    // As on a running server: the planner reads an empty table from end to end, however it grows.
    seed::grants(stage, &people)?;
    let each = if stage.plan.short { CONNECTIONS } else { whole(stage.plan.seconds * CODES_A_SECOND) };
    let codes = seed::codes(stage, &people, each * (stage.plan.rounds + 1))?;
    let requests: Vec<Vec<u8>> = codes.iter().map(|code| redeeming(stage, code)).collect();
    let figures = measure(stage, |number| {
        Requests::Once(requests.iter().skip(number * each).take(each).cloned().collect())
    })?;
    let fsync = stage.postgres.sql("SHOW fsync")?;
    let note = format!(
        "{CONNECTIONS} connections, fsync {fsync}; the codes were stored beforehand, everything else of the exchange is \
         measured: the client's secret, the code's use, the grant, its event, the signature"
    );
    Ok(judged("code redemption", REDEMPTIONS, figures).note(note).into())
}

/// Returns the request that redeems a code.
pub(crate) fn redeeming(stage: &Stage, code: &Secret) -> Vec<u8> {
    let app = &stage.app;
    let redirect_uri = app.redirect_uri.replace(':', "%3A").replace('/', "%2F");
    let (id, secret, code) = (&app.client_id, &app.client_secret, code.expose());
    let body = format!(
        "grant_type=authorization_code&client_id={id}&client_secret={secret}&code={code}&redirect_uri={redirect_uri}"
    );
    post("/api/token", &body)
}

/// Measures a case, whose requests depend on the number of the round.
fn measure(stage: &mut Stage, requests: impl Fn(usize) -> Requests) -> anyhow::Result<Figures> {
    let (address, costs) = (stage.server()?.address, stage.server_costs()?);
    let end = stage.plan.end();
    let mut number = 0;
    repeat(stage.plan.rounds, &mut || {
        let requests = requests(number);
        number += 1;
        let expected = Expected::status(200);
        round(&Load { address, connections: CONNECTIONS, requests, end, expected }, costs)
    })
}

/// Creates a result whose target is a number of requests per second.
fn judged(case: &str, target: f64, figures: Figures) -> Outcome {
    let speed = figures.requests_per_second.unwrap_or_default();
    let words = format!("at least {target} a second");
    Outcome::new(case, &words, format!("{speed:.0} a second"), figures)
        .ratio(speed / target)
        .met(speed >= target)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand, not negative")]
fn whole(number: f64) -> usize {
    number.ceil() as usize
}
