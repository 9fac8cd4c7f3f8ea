//! Size of a run.

use crate::cli::RunArguments;
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
    /// Creates the plan from the command line.
    pub(crate) fn new(arguments: &RunArguments) -> Self {
        let short = arguments.short;
        let sessions = if arguments.sessions.is_empty() {
            if short { vec![1_000] } else { vec![100_000, 1_000_000, 10_000_000, 50_000_000] }
        } else {
            arguments.sessions.clone()
        };
        Self {
            short,
            rounds: arguments.rounds.unwrap_or(if short { 1 } else { 5 }).max(1),
            seconds: arguments.seconds.unwrap_or(if short { 0.2 } else { 4.0 }),
            nights: if short { 300 } else { 10_000 },
            sessions,
        }
    }

    /// Returns the end of a round of small requests: by time, or in the short form after a few.
    pub(crate) fn end(&self) -> End {
        if self.short { End::Requests(20) } else { End::After(Duration::from_secs_f64(self.seconds)) }
    }

    /// Returns the end of a round of large requests.
    pub(crate) fn end_of_large(&self, requests: usize) -> End {
        End::Requests(if self.short { requests.min(2) } else { requests })
    }
}
