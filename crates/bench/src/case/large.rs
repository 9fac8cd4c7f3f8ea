//! Responses of 41 MB: single, sixteen concurrent ones, and to slow readers.

use super::Case;
use super::page::{load, whole_nights};
use super::profile::ratio;
use crate::load::{Connection, End, Expected, Load, Pace, Requests, on_own_thread};
use crate::measure::{in_turns, median, medians, round};
use crate::outcome::{Figures, Outcome, Results};
use crate::reference::drain_rows;
use crate::stage::{Person, Stage, get};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Large responses per round.
const ANSWERS: usize = 10;
const AT_ONCE: usize = 16;
const SLOW_CLIENTS: usize = 20;
const SLOW_PACE: Pace = Pace { bytes_per_second: 500_000 };

/// Returns the cases of this module.
pub(super) const CASES: &[Case] = &[
    Case { name: "sleep, page of 10,000", run: large_page },
    Case { name: "sixteen large pages at once", run: at_once },
    Case { name: "slow clients", run: slow_clients },
];

/// Creates a load of large pages on the server with Postgres.
fn large_load(stage: &mut Stage) -> anyhow::Result<(Person, Load)> {
    let nights = stage.plan.nights;
    let person = stage.sleeper(nights)?;
    let token = stage.token(&person)?;
    let path = whole_nights(&person, nights);
    let load =
        Load { connections: 1, end: stage.plan.end_of_large(ANSWERS), ..load(stage, &path, &token, nights)? };
    Ok((person, load))
}

fn large_page(stage: &mut Stage) -> anyhow::Result<Results> {
    let (person, load) = large_load(stage)?;
    let costs = stage.server_costs()?;
    let (nights, postgres) = (stage.plan.nights, &stage.postgres);
    let mut rows = || {
        let taken = drain_rows(postgres, &person.user_id, nights, ANSWERS)?;
        let taken = taken.iter().map(|time| time.as_secs_f64() * 1_000.0).collect();
        Ok(Figures { median_ms: median(taken), ..Figures::default() })
    };
    let (found, reference) = in_turns(stage.plan.rounds, &mut || round(&load, costs), &mut rows)?;
    let ratio = ratio(found.median_ms, reference.median_ms);
    let target = "at most 3.5 x R4 in wall time";
    Ok(Outcome::new("sleep, page of 10,000", target, format!("{ratio:.2} x R4"), found)
        .ratio(ratio)
        .met(ratio <= 3.5)
        .reference("R4, the same rows read and thrown away", reference)
        .into())
}

fn at_once(stage: &mut Stage) -> anyhow::Result<Results> {
    let (_, load) = large_load(stage)?;
    // A separate server, because memory kept from an earlier case would be counted.
    let server = stage.program.serve()?;
    let idle = server.watched().memory_mb()?;
    let load = Load {
        address: server.address,
        connections: AT_ONCE,
        end: End::Requests(if stage.plan.short { AT_ONCE } else { AT_ONCE * 2 }),
        ..load
    };
    let costs = stage.costs(&server);
    let mut rounds = Vec::new();
    for _ in 0..stage.plan.rounds.min(3) {
        rounds.push(round(&load, costs)?);
    }
    // The maximum rather than the median: the question is whether it fits.
    let peak = rounds.iter().filter_map(|figures| figures.peak_memory_mb).fold(0.0, f64::max);
    let found = Figures { peak_memory_mb: Some(peak), ..medians(&rounds) };
    let above = peak - idle;
    let target = "peak memory at most 100 MB above idle";
    Ok(Outcome::new(
        "sixteen large pages at once",
        target,
        format!("{above:.0} MB above {idle:.0} MB"),
        found,
    )
    .met(above <= 100.0)
    .into())
}

fn slow_clients(stage: &mut Stage) -> anyhow::Result<Results> {
    let (person, large) = large_load(stage)?;
    let token = stage.token(&person)?;
    let small = Load {
        connections: 1,
        requests: Requests::Again(vec![get(&format!("/api/v1/profile/{}", person.user_id), &token)]),
        end: stage.plan.end(),
        expected: Expected::body(100..=2_000),
        ..large.clone()
    };
    let Requests::Again(requests) = large.requests.clone() else { anyhow::bail!("no large request") };
    let request = requests.concat();
    let costs = stage.server_costs()?;
    let mut beside = || {
        let slow = SlowClients::start(large.address, &request);
        let figures = round(&small, costs);
        slow.stop()?;
        figures
    };
    // The first figure is the cost of the small requests alone, the second includes the large ones.
    let (found, reference) = in_turns(stage.plan.rounds, &mut beside, &mut || round(&small, costs))?;
    let ratio = ratio(found.p99_ms, reference.p99_ms);
    let target = "p99 of a small request beside 20 clients at 500 kB/s at most 2 x alone";
    Ok(Outcome::new("small beside slow clients", target, format!("{ratio:.2} x"), found)
        .ratio(ratio)
        .met(ratio <= 2.0)
        .reference("the small request alone", reference)
        .into())
}

/// Clients that read a large response slowly until they are stopped.
struct SlowClients {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<anyhow::Result<()>>,
}

impl SlowClients {
    /// Starts them and waits until each has read something.
    fn start(address: SocketAddr, request: &[u8]) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let started = Arc::new(AtomicUsize::new(0));
        let (thread_stop, thread_started, request) =
            (Arc::clone(&stop), Arc::clone(&started), request.to_vec());
        let thread = std::thread::spawn(move || {
            on_own_thread(async move || {
                let tasks: Vec<_> = (0..SLOW_CLIENTS)
                    .map(|_| {
                        let (stop, started, request) =
                            (Arc::clone(&thread_stop), Arc::clone(&thread_started), request.clone());
                        tokio::task::spawn_local(read_slowly(address, request, stop, started))
                    })
                    .collect();
                for task in tasks {
                    task.await??;
                }
                Ok(())
            })
        });
        let this = Self { stop, thread };
        while started.load(Ordering::Relaxed) < SLOW_CLIENTS && !this.thread.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
        }
        // A thread that ended early reports its error when joined.
        this
    }

    fn stop(self) -> anyhow::Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow::anyhow!("the slow clients broke off"))?
    }
}

async fn read_slowly(
    address: SocketAddr,
    request: Vec<u8>,
    stop: Arc<AtomicBool>,
    started: Arc<AtomicUsize>,
) -> anyhow::Result<()> {
    let mut connection = Connection::open(address, Some(SLOW_PACE)).await?;
    connection.send(&request).await?;
    connection.read_some().await?;
    started.fetch_add(1, Ordering::Relaxed);
    while !stop.load(Ordering::Relaxed) {
        // A fully read response leaves nothing to read.
        if let Ok(read) = tokio::time::timeout(Duration::from_millis(200), connection.read_some()).await {
            read?;
        }
    }
    Ok(())
}
