//! Waiting on timers of the runtime.

use application::ports::system::Pause;
use async_trait::async_trait;
use std::time::Duration;

/// Waits on a timer of the current runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimerPause;

#[async_trait]
impl Pause for TimerPause {
    async fn pause(&self, length: Duration) {
        tokio::time::sleep(length).await;
    }
}
