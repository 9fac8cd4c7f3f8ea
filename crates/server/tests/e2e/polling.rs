//! Timeouts for eventual results, on a machine that other tests keep busy.

use std::time::{Duration, Instant};

/// Timeout for results without a time limit, or whose time limit another test checks.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(1);

/// Time limit for every server to reject revoked credentials and to use a new key (decisions 3).
pub(crate) const REVOCATION_LIMIT: Duration = Duration::from_secs(2);

/// Polls until there is a result; the limit counts from `since`, which may be in the past.
///
/// The start of a poll counts: on a busy machine the response may be late without any fault of the server. A
/// poll that starts after the limit must succeed.
pub(crate) async fn within<T>(
    limit: Duration,
    since: Instant,
    what: &str,
    mut ask: impl AsyncFnMut() -> Option<T>,
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

/// Polls until there is a result or [`TIMEOUT`] is over.
pub(crate) async fn eventually<T>(what: &str, ask: impl AsyncFn() -> Option<T>) -> T {
    within(TIMEOUT, Instant::now(), what, ask).await
}
