//! The machine's clock.

use application::ports::system::Clock;
use chrono::{DateTime, SubsecRound, Utc};

/// System time, truncated to the microseconds that every store keeps.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the only place that reads the machine's clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(6)
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
