//! Who counts requests: this process, or a store that all replicas share.

use crate::settings::Settings;
use application::ports::system::RateLimiter;
use redis_adapter::RedisRateLimiter;
use std::sync::Arc;
use std::time::Duration;
use system_adapter::InProcessRateLimiter;

/// How long a start waits for the shared store. An outage of it must not keep a replica from being started again.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// The counter of requests.
pub(crate) struct RateLimits {
    port: Arc<dyn RateLimiter>,
    shared: Option<Arc<RedisRateLimiter>>,
}

impl RateLimits {
    /// Takes the counter that the settings name, and begins to connect when it is a shared one.
    pub(super) fn new(settings: &Settings) -> anyhow::Result<Self> {
        let in_process = Arc::new(InProcessRateLimiter::new());
        let Some(options) = settings.rate_limits.store()? else {
            return Ok(Self { port: in_process, shared: None });
        };
        let shared = Arc::new(RedisRateLimiter::start(&options, in_process));
        Ok(Self { port: shared.clone(), shared: Some(shared) })
    }

    /// Returns the port that use cases count on.
    pub(super) fn port(&self) -> Arc<dyn RateLimiter> {
        self.port.clone()
    }

    /// Waits until a shared store has counted once, but not for long: without it, the process counts.
    ///
    /// A replica that is ready before counts beside the others for its first requests.
    pub(crate) async fn first_answer(&self) {
        if let Some(shared) = &self.shared {
            // What became of it stands in the log already.
            let _ = tokio::time::timeout(FIRST_ANSWER, shared.first_answer()).await;
        }
    }
}
