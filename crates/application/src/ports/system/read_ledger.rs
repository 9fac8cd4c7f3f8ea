//! The sums of reads that are not stored yet.

use domain::read_tally::ReadTally;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Adds up reads in the process, so that no read waits for its audit (at most one second is lost in a crash).
#[cfg_attr(feature = "test-support", automock)]
pub trait ReadLedger: Send + Sync {
    /// Adds a sum to what is held; quick, and never waits for the store.
    fn add(&self, tally: ReadTally);
    /// Takes everything that is held, each key once (MUST), in no order; what is added from now on is held for the
    /// next time. Of reads that are added meanwhile, each MUST be in this list or in the next, never in both or none.
    fn take(&self) -> Vec<ReadTally>;
}
