//! Size of a run.

use crate::load::End;
use std::time::Duration;

/// Duration, rounds and amount of data.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Short form: minimal work, times are not judged.
    pub(crate) short: bool,
    /// Rounds of a case and its reference.
    pub(crate) rounds: usize,
    /// Seconds per round.
    pub(crate) seconds: f64,
    /// Nights of the person with many.
    pub(crate) nights: usize,
    /// Numbers of sessions of the growth case.
    pub(crate) sessions: Vec<u64>,
}

impl Plan {
    /// Returns the end of a round of small requests: by time, or in the short form after a few.
    pub(crate) fn end(&self) -> End {
        if self.short { End::Requests(20) } else { End::After(Duration::from_secs_f64(self.seconds)) }
    }

    /// Returns the end of a round of large requests.
    pub(crate) fn end_of_large(&self, requests: usize) -> End {
        End::Requests(if self.short { requests.min(2) } else { requests })
    }
}
