//! Recorded reads of a test.

use application::ports::system::ReadLedger;
use domain::read_tally::ReadTally;
use std::sync::Mutex;

/// Records each read, in order.
#[derive(Default)]
pub(crate) struct RecordedReads(Mutex<Vec<ReadTally>>);

impl ReadLedger for RecordedReads {
    fn add(&self, tally: ReadTally) {
        self.0.lock().unwrap().push(tally);
    }

    fn take(&self) -> Vec<ReadTally> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}
