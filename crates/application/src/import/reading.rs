//! Reads a file ahead of what stores it.

use crate::ports::import_source::{ImportItem, ImportRefusal, ImportSource};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// How many batches wait at most: with the one that is stored and the one that is read, three are held.
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
/// Dropped, it lets the thread go, which ends with the batch that it is at.
pub(super) struct ReadAhead {
    steps: Receiver<Result<Step, ImportRefusal>>,
}

impl ReadAhead {
    /// Begins to read batches of at most so many records.
    pub(super) fn begin(source: Box<dyn ImportSource>, limit: usize) -> Result<Self, ImportRefusal> {
        let (sender, steps) = sync_channel(AHEAD);
        thread::Builder::new()
            .name("import".to_owned())
            .spawn(move || read(source, limit, &sender))
            .map_err(|error| ImportRefusal::Unreadable(error.kind().to_string()))?;
        Ok(Self { steps })
    }

    /// Waits for the next batch, with the bytes that are read after it; absent at the end. Blocks the thread.
    pub(super) fn next_batch(
        &self,
        told: &dyn Fn(u64),
    ) -> Result<Option<(Vec<ImportItem>, u64)>, ImportRefusal> {
        loop {
            // A thread that is gone without a word has panicked, which must not look like the end of the file.
            let gone = || Err(ImportRefusal::Unreadable("the reader stopped".to_owned()));
            match self.steps.recv().unwrap_or_else(|_| gone())? {
                Step::Told(bytes) => told(bytes),
                Step::Batch(items, bytes) => return Ok(Some((items, bytes))),
                Step::End => return Ok(None),
            }
        }
    }
}

/// Reads to the end, or until nobody listens.
fn read(mut source: Box<dyn ImportSource>, limit: usize, steps: &SyncSender<Result<Step, ImportRefusal>>) {
    loop {
        let mut tell = |bytes| {
            // Nobody waits for every one of these; and who is gone is found out with the batch.
            let _ = steps.try_send(Ok(Step::Told(bytes)));
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
    use crate::ports::import_source::{ImportItem, ImportRefusal, ImportSource, Rejection};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Gives one record a batch for ever, or panics after some.
    struct Endless {
        given: Arc<AtomicU64>,
        panics_at: u64,
    }

    impl ImportSource for Endless {
        fn next_batch_telling(
            &mut self,
            _: usize,
            told: &mut dyn FnMut(u64),
        ) -> Result<Vec<ImportItem>, ImportRefusal> {
            let given = self.given.fetch_add(1, Ordering::SeqCst) + 1;
            assert!(given < self.panics_at, "the reader's own mistake");
            told(given);
            let rejection = Rejection { place: format!("line {given}"), reason: "no record".to_owned() };
            Ok(vec![ImportItem::Rejected(rejection)])
        }

        fn check_telling(&mut self, _: &mut dyn FnMut(u64)) -> Result<(), ImportRefusal> {
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
            let (_, bytes) = reading.next_batch(&|_| ()).unwrap().unwrap();
            assert!(bytes >= stored);
            assert!(given.load(Ordering::SeqCst) <= stored + 2);
        }
    }

    #[test]
    fn whoever_stops_listening_stops_the_reader() {
        let (given, reading) = endless(u64::MAX);
        reading.next_batch(&|_| ()).unwrap();
        drop(reading);
        // The thread holds the other half of the counter until it ends.
        while Arc::strong_count(&given) > 1 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_reader_that_panics_is_not_taken_for_the_end_of_the_file() {
        let (_, reading) = endless(3);
        let outcome = std::iter::from_fn(|| reading.next_batch(&|_| ()).transpose()).find(Result::is_err);
        assert_eq!(outcome, Some(Err(ImportRefusal::Unreadable("the reader stopped".to_owned()))));
    }
}
