//! Sign-in: next to nothing beside the hash of the password.

use super::seed::secrets;
use crate::load::{End, Expected, Load, Requests};
use crate::measure::{Costs, in_turns, round};
use crate::outcome::{Figures, Found, Outcome};
use crate::process::Watched;
use crate::stage::{Server, Stage, member};
use anyhow::Context;
use application::ports::system::PasswordHasher as _;
use domain::form_token::FormToken;
use domain::password::{Password, PasswordHash};
use domain::secret::SecretKind;
use std::time::Instant;
use system_adapter::{Argon2PasswordHasher, HashParameters, HashingLimits};

const EMAIL: &str = "sleeper.who.signs.in@example.org";
const PASSWORD: &str = "seven lanterns over the harbour";
const TARGET: f64 = 1.1;
/// Sign-ins, and hashes, of a round.
const TIMES: usize = 100;

/// Signs one person in again and again, beside the same number of hashes in this process.
pub(super) fn run(stage: &mut Stage) -> anyhow::Result<Found> {
    let person =
        ["user", "create", "--email", EMAIL, "--timezone", "Europe/Berlin", "--password-stdin", "--json"];
    let made = stage.program.run(&person, Some(&format!("{PASSWORD}\n")))?;
    let person = member(&serde_json::from_str(&made)?, "user_id")?;
    let stored = stage.postgres.sql(&format!("SELECT hash FROM password WHERE user_id = '{person}'"))?;
    // Attempts are counted, each of them, and the limit of the address is never reached.
    let server = stage.program.clone().with("ACCOUNTS__SIGN_IN_PER_ADDRESS", "1000000").serve()?;
    let load = load(&server, if stage.plan.short { 3 } else { TIMES })?;
    let costs = Costs { server: Some(server.watched()), database: Some(stage.postgres.watched()) };
    let (figures, hash) = in_turns(stage.plan.rounds, &mut || round(&load, costs), &mut || {
        hashes(&stored, if stage.plan.short { 3 } else { TIMES })
    })?;
    let cpu = |figures: Figures| figures.server_cpu_us.context("no processor time was counted");
    let ratio = cpu(figures)? / cpu(hash)?;
    let result = format!("{ratio:.2} x the hash's");
    let outcome =
        Outcome::new("sign-in", "server CPU at most 1.1 x that of its argon2id hash", result, figures)
            .ratio(ratio)
            .beside("the same hash alone, on one thread", hash);
    Ok(Found::from(if stage.plan.short { outcome } else { outcome.met(ratio <= TARGET) }))
}

/// One browser that has a visit and sends the form of the page.
fn load(server: &Server, times: usize) -> anyhow::Result<Load> {
    let visit = secrets(SecretKind::Visit, 1)?.pop().context("no visit")?;
    let token = FormToken::of(&visit);
    let body = format!(
        "form_token={}&email={}&password={}",
        token.expose(),
        EMAIL.replace('@', "%40"),
        PASSWORD.replace(' ', "+")
    );
    let request = format!(
        "POST /sign-in HTTP/1.1\r\nHost: localhost:8080\r\nCookie: restwell_visit={}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        visit.expose(),
        body.len()
    );
    Ok(Load {
        address: server.address,
        connections: 1,
        requests: Requests::Again(vec![request.into_bytes()]),
        end: End::Requests(times),
        expected: Expected { status: 303, length: 0..=usize::MAX },
    })
}

/// Checks the password against the stored hash, with nothing around it.
fn hashes(stored: &str, times: usize) -> anyhow::Result<Figures> {
    let hasher = Argon2PasswordHasher::new(HashParameters::default(), HashingLimits::of_this_machine(1, 1))?;
    let (password, stored) = (Password::parse(PASSWORD)?, PasswordHash::from_phc(stored));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let this = Watched::Alone(std::process::id());
    let (begun, before) = (Instant::now(), this.cpu()?);
    for _ in 0..times {
        anyhow::ensure!(
            runtime.block_on(hasher.check(&password, Some(&stored)))?.is_right,
            "another password"
        );
    }
    let cpu = this.cpu()?.saturating_sub(before);
    let each = |time: std::time::Duration| time.as_secs_f64() / crate::measure::count(times as u64);
    Ok(Figures {
        median_ms: Some(each(begun.elapsed()) * 1e3),
        server_cpu_us: Some(each(cpu) * 1e6),
        ..Figures::default()
    })
}
