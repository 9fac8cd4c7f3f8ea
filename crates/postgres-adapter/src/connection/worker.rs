//! Threads with a dedicated shared connection.
//!
//! The runtime that opened a connection drives it. If that is the caller's runtime, a statement and its
//! response wake no other thread. Otherwise both do, which costs more than the statement.

use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Returns this thread's number, from 0 in the order of first calls, if it has a single-threaded runtime like
/// an HTTP worker; `None` on a multi-threaded runtime.
pub(crate) fn number() -> Option<usize> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = ASKED.fetch_add(1, Ordering::Relaxed);
    }
    let runtime = Handle::try_current().ok()?;
    (runtime.runtime_flavor() == RuntimeFlavor::CurrentThread).then(|| NUMBER.with(|number| *number))
}

#[cfg(test)]
mod tests {
    use super::number;

    fn on_a_thread_of_its_own() -> Option<usize> {
        let ask = || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async { (number(), number()) })
        };
        let (first, second) = std::thread::spawn(ask).join().unwrap();
        assert_eq!(first, second, "a thread keeps its number");
        first
    }

    #[test]
    fn threads_with_runtimes_of_their_own_have_different_numbers() {
        let numbers = [on_a_thread_of_its_own(), on_a_thread_of_its_own()];
        assert!(numbers[0].is_some() && numbers[1].is_some());
        assert_ne!(numbers[0], numbers[1]);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_multi_threaded_runtime_has_no_number() {
        let inside = tokio::spawn(async { number() }).await.unwrap();
        assert_eq!((inside, number()), (None, None));
    }
}
