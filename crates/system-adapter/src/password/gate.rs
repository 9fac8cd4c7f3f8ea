//! Limits concurrent password hashes: each takes 19 MiB and a core, and callers may be anonymous.

use application::ports::system::PasswordHashingError;
use std::num::NonZero;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tracing::Instrument as _;

/// Maximum number of running and of waiting hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashingLimits {
    parallel: usize,
    waiting: usize,
}

impl HashingLimits {
    /// Returns the limits for this machine: `parallel` running hashes (0 for the maximum), but at most half
    /// of the cores, so that requests are still served, and at least 1; `waiting` in the queue.
    pub fn for_this_machine(parallel: u32, waiting: u32) -> Self {
        Self::for_cores(std::thread::available_parallelism().map_or(1, NonZero::get), parallel, waiting)
    }

    fn for_cores(cores: usize, parallel: u32, waiting: u32) -> Self {
        let most = (cores / 2).max(1);
        // A number that does not fit exceeds the number of cores anyway.
        let parallel = usize::try_from(parallel).unwrap_or(usize::MAX);
        let parallel = if parallel == 0 { most } else { parallel.min(most) };
        let waiting = usize::try_from(waiting).unwrap_or(usize::MAX);
        Self { parallel, waiting: waiting.min(Semaphore::MAX_PERMITS - most) }
    }

    /// Returns the number of hashes that may run concurrently.
    pub const fn parallel(&self) -> usize {
        self.parallel
    }
}

/// Runs a few jobs at a time, queues some in order of arrival, and rejects the others.
pub(super) struct HashingGate {
    /// One permit per running or waiting job.
    places: Arc<Semaphore>,
    /// One permit per running job.
    turns: Arc<Semaphore>,
}

impl HashingGate {
    pub(super) fn new(limits: HashingLimits) -> Self {
        Self {
            places: Arc::new(Semaphore::new(limits.parallel.saturating_add(limits.waiting))),
            turns: Arc::new(Semaphore::new(limits.parallel)),
        }
    }

    /// Runs a job on a blocking thread once it gets a permit.
    ///
    /// A caller that is cancelled while it waits frees its place. One that is cancelled later does not stop
    /// the job, which keeps its permit until it ends, because it uses the memory and the core until then.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordHashingError> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| PasswordHashingError::Busy)?;
        let turns = Arc::clone(&self.turns);
        let hashing = async move {
            let turn = turns.acquire_owned().await.map_err(|_| PasswordHashingError::Failed)?;
            let task = spawn_blocking(move || {
                let _held = (place, turn);
                work()
            });
            task.await.map_err(|_| PasswordHashingError::Failed)
        };
        hashing.instrument(tracing::info_span!(target: "trace", "hashing")).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::{Pin, pin};
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::task::{Context, Poll, Waker};
    use tokio::task::JoinSet;

    fn gate(parallel: usize, waiting: usize) -> Arc<HashingGate> {
        Arc::new(HashingGate::new(HashingLimits { parallel, waiting }))
    }

    /// A job that reports its start and ends on request.
    struct BlockingWork {
        started: Sender<()>,
        released: Arc<Mutex<Receiver<()>>>,
    }

    impl BlockingWork {
        fn run(self) {
            self.started.send(()).unwrap();
            self.released.lock().unwrap().recv().unwrap();
        }
    }

    struct BlockingJobs {
        has_begun: Receiver<()>,
        started: Sender<()>,
        release: Sender<()>,
        released: Arc<Mutex<Receiver<()>>>,
    }

    impl BlockingJobs {
        fn new() -> Self {
            let (started, has_begun) = channel();
            let (release, released) = channel();
            Self { has_begun, started, release, released: Arc::new(Mutex::new(released)) }
        }

        fn work(&self) -> impl FnOnce() + Send + 'static {
            let work = BlockingWork { started: self.started.clone(), released: Arc::clone(&self.released) };
            move || work.run()
        }
    }

    fn polled<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn half_of_the_cores_hash_unless_configured_lower_and_at_least_one() {
        let parallel = |cores, setting| HashingLimits::for_cores(cores, setting, 32).parallel();
        assert_eq!([parallel(1, 0), parallel(2, 0), parallel(16, 0)], [1, 1, 8]);
        assert_eq!([parallel(1, 9), parallel(16, 3), parallel(16, 100)], [1, 3, 8]);
        let HashingLimits { parallel, waiting } = HashingLimits::for_cores(4, 0, u32::MAX);
        let _ = gate(parallel, waiting);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn of_200_concurrent_hashes_three_run_nine_wait_and_the_rest_are_rejected() {
        let (gate, held) = (gate(3, 9), BlockingJobs::new());
        let mut tasks = JoinSet::new();
        for _ in 0..200 {
            let (gate, work) = (Arc::clone(&gate), held.work());
            tasks.spawn(async move { gate.run(work).await });
        }
        for _ in 0..188 {
            assert_eq!(tasks.join_next().await.unwrap().unwrap(), Err(PasswordHashingError::Busy));
        }
        for _ in 0..3 {
            held.has_begun.recv().unwrap();
        }
        for _ in 0..9 {
            // All slots are busy: the next job starts only when one has ended.
            assert!(held.has_begun.try_recv().is_err());
            held.release.send(()).unwrap();
            assert_eq!(tasks.join_next().await.unwrap().unwrap(), Ok(()));
            held.has_begun.recv().unwrap();
        }
        (0..3).for_each(|_| held.release.send(()).unwrap());
        while let Some(ended) = tasks.join_next().await {
            assert_eq!(ended.unwrap(), Ok(()));
        }
    }

    #[tokio::test]
    async fn a_cancelled_waiter_frees_its_slot() {
        let (gate, held) = (gate(1, 1), BlockingJobs::new());
        let mut running = pin!(gate.run(held.work()));
        assert!(polled(running.as_mut()).is_pending());
        let mut waiting = Box::pin(gate.run(|| ()));
        assert!(polled(waiting.as_mut()).is_pending());
        assert_eq!(gate.run(|| ()).await, Err(PasswordHashingError::Busy));
        drop(waiting);
        let mut next = pin!(gate.run(|| ()));
        assert!(polled(next.as_mut()).is_pending());
        held.release.send(()).unwrap();
        assert_eq!(running.await, Ok(()));
        assert_eq!(next.await, Ok(()));
    }

    #[tokio::test]
    async fn a_cancelled_request_keeps_its_permit_until_its_work_has_ended() {
        let (gate, held) = (gate(1, 1), BlockingJobs::new());
        let mut given_up = Box::pin(gate.run(held.work()));
        assert!(polled(given_up.as_mut()).is_pending());
        held.has_begun.recv().unwrap();
        drop(given_up);
        let mut next = pin!(gate.run(held.work()));
        assert!(polled(next.as_mut()).is_pending());
        assert_eq!(gate.run(|| ()).await, Err(PasswordHashingError::Busy));
        assert!(held.has_begun.try_recv().is_err());
        held.release.send(()).unwrap();
        held.release.send(()).unwrap();
        assert_eq!(next.await, Ok(()));
    }

    #[tokio::test]
    async fn work_that_panics_returns_its_permit() {
        let gate = gate(1, 0);
        assert_eq!(gate.run(|| panic!("on purpose")).await, Err::<(), _>(PasswordHashingError::Failed));
        assert_eq!(gate.run(|| 5).await, Ok(5));
    }
}
