//! The load generator: connections that each send a request as soon as the previous response is read.
//!
//! A single thread serves all connections, to leave as much of the machine as possible to the measured
//! program. Requests are prepared in advance; responses are discarded after checking status and length.

mod connection;

pub(crate) use connection::{Connection, Pace, Response};

use anyhow::{Context, ensure};
use hdrhistogram::Histogram;
use serde_json::Value;
use std::cell::Cell;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

/// Digits of the counters of a rate limit; a record has more bytes.
const DIGITS: usize = 20;

/// Requests and how to send them.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) address: SocketAddr,
    pub(crate) connections: usize,
    pub(crate) requests: Requests,
    pub(crate) end: End,
    pub(crate) expected: Expected,
}

/// Order of the requests.
#[derive(Debug, Clone)]
pub(crate) enum Requests {
    /// Cyclically, shared by the connections.
    Again(Vec<Vec<u8>>),
    /// Each once; the load ends with the last one at the latest.
    Once(Vec<Vec<u8>>),
}

/// End of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    /// After a time; requests in flight are awaited.
    After(Duration),
    /// After a number of requests.
    Requests(usize),
}

/// Expected response.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    pub(crate) status: u16,
    /// Length of the body in bytes.
    pub(crate) length: RangeInclusive<usize>,
}

impl Expected {
    /// Expects a status and a non-empty body.
    pub(crate) const fn status(status: u16) -> Self {
        Self { status, length: 1..=usize::MAX }
    }

    /// Expects 200 with a body within these lengths.
    pub(crate) const fn body(length: RangeInclusive<usize>) -> Self {
        Self { status: 200, length }
    }

    /// Expects a page as a server now responds to a request, and counts its records and their intake logs.
    /// A response may be a few bytes shorter or longer, because the rate limit counts down.
    pub(crate) fn page(address: SocketAddr, request: &[u8], records: usize) -> anyhow::Result<Self> {
        let request = request.to_vec();
        let body = on_own_thread(async move || {
            let mut body = Vec::new();
            let mut connection = Connection::open(address, None).await?;
            connection.exchange(&request, &mut |piece| body.extend_from_slice(piece)).await?;
            Ok(body)
        })?;
        let page: Value = serde_json::from_slice(&body)?;
        let data = page.get("data").and_then(Value::as_array).context("a page without data")?;
        let logs = |record: &Value| record.get("logs").and_then(Value::as_array).map_or(0, Vec::len);
        let found: usize = data.iter().map(|record| 1 + logs(record)).sum();
        ensure!(found == records, "a page has {found} records and must have {records}");
        Ok(Self::body(body.len().saturating_sub(DIGITS)..=body.len() + DIGITS))
    }

    /// Checks a response; the error describes what is wrong with it.
    pub(crate) fn check(&self, answer: &Response) -> anyhow::Result<()> {
        ensure!(
            answer.status == self.status && self.length.contains(&answer.length),
            "an answer has the status {} and {} bytes, and must have {} and {:?}",
            answer.status,
            answer.length,
            self.status,
            self.length
        );
        Ok(())
    }
}

/// Result of a load.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    /// Latencies in nanoseconds, from the first byte sent to the last one read.
    pub(crate) latency: Histogram<u64>,
    /// From the first request to the last response.
    pub(crate) elapsed: Duration,
    pub(crate) answers: u64,
}

/// State shared by the connections.
struct Shared {
    load: Load,
    next: Cell<usize>,
    started: Instant,
}

impl Load {
    /// Runs the load on a separate thread and waits for the responses.
    pub(crate) fn run(&self) -> anyhow::Result<Sample> {
        let load = self.clone();
        on_own_thread(async move || load.send().await)
    }

    async fn send(self) -> anyhow::Result<Sample> {
        let mut open = Vec::new();
        for _ in 0..self.connections {
            open.push(Connection::open(self.address, None).await?);
        }
        let shared = Rc::new(Shared { load: self, next: Cell::new(0), started: Instant::now() });
        let tasks: Vec<_> = open
            .into_iter()
            .map(|connection| tokio::task::spawn_local(drive(connection, Rc::clone(&shared))))
            .collect();
        let mut latency = histogram()?;
        for task in tasks {
            latency.add(task.await??)?;
        }
        let elapsed = shared.started.elapsed();
        let answers = latency.len();
        ensure!(answers > 0, "no request was sent");
        Ok(Sample { latency, elapsed, answers })
    }
}

impl Shared {
    /// Returns the next request; `None` at the end of the load.
    fn next(&self) -> Option<&[u8]> {
        let number = self.next.get();
        let over = match self.load.end {
            End::After(time) => self.started.elapsed() >= time,
            End::Requests(requests) => number >= requests,
        };
        let request = match &self.load.requests {
            _ if over => None,
            Requests::Again(requests) => requests.get(number % requests.len().max(1)),
            Requests::Once(requests) => requests.get(number),
        }?;
        self.next.set(number + 1);
        Some(request)
    }
}

async fn drive(mut connection: Connection, shared: Rc<Shared>) -> anyhow::Result<Histogram<u64>> {
    let mut latency = histogram()?;
    while let Some(request) = shared.next() {
        let sent = Instant::now();
        let answer = connection.exchange(request, &mut |_| {}).await?;
        latency.record(nanoseconds(sent.elapsed()))?;
        shared.load.expected.check(&answer)?;
    }
    Ok(latency)
}

/// Runs a future with its local tasks on a separate thread and waits for it.
pub(crate) fn on_own_thread<T, F>(work: F) -> anyhow::Result<T>
where
    T: Send + 'static,
    F: AsyncFnOnce() -> anyhow::Result<T> + Send + 'static,
{
    let thread = std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        LocalSet::new().block_on(&runtime, work())
    });
    thread.join().ok().context("the load generator broke off")?
}

/// Creates an empty histogram from a microsecond to ten minutes in nanoseconds, with three digits.
pub(crate) fn histogram() -> anyhow::Result<Histogram<u64>> {
    Ok(Histogram::new_with_bounds(1_000, 600_000_000_000, 3)?)
}

/// Converts a latency to nanoseconds.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
