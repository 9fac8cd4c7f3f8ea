//! The machine's clock, and timers of the runtime.

use application::ports::system::{Clock, Pause};
use async_trait::async_trait;
use chrono::{DateTime, SubsecRound, Utc};
use std::time::Duration;

/// System time, truncated to the microseconds that every store keeps.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the only place that reads the machine's clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(6)
    }
}

/// Waits on a timer of the current runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimerPause;

#[async_trait]
impl Pause for TimerPause {
    async fn pause(&self, length: Duration) {
        tokio::time::sleep(length).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_no_part_below_a_microsecond() {
        for _ in 0..1_000 {
            assert_eq!(SystemClock.now().timestamp_subsec_nanos() % 1_000, 0);
        }
    }
}
