//! Timeout that does not count time in which the thread was busy.
//!
//! A worker's thread drives its connection, its timers and all of its requests. While it writes a large page
//! or is not scheduled, a reply may already have arrived, and that time is not the store's. The timeout is
//! therefore split into slices: however long the thread was away within a slice, only that slice is counted.
//! A reply that arrived in the meantime is read before the timeout fires.

use crate::fault::Fault;
use std::pin::pin;
use std::time::Duration;
use tokio::time::timeout;

/// Number of slices of a timeout.
const SLICES: u32 = 10;

/// Number of times a thread that was away yields before the timeout fires, so that the connection, the sender
/// of the call and the request can each make progress.
const YIELDS: usize = 4;

/// Waits for a reply, counting only time in which the thread was available.
pub(crate) async fn in_time<T>(
    longest: Duration,
    answer: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    let mut answer = pin!(answer);
    for _ in 0..SLICES {
        if let Ok(answer) = timeout(longest / SLICES, &mut answer).await {
            return answer;
        }
    }
    for _ in 0..YIELDS {
        tokio::task::yield_now().await;
        if let Ok(answer) = timeout(Duration::ZERO, &mut answer).await {
            return answer;
        }
    }
    Err(Fault::NoAnswer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, poll_fn};
    use std::task::Poll;
    use std::time::Instant;
    use tokio::sync::oneshot;

    const LONGEST: Duration = Duration::from_millis(50);

    /// Blocks the thread for longer than any timeout.
    fn be_busy() {
        std::thread::sleep(LONGEST * 4);
    }

    #[tokio::test]
    async fn a_wait_ends_at_its_timeout_and_not_before() {
        let started = Instant::now();
        assert_eq!(in_time(LONGEST, pending::<Result<(), _>>()).await, Err(Fault::NoAnswer));
        assert!(started.elapsed() >= LONGEST);
    }

    #[tokio::test]
    async fn a_fault_counts_as_a_response() {
        let lost = async { Err::<(), _>(Fault::Lost) };
        assert_eq!(in_time(LONGEST, lost).await, Err(Fault::Lost));
    }

    #[tokio::test]
    async fn a_response_ready_at_the_timeout_is_used() {
        // Polled at the start and end of each slice, then found.
        let mut looks = 0;
        let answer = poll_fn(|_| {
            looks += 1;
            if looks > 2 * SLICES { Poll::Ready(Ok(7)) } else { Poll::Pending }
        });
        assert_eq!(in_time(LONGEST, answer).await, Ok(7));
    }

    #[tokio::test]
    async fn a_busy_piece_of_a_wait_leaves_the_others() {
        let (sender, answer) = oneshot::channel();
        tokio::spawn(async move {
            be_busy();
            // The thread is back, but the reply has not arrived.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            sender.send(7)
        });
        assert_eq!(in_time(LONGEST, async { answer.await.map_err(|_| Fault::Lost) }).await, Ok(7));
    }
}
