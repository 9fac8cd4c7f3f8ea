//! Sums of reads in memory.

use application::ports::system::ReadLedger;
use chrono::TimeDelta;
use domain::read_tally::{ReadTally, TallyKey};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of locks, so that readers on different cores rarely contend.
const SHARDS: usize = 16;
/// Maximum number of sums; about 200 bytes each, 20 MB in all.
const CAPACITY: usize = 100_000;

/// Sums reads until they are stored (ADR 16).
///
/// Between two flushes, one second apart, it holds a few thousand sums. It fills up only if the store rejects
/// writes for long. Then minutes are merged into hours, which loses only the minute of a read. If that is not
/// enough, the oldest hours are dropped, counted in [`dropped`](Self::dropped) and logged.
#[derive(Debug)]
pub struct InProcessReadLedger {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
    shard_capacity: usize,
    dropped: AtomicU64,
}

/// Sums behind one lock.
type Shard = HashMap<TallyKey, ReadTally>;

impl InProcessReadLedger {
    /// Creates an empty ledger.
    pub fn new() -> Self {
        Self::with_capacity(SHARDS, CAPACITY)
    }

    fn with_capacity(shards: usize, capacity: usize) -> Self {
        Self {
            shards: (0..shards).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            shard_capacity: capacity / shards,
            dropped: AtomicU64::new(0),
        }
    }

    /// Returns the number of reads dropped since the process started.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Returns the shard of a key. It ignores the minute, so that minutes and their hour share a shard.
    fn shard(&self, key: &TallyKey) -> Option<MutexGuard<'_, Shard>> {
        let TallyKey { user_id, minute: _, reader, kind } = key;
        let hash = self.hasher.hash_one((user_id, reader, kind));
        let count = u64::try_from(self.shards.len()).ok()?;
        let place = usize::try_from(hash.checked_rem(count)?).ok()?;
        self.shards.get(place).map(lock)
    }

    /// Shrinks a full shard to at most half, so that the next read does not repeat this.
    fn make_room(&self, shard: &mut Shard) {
        for (_, tally) in std::mem::take(shard) {
            add_to(shard, of_hour(tally));
        }
        let kept = self.shard_capacity / 2;
        if shard.len() <= kept {
            tracing::warn!("the store does not accept read totals; pending totals are now merged per hour");
            return;
        }
        let mut tallies: Vec<_> = shard.drain().map(|(_, tally)| tally).collect();
        tallies.sort_unstable_by_key(|tally| Reverse(tally.key.minute));
        let oldest = tallies.split_off(kept);
        shard.extend(tallies.into_iter().map(|tally| (tally.key, tally)));
        let reads = oldest.iter().map(|tally| tally.requests).fold(0, u64::saturating_add);
        self.dropped.fetch_add(reads, Ordering::Relaxed);
        tracing::warn!(
            reads,
            sums = oldest.len(),
            "reads are missing from the audit trail: the store does not accept read totals"
        );
    }
}

impl Default for InProcessReadLedger {
    fn default() -> Self {
        Self::new()
    }
}

impl ReadLedger for InProcessReadLedger {
    fn add(&self, tally: ReadTally) {
        let Some(mut shard) = self.shard(&tally.key) else { return };
        if shard.len() >= self.shard_capacity && !shard.contains_key(&tally.key) {
            self.make_room(&mut shard);
        }
        add_to(&mut shard, tally);
    }

    fn take(&self) -> Vec<ReadTally> {
        let mut taken = Vec::new();
        for shard in &self.shards {
            // Taken under the lock, so that a read is in exactly one list.
            let sums = std::mem::take(&mut *lock(shard));
            taken.extend(sums.into_values());
        }
        taken
    }
}

/// Locks a shard; a panic elsewhere cannot leave one half written.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

fn add_to(shard: &mut Shard, tally: ReadTally) {
    shard.entry(tally.key).and_modify(|held| *held = held.plus(tally)).or_insert(tally);
}

/// Moves a sum to the first minute of its hour.
fn of_hour(tally: ReadTally) -> ReadTally {
    let into_hour = TimeDelta::seconds(tally.key.minute.timestamp().rem_euclid(3_600));
    ReadTally { key: TallyKey { minute: tally.key.minute - into_hour, ..tally.key }, ..tally }
}

#[cfg(test)]
mod tests;
