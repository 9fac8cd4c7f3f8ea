//! Reads and requests that are not stored yet.

use domain::client_usage::ClientUsage;
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

/// Sums up requests in the process, so that none waits for the store (a crash loses at most one second).
pub trait UsageLedger: Send + Sync {
    /// Adds a sum; never blocks on the store.
    fn add(&self, usage: ClientUsage);
    /// Removes and returns all sums, each key once (MUST), unordered. A concurrently added request MUST be in
    /// this list or in the next one, never in both or neither.
    fn take(&self) -> Vec<ClientUsage>;
}
