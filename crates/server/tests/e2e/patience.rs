//! How long tests wait for what comes by and by, beside all the other tests that keep the machine busy.

use std::time::{Duration, Instant};

/// How long something is waited for that has no limit in time, or has it in another test.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// How soon every server refuses what was taken away, and uses a new key (decisions 3).
pub(crate) const REVOCATION_LIMIT: Duration = Duration::from_secs(2);

/// Asks until there is an answer, and returns it; the limit counts from a moment that may have been before.
///
/// What counts is when a question was asked: how long its answer was under way on a busy machine says nothing about
/// what the server knew. One that is asked after the limit must have the answer.
pub(crate) async fn within<T>(
    limit: Duration,
    since: Instant,
    what: &str,
    ask: impl AsyncFn() -> Option<T>,
) -> T {
    loop {
        let asked_after = since.elapsed();
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(asked_after < limit, "not after {asked_after:?}: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Asks until there is an answer, for as long as can be waited.
pub(crate) async fn eventually<T>(what: &str, ask: impl AsyncFn() -> Option<T>) -> T {
    within(PATIENCE, Instant::now(), what, ask).await
}
