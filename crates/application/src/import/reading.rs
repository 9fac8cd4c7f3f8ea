//! Reads a file ahead of storing it, and reports the progress.

use crate::ports::import_source::{ImportItem, ImportRefusal, ImportSource};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

/// Maximum number of queued batches: with the one being stored and the one being read, three are in memory.
/// While a file is checked, the first two are read. More would not help, because storing takes longer than
/// reading.
const QUEUED_BATCHES: usize = 1;

/// A message of the reading thread.
enum Step {
    /// Number of bytes read so far.
    Progress(u64),
    /// The next records, and the bytes read up to their end.
    Batch(Vec<ImportItem>, u64),
    /// End of the file.
    End,
}

/// Reads a file in a separate thread: the next batch is read while the previous one is stored.
///
/// Dropping it waits for the thread, which stops at its next progress report.
pub(super) struct ReadAhead {
    listener: Arc<Listener>,
    /// `None` while it is dropped.
    steps: Option<Receiver<Result<Step, ImportRefusal>>>,
    thread: Option<JoinHandle<()>>,
}

/// State shared with the reading thread.
#[derive(Default)]
struct Listener {
    /// Whether batches are being requested; before that no progress is sent.
    has_begun: AtomicBool,
    /// Whether the reader was dropped.
    is_dropped: AtomicBool,
}

impl ReadAhead {
    /// Starts to read batches of at most `limit` records.
    pub(super) fn begin(source: Box<dyn ImportSource>, limit: usize) -> Result<Self, ImportRefusal> {
        let (sender, steps) = sync_channel(QUEUED_BATCHES);
        let listener = Arc::new(Listener::default());
        let shared = Arc::clone(&listener);
        let thread = thread::Builder::new()
            .name("import".to_owned())
            .spawn(move || read(source, limit, &sender, &shared))
            .map_err(|error| ImportRefusal::Unreadable(error.kind().to_string()))?;
        Ok(Self { listener, steps: Some(steps), thread: Some(thread) })
    }

    /// Waits for the next batch and the bytes read up to its end; `None` at the end. Blocks the thread.
    pub(super) fn next_batch(
        &self,
        progress: &dyn Fn(u64) -> ControlFlow<()>,
    ) -> Result<Option<(Vec<ImportItem>, u64)>, ImportRefusal> {
        self.listener.has_begun.store(true, Ordering::Relaxed);
        loop {
            // The thread panicked: this must not be mistaken for the end of the file.
            let gone = || Err(ImportRefusal::Unreadable("the reader stopped".to_owned()));
            let step = self.steps.as_ref().and_then(|steps| steps.recv().ok());
            match step.unwrap_or_else(gone)? {
                Step::Progress(bytes) if progress(bytes).is_break() => return Err(ImportRefusal::Stopped),
                Step::Progress(_) => {}
                Step::Batch(items, bytes) => return Ok(Some((items, bytes))),
                Step::End => return Ok(None),
            }
        }
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        // Set first, so that the thread stops at its next progress report or batch.
        self.listener.is_dropped.store(true, Ordering::Relaxed);
        self.steps = None;
        if let Some(thread) = self.thread.take() {
            // A panic was already reported by the request for the next batch.
            let _ = thread.join();
        }
    }
}

/// Reads to the end, or until the reader is dropped.
fn read(
    mut source: Box<dyn ImportSource>,
    limit: usize,
    steps: &SyncSender<Result<Step, ImportRefusal>>,
    listener: &Listener,
) {
    loop {
        let mut report = |bytes| {
            if listener.is_dropped.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            if !listener.has_begun.load(Ordering::Relaxed) {
                // Progress would occupy the queue slot of a batch.
                return ControlFlow::Continue(());
            }
            // Progress may be skipped if the queue is full.
            match steps.try_send(Ok(Step::Progress(bytes))) {
                Err(TrySendError::Disconnected(_)) => ControlFlow::Break(()),
                Ok(()) | Err(TrySendError::Full(_)) => ControlFlow::Continue(()),
            }
        };
        let step = source
            .read_batch(limit, &mut report)
            .map(|items| if items.is_empty() { Step::End } else { Step::Batch(items, source.bytes_read()) });
        let is_last = !matches!(step, Ok(Step::Batch(..)));
        if steps.send(step).is_err() || is_last {
            return;
        }
    }
}

/// The two passes over a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportPass {
    /// Checks whether the file is complete; stores nothing.
    Checking,
    /// Stores records.
    Storing,
}

/// Receives the bytes read in a pass, and decides whether to continue.
pub type Progress<'a> = &'a (dyn Fn(ImportPass, u64) -> ControlFlow<()> + Send + Sync);

/// Fails with [`ImportRefusal::Stopped`] if the import must stop.
pub(super) fn stop_on_break(wish: ControlFlow<()>) -> Result<(), ImportRefusal> {
    if wish.is_break() { Err(ImportRefusal::Stopped) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::ReadAhead;
    use crate::ports::import_source::{ImportItem, ImportRefusal, ImportSource, ReadProgress, Rejection};
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Returns one record per batch forever, or panics after some.
    struct EndlessSource {
        given: Arc<AtomicU64>,
        panics_at: u64,
    }

    impl ImportSource for EndlessSource {
        fn read_batch(
            &mut self,
            _: usize,
            progress: ReadProgress<'_>,
        ) -> Result<Vec<ImportItem>, ImportRefusal> {
            let given = self.given.fetch_add(1, Ordering::SeqCst) + 1;
            assert!(given < self.panics_at, "the reader's own mistake");
            if progress(given).is_break() {
                return Err(ImportRefusal::Stopped);
            }
            let rejection = Rejection { place: format!("line {given}"), reason: "no record".to_owned() };
            Ok(vec![ImportItem::Rejected(rejection)])
        }

        fn check(&mut self, _: ReadProgress<'_>) -> Result<(), ImportRefusal> {
            Ok(())
        }

        fn bytes_read(&self) -> u64 {
            self.given.load(Ordering::SeqCst)
        }
    }

    fn endless(panics_at: u64) -> (Arc<AtomicU64>, ReadAhead) {
        let given = Arc::new(AtomicU64::new(0));
        let source = EndlessSource { given: Arc::clone(&given), panics_at };
        (given, ReadAhead::begin(Box::new(source), 1).unwrap())
    }

    #[test]
    fn reading_is_at_most_one_queued_and_one_current_batch_ahead() {
        let (given, reading) = endless(u64::MAX);
        for stored in 1..200 {
            let (_, bytes) = reading.next_batch(&|_| ControlFlow::Continue(())).unwrap().unwrap();
            assert!(bytes >= stored);
            assert!(given.load(Ordering::SeqCst) <= stored + 2);
        }
    }

    #[test]
    fn a_reader_that_was_never_asked_for_a_batch_stops_when_dropped() {
        let (given, reading) = endless(u64::MAX);
        drop(reading);
        assert_eq!(Arc::strong_count(&given), 1);
        let reference = Arc::new(());
        drop(ReadAhead::begin(Box::new(Silent { _reference: Arc::clone(&reference) }), 1).unwrap());
        assert_eq!(Arc::strong_count(&reference), 1);
    }

    #[test]
    fn a_dropped_reader_stops() {
        let (given, reading) = endless(u64::MAX);
        reading.next_batch(&|_| ControlFlow::Continue(())).unwrap();
        drop(reading);
        // The thread holds the other reference until it ends.
        assert_eq!(Arc::strong_count(&given), 1);
    }

    /// Reports progress forever, and returns no record.
    struct Silent {
        _reference: Arc<()>,
    }

    impl ImportSource for Silent {
        fn read_batch(
            &mut self,
            _: usize,
            progress: ReadProgress<'_>,
        ) -> Result<Vec<ImportItem>, ImportRefusal> {
            while progress(1).is_continue() {}
            Err(ImportRefusal::Stopped)
        }

        fn check(&mut self, _: ReadProgress<'_>) -> Result<(), ImportRefusal> {
            Ok(())
        }

        fn bytes_read(&self) -> u64 {
            1
        }
    }

    #[test]
    fn a_break_stops_a_reader_that_returns_no_record() {
        let reference = Arc::new(());
        let reading = ReadAhead::begin(Box::new(Silent { _reference: Arc::clone(&reference) }), 1).unwrap();
        assert_eq!(reading.next_batch(&|_| ControlFlow::Break(())), Err(ImportRefusal::Stopped));
        drop(reading);
        assert_eq!(Arc::strong_count(&reference), 1);
    }

    #[test]
    fn a_panic_of_the_reader_is_not_treated_as_the_end_of_the_file() {
        let (_, reading) = endless(3);
        let outcome = std::iter::from_fn(|| reading.next_batch(&|_| ControlFlow::Continue(())).transpose())
            .find(Result::is_err);
        assert_eq!(outcome, Some(Err(ImportRefusal::Unreadable("the reader stopped".to_owned()))));
    }
}
