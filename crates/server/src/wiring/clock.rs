//! Comparing this machine's clock with the database's.

use application::ports::storage::{StorageError, StoreClock};
use application::ports::system::Clock;
use chrono::TimeDelta;
use std::sync::Arc;
use std::time::{Duration, Instant};
use system_adapter::SystemClock;

/// Clock of a command or a server.
pub(crate) type SharedClock = Arc<dyn Clock>;

/// Longest round trip of a usable measurement.
const LONGEST_ROUND_TRIP: Duration = Duration::from_secs(1);

/// Difference between this machine's clock and the database's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockSkew(TimeDelta);

impl ClockSkew {
    /// Largest skew with which a process may serve.
    const LIMIT: TimeDelta = TimeDelta::seconds(2);

    /// Compares the clocks. Returns `None` if the database took too long to respond.
    pub(crate) async fn measure(database: &dyn StoreClock) -> Result<Option<Self>, StorageError> {
        let asked_at = Instant::now();
        let database_now = database.store_now().await?;
        let round_trip = asked_at.elapsed();
        if round_trip > LONGEST_ROUND_TRIP {
            return Ok(None);
        }
        // The response is assumed to be half a round trip old.
        let age = TimeDelta::from_std(round_trip / 2).unwrap_or_default();
        Ok(Some(Self(SystemClock.now() - age - database_now)))
    }

    /// Returns how far this machine's clock is ahead; negative if it is behind.
    pub(crate) const fn ahead(self) -> TimeDelta {
        self.0
    }

    /// Returns whether the clocks are too far apart to serve.
    pub(crate) fn is_too_large(self) -> bool {
        self.0.abs() > Self::LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use chrono::{DateTime, Utc};

    /// A database whose clock differs from this machine's.
    struct SkewedClock(TimeDelta);

    #[async_trait]
    impl StoreClock for SkewedClock {
        async fn store_now(&self) -> Result<DateTime<Utc>, StorageError> {
            Ok(SystemClock.now() + self.0)
        }
    }

    #[tokio::test]
    async fn clocks_more_than_2_s_apart_are_too_far_apart_in_both_directions() {
        for (ahead, is_too_large) in
            [(0, false), (1_500, false), (-1_500, false), (2_500, true), (-3_500, true)]
        {
            let skew =
                ClockSkew::measure(&SkewedClock(TimeDelta::milliseconds(ahead))).await.unwrap().unwrap();
            assert_eq!(skew.is_too_large(), is_too_large, "{ahead}");
        }
    }
}
