//! Counters of requests: in this process, or in a store that all replicas share.

use crate::settings::Settings;
use application::ports::system::RateLimiter;
use redis_adapter::RedisRateLimiter;
use std::sync::Arc;
use std::time::Duration;
use system_adapter::InProcessRateLimiter;

/// Longest wait of a start for the shared store. An outage must not prevent replicas from starting.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

pub(crate) struct RateLimits {
    port: Arc<dyn RateLimiter>,
    shared: Option<Arc<RedisRateLimiter>>,
}

impl RateLimits {
    /// Creates the counter of the settings; starts connecting to a shared one.
    pub(super) fn new(settings: &Settings) -> anyhow::Result<Self> {
        let in_process = Arc::new(InProcessRateLimiter::new());
        let Some(options) = settings.rate_limits.store()? else {
            return Ok(Self { port: in_process, shared: None });
        };
        let shared = Arc::new(RedisRateLimiter::start(&options, in_process));
        Ok(Self { port: shared.clone(), shared: Some(shared) })
    }

    /// Returns the port for use cases.
    pub(super) fn port(&self) -> Arc<dyn RateLimiter> {
        self.port.clone()
    }

    /// Waits up to [`FIRST_ANSWER`] until a shared store has counted once; without it, the process counts.
    ///
    /// A replica that is ready earlier counts its first requests separately.
    pub(crate) async fn first_answer(&self) {
        if let Some(shared) = &self.shared {
            // The outcome is already logged.
            let _ = tokio::time::timeout(FIRST_ANSWER, shared.first_answer()).await;
        }
    }
}
