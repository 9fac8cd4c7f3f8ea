//! Recorded reads of a test.

use application::ports::system::ReadLedger;
use domain::read_tally::ReadTally;
use std::sync::Mutex;

/// Records each read, in order.
#[derive(Default)]
pub(crate) struct HeldReads(Mutex<Vec<ReadTally>>);

impl ReadLedger for HeldReads {
    fn add(&self, tally: ReadTally) {
        self.0.lock().unwrap().push(tally);
    }

    fn take(&self) -> Vec<ReadTally> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}
