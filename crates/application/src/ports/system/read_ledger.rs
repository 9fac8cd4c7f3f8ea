//! Read tallies that are not stored yet.

use domain::read_tally::ReadTally;
#[cfg(feature = "test-support")]
use mockall::automock;

/// Sums up reads in the process, so that no read waits for its audit (a crash loses at most one second).
#[cfg_attr(feature = "test-support", automock)]
pub trait ReadLedger: Send + Sync {
    /// Adds a tally; never blocks on the store.
    fn add(&self, tally: ReadTally);
    /// Removes and returns all tallies, each key once (MUST), unordered. A concurrently added read MUST be in
    /// this list or in the next one, never in both or neither.
    fn take(&self) -> Vec<ReadTally>;
}
