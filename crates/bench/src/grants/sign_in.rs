//! Sign-in, whose cost is nearly all password hashing.

use super::seed::secrets;
use crate::load::{End, Expected, Load, Requests};
use crate::measure::{in_turns, round};
use crate::outcome::{Figures, Outcome, Results};
use crate::process::Watched;
use crate::stage::{Server, Stage, member};
use anyhow::{Context, ensure};
use application::ports::system::PasswordHasher as _;
use domain::form_token::FormToken;
use domain::password::{Password, PasswordHash};
use domain::secret::SecretKind;
use std::time::{Duration, Instant};
use system_adapter::{Argon2PasswordHasher, HashParameters, HashingLimits};

const EMAIL: &str = "sleeper.who.signs.in@example.org";
const MEMORY_EMAIL: &str = "sleeper.who.returns@example.org";
const PASSWORD: &str = "seven lanterns over the harbour";
const TARGET: f64 = 1.1;
/// Sign-ins, and hashes, per round.
const TIMES: usize = 100;

/// Number of sign-ins after which memory is measured.
const MANY_TIMES: usize = 400;
/// Delay before memory is read.
const BACK_WITHIN: Duration = Duration::from_secs(10);
/// Allowed MB above idle afterwards.
const MAY_STAY: f64 = 30.0;
/// Allowed MB above idle during checks: per slot, and for everything else.
const SLOT_MB: f64 = 19.0 * 1.048_576;
const ELSE_MB: f64 = 40.0;

/// Signs one person in repeatedly, beside the same number of hashes in this process.
pub(super) fn run(stage: &mut Stage) -> anyhow::Result<Results> {
    let person = create_person(stage, EMAIL)?;
    let stored = stage.postgres.sql(&format!("SELECT hash FROM password WHERE user_id = '{person}'"))?;
    let server = serve(stage)?;
    let load = load(&server, EMAIL, if stage.plan.short { 3 } else { TIMES })?;
    let costs = stage.costs(&server);
    let (figures, hash) = in_turns(stage.plan.rounds, &mut || round(&load, costs), &mut || {
        hashes(&stored, if stage.plan.short { 3 } else { TIMES })
    })?;
    let cpu = |figures: Figures| figures.server_cpu_us.context("no processor time was counted");
    let ratio = cpu(figures)? / cpu(hash)?;
    let result = format!("{ratio:.2} x the hash's");
    let outcome =
        Outcome::new("sign-in", "server CPU at most 1.1 x that of its argon2id hash", result, figures)
            .ratio(ratio)
            .met(ratio <= TARGET)
            .reference("the same hash alone, on one thread", hash);
    Ok(outcome.into())
}

/// Signs one person in from several browsers and waits until the memory of the hashes is released.
pub(super) fn memory(stage: &mut Stage) -> anyhow::Result<Results> {
    create_person(stage, MEMORY_EMAIL)?;
    let server = serve(stage)?;
    let idle = server.watched().memory_mb()?;
    let times = if stage.plan.short { MANY_TIMES / 4 } else { MANY_TIMES };
    let load = Load { connections: 4, ..load(&server, MEMORY_EMAIL, times)? };
    let figures = round(&load, stage.costs(&server))?;
    let peak = figures.peak_memory_mb.context("no peak memory is known")? - idle;
    std::thread::sleep(if stage.plan.short { BACK_WITHIN / 2 } else { BACK_WITHIN });
    let stays = server.watched().memory_mb()? - idle;
    let slots = u32::try_from(HashingLimits::for_this_machine(0, 0).parallel())?;
    let may_peak = f64::from(slots) * SLOT_MB + ELSE_MB;
    let met = stays <= MAY_STAY && peak <= may_peak;
    let result = format!("{peak:.0} MB above {idle:.0} MB at the peak, {stays:.0} MB afterwards");
    // Unlike time, memory can be judged in the short form.
    ensure!(met || !stage.plan.short, "sign-ins need too much memory: {result}");
    let target = "above idle: at most 19 MiB a slot + 40 MB at the peak, 30 MB after 10 s";
    Ok(Outcome::new("memory of 400 sign-ins", target, result, figures).met(met).into())
}

/// Creates a person with a password and returns their id.
fn create_person(stage: &Stage, email: &str) -> anyhow::Result<String> {
    let person =
        ["user", "create", "--email", email, "--timezone", "Europe/Berlin", "--password-stdin", "--json"];
    let output = stage.program.run(&person, Some(&format!("{PASSWORD}\n")))?;
    member(&serde_json::from_str(&output)?, "user_id")
}

/// Starts a server whose limit per address is never reached.
fn serve(stage: &Stage) -> anyhow::Result<Server> {
    stage.program.clone().with("ACCOUNTS__SIGN_IN_PER_ADDRESS", "1000000").serve()
}

/// A browser that has loaded the form.
fn load(server: &Server, email: &str, times: usize) -> anyhow::Result<Load> {
    let visit = secrets(SecretKind::Visit, 1)?.pop().context("no visit")?;
    let token = FormToken::derive(&visit);
    let body = format!(
        "form_token={}&email={}&password={}",
        token.expose(),
        email.replace('@', "%40"),
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

/// Checks the password against the stored hash directly.
fn hashes(stored: &str, times: usize) -> anyhow::Result<Figures> {
    let hasher = Argon2PasswordHasher::new(HashParameters::default(), HashingLimits::for_this_machine(1, 1))?;
    let (password, stored) = (Password::parse(PASSWORD)?, PasswordHash::from_phc(stored));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let this = Watched::Alone(std::process::id());
    let (started, before) = (Instant::now(), this.cpu()?);
    for _ in 0..times {
        ensure!(runtime.block_on(hasher.check(&password, Some(&stored)))?.is_right, "another password");
    }
    let cpu = this.cpu()?.saturating_sub(before);
    let each = |time: Duration| time.as_secs_f64() / crate::measure::count(times as u64);
    Ok(Figures {
        median_ms: Some(each(started.elapsed()) * 1e3),
        server_cpu_us: Some(each(cpu) * 1e6),
        ..Figures::default()
    })
}
