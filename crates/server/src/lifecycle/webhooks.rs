//! Sending of webhook events, by one server at a time.

use super::{Errors, every};
use application::ports::storage::{Job, JobLeases, StorageError};
use application::webhook::{DeliverEvents, DeliveryOutcome};
use chrono::TimeDelta;
use derive_more::Constructor;
use domain::id::ClientId;
use domain::webhook::{EventKey, WebhookEndpoint};
use futures_util::FutureExt as _;
use metrics::{counter, gauge};
use outbound_adapter::GuardedFetcher;
use std::collections::{HashSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

/// Interval of looking for due events. Two seconds after a revocation, only the revocation itself is still
/// sent.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Number of events read at once.
const BATCH: u32 = 500;
/// Maximum number of deliveries at a time to one host, and of one client: silent endpoints of a client must
/// not take up all requests that the server sends at once.
const MAX_CONCURRENT: usize = 4;
/// Duration of the lease; another server sends this long after a crash.
const LEASE_DURATION: TimeDelta = TimeDelta::seconds(10);
/// Interval at which the lease is extended or, without it, requested.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(3);
/// Time without sending after a delivery whose outcome could not be stored: otherwise every message would be
/// sent again and again while the store refuses writes.
const STORE_PAUSE: Duration = Duration::from_secs(30);
/// Pause before a delivery is repeated that panicked and could not be recorded as failed. Its slot is freed
/// afterwards.
const PANIC_PAUSE: Duration = Duration::from_secs(30);
/// Interval of measuring.
const MEASURE: Duration = Duration::from_secs(15);

/// Sends events while this server holds the lease.
#[derive(Constructor)]
pub(crate) struct WebhookSender {
    deliver: Arc<DeliverEvents>,
    leases: Arc<dyn JobLeases>,
    holder: Uuid,
}

/// A client and a host of its endpoints.
#[derive(Clone, PartialEq, Eq)]
struct Route {
    client_id: ClientId,
    host: String,
}

impl Route {
    fn from_endpoint(endpoint: &WebhookEndpoint) -> Self {
        Self { client_id: endpoint.client_id, host: endpoint.url.host().to_owned() }
    }
}

/// Waiting events of a route.
struct Queue {
    route: Route,
    events: VecDeque<EventKey>,
}

/// A finished delivery.
struct FinishedDelivery {
    route: Route,
    event: EventKey,
    /// `None` if the delivery panicked and could not be recorded as failed.
    outcome: Option<Result<DeliveryOutcome, StorageError>>,
}

/// Deliveries that are being sent.
struct Deliveries {
    /// One entry for each delivery.
    routes: Vec<Route>,
    running: JoinSet<FinishedDelivery>,
    panic_pause: Duration,
}

impl Deliveries {
    fn new(panic_pause: Duration) -> Self {
        Self { routes: Vec::new(), running: JoinSet::new(), panic_pause }
    }

    /// Returns whether a delivery to this route may start. The fetcher, which sends webhooks only, then has a
    /// slot for it: a message must not wait between the check of its grant and its request.
    fn may_start(&self, route: &Route) -> bool {
        let of_host = self.routes.iter().filter(|other| other.host == route.host);
        let of_client = self.routes.iter().filter(|other| other.client_id == route.client_id);
        self.routes.len() < GuardedFetcher::MAX_CONCURRENT
            && of_host.count() < MAX_CONCURRENT
            && of_client.count() < MAX_CONCURRENT
    }

    /// Starts a delivery. If it panics, `after_panic` records the failed attempt.
    fn start(
        &mut self,
        route: Route,
        event: EventKey,
        delivery: impl Future<Output = Result<DeliveryOutcome, StorageError>> + Send + 'static,
        after_panic: impl Future<Output = Result<DeliveryOutcome, StorageError>> + Send + 'static,
    ) {
        self.routes.push(route.clone());
        let pause = self.panic_pause;
        self.running.spawn(async move {
            // Unwind-safe: deliveries share the ports only, which protect their own state.
            let mut outcome = AssertUnwindSafe(delivery).catch_unwind().await.ok();
            if outcome.is_none() {
                tracing::error!("the delivery of a webhook event panicked");
                outcome = AssertUnwindSafe(after_panic).catch_unwind().await.ok();
            }
            if outcome.is_none() {
                sleep(pause).await;
            }
            FinishedDelivery { route, event, outcome }
        });
    }

    /// Waits until a delivery ends, and frees its slot; `None` if there is none.
    async fn next(&mut self) -> Option<FinishedDelivery> {
        let done = self.running.join_next().await?.ok()?;
        if let Some(at) = self.routes.iter().position(|other| *other == done.route) {
            self.routes.swap_remove(at);
        }
        Some(done)
    }
}

/// Events that were read and are waiting or being sent.
struct Dispatcher {
    deliver: Arc<DeliverEvents>,
    /// None is empty. The one that was served longest ago comes first, so that clients of a host take turns.
    queues: VecDeque<Queue>,
    events: HashSet<EventKey>,
    deliveries: Deliveries,
    errors: Errors,
    /// Time at which sending resumes after a store error.
    resumes_at: Option<Instant>,
}

impl WebhookSender {
    /// Sends for as long as the server runs.
    pub(super) async fn run(&self) {
        loop {
            if matches!(self.leases.take(Job::Webhooks, self.holder, LEASE_DURATION).await, Ok(true)) {
                // Dropping the round ends its deliveries, which are repeated by the server that sends next.
                tokio::select! {
                    () = Dispatcher::new(&self.deliver).run() => {}
                    () = self.measure() => {}
                    () = self.until_lost() => {}
                }
            }
            sleep(RENEWAL_INTERVAL).await;
        }
    }

    /// Releases the lease, so that another server can send at once.
    pub(super) async fn release(&self) -> Result<(), StorageError> {
        self.leases.finish(Job::Webhooks, self.holder, TimeDelta::zero()).await
    }

    /// Extends the lease; returns when another server has it, or the store did not respond for its duration.
    async fn until_lost(&self) {
        let mut failures = 0;
        while failures < 3 {
            sleep(RENEWAL_INTERVAL).await;
            match self.leases.renew(Job::Webhooks, self.holder, LEASE_DURATION).await {
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

impl Dispatcher {
    fn new(deliver: &Arc<DeliverEvents>) -> Self {
        Self {
            deliver: Arc::clone(deliver),
            queues: VecDeque::new(),
            events: HashSet::new(),
            deliveries: Deliveries::new(PANIC_PAUSE),
            errors: Errors::default(),
            resumes_at: None,
        }
    }

    async fn run(mut self) {
        let mut ticks = every(CHECK_INTERVAL);
        let mut may_have_more = false;
        loop {
            tokio::select! {
                _ = ticks.tick() => may_have_more = self.read().await,
                Some(done) = self.deliveries.next() => {
                    let is_idle = self.finish(done);
                    if is_idle && may_have_more {
                        may_have_more = self.read().await;
                    }
                }
            }
            self.start();
        }
    }

    /// Reads due events of routes for which none waits; returns whether there may be more.
    async fn read(&mut self) -> bool {
        let outcome = self.try_read().await;
        self.note(&outcome);
        outcome.unwrap_or(false)
    }

    async fn try_read(&mut self) -> Result<bool, StorageError> {
        let endpoints = self.deliver.list_endpoints().await?;
        let is_idle = |endpoint: &&WebhookEndpoint| !self.is_waiting(&Route::from_endpoint(endpoint));
        let idle: Vec<&WebhookEndpoint> = endpoints.iter().filter(is_idle).collect();
        let due = self.deliver.list_due(&idle, BATCH).await?;
        let is_full = due.len() >= usize::try_from(BATCH).unwrap_or(usize::MAX);
        for event in due {
            let endpoint = endpoints.iter().find(|endpoint| endpoint.id == event.endpoint_id);
            if let Some(endpoint) = endpoint
                && self.events.insert(event)
            {
                let route = Route::from_endpoint(endpoint);
                match self.queues.iter_mut().find(|queue| queue.route == route) {
                    Some(queue) => queue.events.push_back(event),
                    None => self.queues.push_back(Queue { route, events: VecDeque::from([event]) }),
                }
            }
        }
        Ok(is_full)
    }

    fn is_waiting(&self, route: &Route) -> bool {
        self.queues.iter().any(|queue| queue.route == *route)
    }

    /// Starts as many deliveries as hosts and clients may have.
    fn start(&mut self) {
        if self.resumes_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        self.resumes_at = None;
        while let Some(at) = self.queues.iter().position(|queue| self.deliveries.may_start(&queue.route))
            && let Some(mut queue) = self.queues.remove(at)
        {
            if let Some(event) = queue.events.pop_front() {
                let (deliver, recorder) = (Arc::clone(&self.deliver), Arc::clone(&self.deliver));
                let delivery = async move { deliver.run(event).await };
                let after_panic = async move { recorder.record_panic(event).await };
                self.deliveries.start(queue.route.clone(), event, delivery, after_panic);
            }
            if !queue.events.is_empty() {
                self.queues.push_back(queue);
            }
        }
    }

    /// Notes the end of a delivery; returns whether nothing waits for its route.
    fn finish(&mut self, done: FinishedDelivery) -> bool {
        let FinishedDelivery { route, event, outcome } = done;
        self.events.remove(&event);
        if let Some(outcome) = &outcome {
            self.note(outcome);
        }
        match outcome {
            Some(Ok(DeliveryOutcome::Delivered)) => count("delivered"),
            Some(Ok(DeliveryOutcome::Postponed)) => count("postponed"),
            Some(Ok(DeliveryOutcome::GivenUp)) => count("given_up"),
            Some(Ok(DeliveryOutcome::Nothing)) | None => {}
            Some(Err(_)) => self.resumes_at = Some(Instant::now() + STORE_PAUSE),
        }
        !self.is_waiting(&route)
    }

    fn note<T>(&mut self, outcome: &Result<T, StorageError>) {
        if let Some(error) = self.errors.first(outcome.as_ref()) {
            tracing::warn!(%error, "webhook events cannot be read or settled; trying again within 30 s");
        }
    }
}

fn count(outcome: &'static str) {
    counter!("restwell_webhook_deliveries_total", "outcome" => outcome).increment(1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::{UserId, WebhookEndpointId};
    use domain::webhook::EventKind;
    use std::future::pending;
    use tokio::sync::oneshot;

    fn route() -> Route {
        Route { client_id: ClientId::from_uuid(Uuid::nil()), host: "hooks.example".to_owned() }
    }

    fn event() -> EventKey {
        let (user_id, endpoint_id) =
            (UserId::from_uuid(Uuid::nil()), WebhookEndpointId::from_uuid(Uuid::nil()));
        EventKey { user_id, endpoint_id, kind: EventKind::EndpointTest }
    }

    #[tokio::test]
    async fn a_delivery_that_panics_is_recorded_as_a_failed_attempt() {
        let mut deliveries = Deliveries::new(Duration::ZERO);
        deliveries
            .start(route(), event(), async { panic!("a bug") }, async { Ok(DeliveryOutcome::Postponed) });
        let done = deliveries.next().await.unwrap();
        assert!(matches!(done.outcome, Some(Ok(DeliveryOutcome::Postponed))));
    }

    #[tokio::test]
    async fn a_delivery_that_panics_frees_its_slot_even_if_it_cannot_be_recorded() {
        let mut deliveries = Deliveries::new(Duration::ZERO);
        for _ in 0..MAX_CONCURRENT {
            assert!(deliveries.may_start(&route()));
            deliveries.start(route(), event(), async { panic!("a bug") }, async { panic!("another bug") });
        }
        assert!(!deliveries.may_start(&route()));
        let done = deliveries.next().await.unwrap();
        assert!(done.event == event() && done.outcome.is_none());
        assert!(deliveries.may_start(&route()));
    }

    #[tokio::test]
    async fn a_delivery_starts_only_if_the_fetcher_has_a_slot_for_it() {
        let mut deliveries = Deliveries::new(Duration::ZERO);
        let (respond, response) = oneshot::channel();
        let delivery = async { response.await.unwrap() };
        deliveries.start(route(), event(), delivery, pending());
        for number in (1_u128..).take(GuardedFetcher::MAX_CONCURRENT - 1) {
            let client_id = ClientId::from_uuid(Uuid::from_u128(number));
            let silent = Route { client_id, host: format!("{number}.example") };
            assert!(deliveries.may_start(&silent));
            deliveries.start(silent, event(), pending(), pending());
        }
        let next = Route { host: "next.example".to_owned(), ..route() };
        assert!(!deliveries.may_start(&next));
        respond.send(Ok(DeliveryOutcome::Delivered)).unwrap();
        deliveries.next().await.unwrap();
        assert!(deliveries.may_start(&next));
    }
}
