//! Threads that have a shared connection for themselves.
//!
//! A connection is driven by the runtime on which it was made. When that is the runtime of the thread that asks, sending
//! a statement and taking its answer wakes no other thread; otherwise both do, and that costs more than the statement.

use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Returns the number of this thread among those that run a runtime of their own, as each worker of the HTTP server
/// does, counted from 0 in the order in which they first ask; nothing on a runtime that many threads run.
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
    async fn a_runtime_that_many_threads_run_has_no_number() {
        let inside = tokio::spawn(async { number() }).await.unwrap();
        assert_eq!((inside, number()), (None, None));
    }
}
