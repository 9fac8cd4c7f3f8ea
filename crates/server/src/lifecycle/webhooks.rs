//! Sending of webhook events, by one server at a time.

use super::every;
use application::ports::storage::{Job, JobLeases, StorageError};
use application::webhook::{DeliverEvents, DeliveryOutcome};
use chrono::TimeDelta;
use domain::webhook::{EventKey, WebhookEndpoint};
use metrics::{counter, gauge};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

/// Interval of looking for due events. Two seconds after a revocation nothing but that is sent.
const LOOK: Duration = Duration::from_millis(500);
/// Number of events read at once.
const BATCH: u32 = 500;
/// Maximum number of deliveries to one host at a time.
const MOST_PER_HOST: usize = 4;
/// Duration of the lease; another server sends this long after a crash.
const HELD_FOR: TimeDelta = TimeDelta::seconds(10);
/// Interval of extending the lease, and of asking for it.
const PROLONG: Duration = Duration::from_secs(3);
/// Pause of sending after a delivery that was not settled: with a store that refuses writes, every message
/// would be sent again and again.
const STORE_PAUSE: Duration = Duration::from_secs(30);
/// Interval of measuring.
const MEASURE: Duration = Duration::from_secs(15);

/// Sends events while this server holds the lease.
pub(crate) struct WebhookSender {
    deliver: Arc<DeliverEvents>,
    leases: Arc<dyn JobLeases>,
    holder: Uuid,
}

/// Events of one host.
#[derive(Default)]
struct Host {
    running: usize,
    waiting: VecDeque<EventKey>,
}

/// A finished delivery.
struct Done {
    host: String,
    event: EventKey,
    outcome: Result<DeliveryOutcome, StorageError>,
}

/// Events that were read and are waiting or being sent.
struct Round {
    deliver: Arc<DeliverEvents>,
    hosts: HashMap<String, Host>,
    events: HashSet<EventKey>,
    running: JoinSet<Done>,
    was_well: bool,
    /// When sending goes on after an error of the store.
    resumes_at: Option<Instant>,
}

impl WebhookSender {
    pub(crate) const fn new(deliver: Arc<DeliverEvents>, leases: Arc<dyn JobLeases>, holder: Uuid) -> Self {
        Self { deliver, leases, holder }
    }

    /// Sends for as long as the server runs.
    pub(super) async fn keep(&self) {
        loop {
            if matches!(self.leases.take(Job::Webhooks, self.holder, HELD_FOR).await, Ok(true)) {
                // Dropping the round ends its deliveries, which are repeated by the server that sends next.
                tokio::select! {
                    () = Round::new(&self.deliver).run() => {}
                    () = self.measure() => {}
                    () = self.lost() => {}
                }
            }
            sleep(PROLONG).await;
        }
    }

    /// Leaves the sending to the other servers, which would otherwise wait for the end of the lease.
    pub(super) async fn release(&self) -> Result<(), StorageError> {
        self.leases.finish(Job::Webhooks, self.holder, TimeDelta::zero()).await
    }

    /// Extends the lease; returns when another server has it, or the store did not respond for its duration.
    async fn lost(&self) {
        let mut failures = 0;
        while failures < 3 {
            sleep(PROLONG).await;
            match self.leases.prolong(Job::Webhooks, self.holder, HELD_FOR).await {
                Ok(true) => failures = 0,
                Ok(false) => break,
                Err(_) => failures += 1,
            }
        }
        tracing::warn!("this server stopped sending webhooks, because it did not extend its lease in time");
    }

    async fn measure(&self) {
        let mut ticks = every(MEASURE);
        loop {
            ticks.tick().await;
            if let Ok(due) = self.deliver.count_due().await {
                gauge!("restwell_webhook_events_due").set(f64::from(u32::try_from(due).unwrap_or(u32::MAX)));
            }
        }
    }
}

impl Round {
    fn new(deliver: &Arc<DeliverEvents>) -> Self {
        Self {
            deliver: Arc::clone(deliver),
            hosts: HashMap::new(),
            events: HashSet::new(),
            running: JoinSet::new(),
            was_well: true,
            resumes_at: None,
        }
    }

    async fn run(mut self) {
        let mut ticks = every(LOOK);
        let mut may_have_more = false;
        loop {
            tokio::select! {
                _ = ticks.tick() => may_have_more = self.read().await,
                Some(Ok(done)) = self.running.join_next() => {
                    let is_idle = self.finish(done);
                    if is_idle && may_have_more {
                        may_have_more = self.read().await;
                    }
                }
            }
            self.start();
        }
    }

    /// Reads due events of hosts for which none waits; returns whether there may be more.
    async fn read(&mut self) -> bool {
        let outcome = self.try_read().await;
        self.note(outcome.as_ref().err());
        outcome.unwrap_or(false)
    }

    async fn try_read(&mut self) -> Result<bool, StorageError> {
        let endpoints = self.deliver.list_endpoints().await?;
        let is_idle = |endpoint: &&WebhookEndpoint| {
            self.hosts.get(endpoint.url.host()).is_none_or(|host| host.waiting.is_empty())
        };
        let idle: Vec<&WebhookEndpoint> = endpoints.iter().filter(is_idle).collect();
        let due = self.deliver.list_due(&idle, BATCH).await?;
        let is_full = due.len() >= usize::try_from(BATCH).unwrap_or(usize::MAX);
        for event in due {
            let endpoint = endpoints.iter().find(|endpoint| endpoint.id == event.endpoint_id);
            if let Some(endpoint) = endpoint
                && self.events.insert(event)
            {
                let host = self.hosts.entry(endpoint.url.host().to_owned()).or_default();
                host.waiting.push_back(event);
            }
        }
        Ok(is_full)
    }

    /// Starts as many deliveries as the hosts may have.
    fn start(&mut self) {
        if self.resumes_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        self.resumes_at = None;
        for (name, host) in &mut self.hosts {
            while host.running < MOST_PER_HOST
                && let Some(event) = host.waiting.pop_front()
            {
                host.running += 1;
                let (deliver, name) = (Arc::clone(&self.deliver), name.clone());
                self.running
                    .spawn(async move { Done { host: name, event, outcome: deliver.run(event).await } });
            }
        }
    }

    /// Notes the end of a delivery; returns whether nothing waits for its host.
    fn finish(&mut self, done: Done) -> bool {
        let Done { host: name, event, outcome } = done;
        self.events.remove(&event);
        self.note(outcome.as_ref().err());
        match outcome {
            Ok(DeliveryOutcome::Delivered) => count("delivered"),
            Ok(DeliveryOutcome::Postponed) => count("postponed"),
            Ok(DeliveryOutcome::GivenUp) => count("given_up"),
            Ok(DeliveryOutcome::Nothing) => {}
            Err(_) => self.resumes_at = Some(Instant::now() + STORE_PAUSE),
        }
        let Some(host) = self.hosts.get_mut(&name) else { return true };
        host.running = host.running.saturating_sub(1);
        let is_idle = host.waiting.is_empty();
        if is_idle && host.running == 0 {
            self.hosts.remove(&name);
        }
        is_idle
    }

    fn note(&mut self, error: Option<&StorageError>) {
        if let Some(error) = error
            && self.was_well
        {
            tracing::warn!(%error, "webhook events cannot be read or settled; trying again in 30 s at the latest");
        }
        self.was_well = error.is_none();
    }
}

fn count(outcome: &'static str) {
    counter!("restwell_webhook_deliveries_total", "outcome" => outcome).increment(1);
}
