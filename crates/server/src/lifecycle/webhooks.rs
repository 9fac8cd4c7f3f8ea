//! Sending of webhook events, by one server at a time.

use super::{Errors, every};
use application::ports::storage::{Job, JobLeases, StorageError};
use application::webhook::{DeliverEvents, DeliveryOutcome, DeliveryQueue};
use chrono::TimeDelta;
use derive_more::Constructor;
use domain::webhook::EventKey;
use futures_util::FutureExt as _;
use metrics::{counter, gauge};
use outbound_adapter::GuardedFetcher;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

/// Interval of looking for due events. Two seconds after a revocation, only the revocation itself is still
/// sent.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
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

/// A finished delivery.
struct FinishedDelivery {
    event: EventKey,
    /// `None` if the delivery panicked and could not be recorded as failed.
    outcome: Option<Result<DeliveryOutcome, StorageError>>,
}

/// Makes a delivery. If it panics, `after_panic` records the failed attempt; if that panics too, waits for
/// the pause before the slot is freed.
async fn deliver(
    event: EventKey,
    delivery: impl Future<Output = Result<DeliveryOutcome, StorageError>>,
    after_panic: impl Future<Output = Result<DeliveryOutcome, StorageError>>,
    pause: Duration,
) -> FinishedDelivery {
    // Unwind-safe: deliveries share the ports only, which protect their own state.
    let mut outcome = AssertUnwindSafe(delivery).catch_unwind().await.ok();
    if outcome.is_none() {
        tracing::error!("the delivery of a webhook event panicked");
        outcome = AssertUnwindSafe(after_panic).catch_unwind().await.ok();
    }
    if outcome.is_none() {
        sleep(pause).await;
    }
    FinishedDelivery { event, outcome }
}

/// Sends the events of a queue.
struct Dispatcher {
    deliver: Arc<DeliverEvents>,
    queue: DeliveryQueue,
    running: JoinSet<FinishedDelivery>,
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
            // The fetcher, which sends webhooks only, has a slot for each delivery that starts: a message
            // must not wait between the check of its grant and its request.
            queue: DeliveryQueue::new(GuardedFetcher::MAX_CONCURRENT),
            running: JoinSet::new(),
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

    /// Reads due events; returns whether there may be more.
    async fn read(&mut self) -> bool {
        let outcome = self.queue.read(&self.deliver).await;
        self.note(&outcome);
        outcome.unwrap_or(false)
    }

    fn start(&mut self) {
        if self.resumes_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        self.resumes_at = None;
        while let Some(event) = self.queue.start_next() {
            let (sender, recorder) = (Arc::clone(&self.deliver), Arc::clone(&self.deliver));
            let delivery = async move { sender.run(event).await };
            let after_panic = async move { recorder.record_panic(event).await };
            self.running.spawn(deliver(event, delivery, after_panic, PANIC_PAUSE));
        }
    }

    /// Notes the end of a delivery; returns whether nothing waits for its client and host.
    fn finish(&mut self, FinishedDelivery { event, outcome }: FinishedDelivery) -> bool {
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
        self.queue.finish(event)
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

    fn event() -> EventKey {
        let (user_id, endpoint_id) =
            (UserId::from_uuid(Uuid::nil()), WebhookEndpointId::from_uuid(Uuid::nil()));
        EventKey { user_id, endpoint_id, kind: EventKind::EndpointTest }
    }

    #[tokio::test]
    async fn a_delivery_that_panics_is_recorded_as_a_failed_attempt() {
        let record = async { Ok(DeliveryOutcome::Postponed) };
        let done = deliver(event(), async { panic!("a bug") }, record, Duration::ZERO).await;
        assert!(matches!(done.outcome, Some(Ok(DeliveryOutcome::Postponed))));
    }

    #[tokio::test]
    async fn a_delivery_that_panics_ends_even_if_it_cannot_be_recorded() {
        let record = async { panic!("another bug") };
        let done = deliver(event(), async { panic!("a bug") }, record, Duration::ZERO).await;
        assert!(done.event == event() && done.outcome.is_none());
    }
}
