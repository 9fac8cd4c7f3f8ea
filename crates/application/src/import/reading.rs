//! Reads a file ahead of what stores it.

use crate::ports::import_source::{ImportItem, ImportRefusal, ImportSource};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

/// How many batches wait at most: with the one that is stored and the one that is read, three are held. While a file is
/// checked, the first two are read already; more would be of no use, because storing takes longer than reading.
const AHEAD: usize = 1;

/// What comes out of a file, in its order.
enum Step {
    /// So many bytes are read.
    Told(u64),
    /// The next records, and how many bytes are read with them.
    Batch(Vec<ImportItem>, u64),
    /// There is nothing more.
    End,
}

/// A file that a thread of its own reads: the next batch is read while the one before it is stored.
///
/// Dropped, it waits for the thread, which ends where it next tells how far it is: nothing reads on that nobody wants.
pub(super) struct ReadAhead {
    listener: Arc<Listener>,
    /// Absent while it is dropped.
    steps: Option<Receiver<Result<Step, ImportRefusal>>>,
    thread: Option<JoinHandle<()>>,
}

/// Whether anybody listens to what a thread tells.
#[derive(Default)]
struct Listener {
    /// Since when batches are asked for: before that it is told to nobody how far the thread is.
    has_begun: AtomicBool,
    /// Nothing is wanted any more.
    has_gone: AtomicBool,
}

impl ReadAhead {
    /// Begins to read batches of at most so many records.
    pub(super) fn begin(source: Box<dyn ImportSource>, limit: usize) -> Result<Self, ImportRefusal> {
        let (sender, steps) = sync_channel(AHEAD);
        let listener = Arc::new(Listener::default());
        let told = Arc::clone(&listener);
        let thread = thread::Builder::new()
            .name("import".to_owned())
            .spawn(move || read(source, limit, &sender, &told))
            .map_err(|error| ImportRefusal::Unreadable(error.kind().to_string()))?;
        Ok(Self { listener, steps: Some(steps), thread: Some(thread) })
    }

    /// Waits for the next batch, with the bytes that are read after it; absent at the end. Blocks the thread.
    pub(super) fn next_batch(
        &self,
        told: &dyn Fn(u64) -> ControlFlow<()>,
    ) -> Result<Option<(Vec<ImportItem>, u64)>, ImportRefusal> {
        self.listener.has_begun.store(true, Ordering::Relaxed);
        loop {
            // A thread that is gone without a word has panicked, which must not look like the end of the file.
            let gone = || Err(ImportRefusal::Unreadable("the reader stopped".to_owned()));
            let step = self.steps.as_ref().and_then(|steps| steps.recv().ok());
            match step.unwrap_or_else(gone)? {
                Step::Told(bytes) if told(bytes).is_break() => return Err(ImportRefusal::Stopped),
                Step::Told(_) => {}
                Step::Batch(items, bytes) => return Ok(Some((items, bytes))),
                Step::End => return Ok(None),
            }
        }
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        // First, so that the thread learns that nobody listens, whether it tells how far it is or gives a batch.
        self.listener.has_gone.store(true, Ordering::Relaxed);
        self.steps = None;
        if let Some(thread) = self.thread.take() {
            // A panic was told already, to whoever asked for what came next.
            let _ = thread.join();
        }
    }
}

/// Reads to the end, or until nobody listens.
fn read(
    mut source: Box<dyn ImportSource>,
    limit: usize,
    steps: &SyncSender<Result<Step, ImportRefusal>>,
    listener: &Listener,
) {
    loop {
        let mut tell = |bytes| {
            if listener.has_gone.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            if !listener.has_begun.load(Ordering::Relaxed) {
                // It would take the place of a batch that could wait there.
                return ControlFlow::Continue(());
            }
            // Nobody waits for every one of these.
            match steps.try_send(Ok(Step::Told(bytes))) {
                Err(TrySendError::Disconnected(_)) => ControlFlow::Break(()),
                Ok(()) | Err(TrySendError::Full(_)) => ControlFlow::Continue(()),
            }
        };
        let step = source
            .next_batch_telling(limit, &mut tell)
            .map(|items| if items.is_empty() { Step::End } else { Step::Batch(items, source.bytes_read()) });
        let is_last = !matches!(step, Ok(Step::Batch(..)));
        if steps.send(step).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ReadAhead;
    use crate::ports::import_source::{ImportItem, ImportRefusal, ImportSource, Rejection, Told};
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Gives one record a batch for ever, or panics after some.
    struct Endless {
        given: Arc<AtomicU64>,
        panics_at: u64,
    }

    impl ImportSource for Endless {
        fn next_batch_telling(&mut self, _: usize, told: Told<'_>) -> Result<Vec<ImportItem>, ImportRefusal> {
            let given = self.given.fetch_add(1, Ordering::SeqCst) + 1;
            assert!(given < self.panics_at, "the reader's own mistake");
            if told(given).is_break() {
                return Err(ImportRefusal::Stopped);
            }
            let rejection = Rejection { place: format!("line {given}"), reason: "no record".to_owned() };
            Ok(vec![ImportItem::Rejected(rejection)])
        }

        fn check_telling(&mut self, _: Told<'_>) -> Result<(), ImportRefusal> {
            Ok(())
        }

        fn bytes_read(&self) -> u64 {
            self.given.load(Ordering::SeqCst)
        }
    }

    fn endless(panics_at: u64) -> (Arc<AtomicU64>, ReadAhead) {
        let given = Arc::new(AtomicU64::new(0));
        let source = Endless { given: Arc::clone(&given), panics_at };
        (given, ReadAhead::begin(Box::new(source), 1).unwrap())
    }

    #[test]
    fn it_is_never_further_ahead_than_a_batch_that_waits_and_one_that_is_read() {
        let (given, reading) = endless(u64::MAX);
        for stored in 1..200 {
            let (_, bytes) = reading.next_batch(&|_| ControlFlow::Continue(())).unwrap().unwrap();
            assert!(bytes >= stored);
            assert!(given.load(Ordering::SeqCst) <= stored + 2);
        }
    }

    #[test]
    fn whoever_never_listened_stops_the_reader() {
        let (given, reading) = endless(u64::MAX);
        drop(reading);
        assert_eq!(Arc::strong_count(&given), 1);
        let held = Arc::new(());
        drop(ReadAhead::begin(Box::new(Silent { _held: Arc::clone(&held) }), 1).unwrap());
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn whoever_stops_listening_stops_the_reader() {
        let (given, reading) = endless(u64::MAX);
        reading.next_batch(&|_| ControlFlow::Continue(())).unwrap();
        drop(reading);
        // The thread holds the other half of the counter until it ends.
        assert_eq!(Arc::strong_count(&given), 1);
    }

    /// Tells for ever how far it is, and gives no record.
    struct Silent {
        _held: Arc<()>,
    }

    impl ImportSource for Silent {
        fn next_batch_telling(&mut self, _: usize, told: Told<'_>) -> Result<Vec<ImportItem>, ImportRefusal> {
            while told(1).is_continue() {}
            Err(ImportRefusal::Stopped)
        }

        fn check_telling(&mut self, _: Told<'_>) -> Result<(), ImportRefusal> {
            Ok(())
        }

        fn bytes_read(&self) -> u64 {
            1
        }
    }

    #[test]
    fn whoever_wants_no_more_stops_a_reader_that_gives_no_record() {
        let held = Arc::new(());
        let reading = ReadAhead::begin(Box::new(Silent { _held: Arc::clone(&held) }), 1).unwrap();
        assert_eq!(reading.next_batch(&|_| ControlFlow::Break(())), Err(ImportRefusal::Stopped));
        drop(reading);
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn a_reader_that_panics_is_not_taken_for_the_end_of_the_file() {
        let (_, reading) = endless(3);
        let outcome = std::iter::from_fn(|| reading.next_batch(&|_| ControlFlow::Continue(())).transpose())
            .find(Result::is_err);
        assert_eq!(outcome, Some(Err(ImportRefusal::Unreadable("the reader stopped".to_owned()))));
    }
}
