//! How long an answer is waited for, of the time in which somebody looks for it.
//!
//! A worker's thread drives its connection, its timers and all of its requests. While it writes a large page, or has no
//! processor, an answer may lie there unread, and time passes that is not the store's. So the wait is cut into pieces:
//! the thread is back after each, and however long it was away in one of them, it is that one piece. And an answer that
//! came meanwhile is read before the wait ends in vain.

use crate::fault::Fault;
use std::pin::pin;
use std::time::Duration;
use tokio::time::timeout;

/// Into how many pieces a wait is cut.
const PIECES: u32 = 10;

/// How often a thread that was away looks at its sockets, and lets each of its tasks go on, before a wait ends in vain:
/// the connection reads, whoever sent the call hears of it, then whoever asked.
const LOOKS: usize = 4;

/// Waits for an answer, no longer than this while the thread is there.
pub(crate) async fn in_time<T>(
    longest: Duration,
    answer: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    let mut answer = pin!(answer);
    for _ in 0..PIECES {
        if let Ok(answer) = timeout(longest / PIECES, &mut answer).await {
            return answer;
        }
    }
    for _ in 0..LOOKS {
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

    /// Keeps the thread from everything else for longer than any wait.
    fn be_busy() {
        std::thread::sleep(LONGEST * 4);
    }

    #[tokio::test]
    async fn what_never_comes_is_given_up_and_not_before_its_time() {
        let begun = Instant::now();
        assert_eq!(in_time(LONGEST, pending::<Result<(), _>>()).await, Err(Fault::NoAnswer));
        assert!(begun.elapsed() >= LONGEST);
    }

    #[tokio::test]
    async fn a_fault_is_an_answer() {
        let lost = async { Err::<(), _>(Fault::Lost) };
        assert_eq!(in_time(LONGEST, lost).await, Err(Fault::Lost));
    }

    #[tokio::test]
    async fn an_answer_that_lies_there_when_the_wait_is_over_is_taken() {
        // Looked for at the beginning and the end of each piece, and found after them.
        let mut looks = 0;
        let answer = poll_fn(|_| {
            looks += 1;
            if looks > 2 * PIECES { Poll::Ready(Ok(7)) } else { Poll::Pending }
        });
        assert_eq!(in_time(LONGEST, answer).await, Ok(7));
    }

    #[tokio::test]
    async fn a_busy_piece_of_a_wait_leaves_the_others() {
        let (told, answer) = oneshot::channel();
        tokio::spawn(async move {
            be_busy();
            // The thread is back, and the answer is not there yet.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            told.send(7)
        });
        assert_eq!(in_time(LONGEST, async { answer.await.map_err(|_| Fault::Lost) }).await, Ok(7));
    }
}
