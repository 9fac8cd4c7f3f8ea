//! What an import remembers of its earlier records, in bounded memory.

use super::known_logs::MetLog;
use super::met_labels::{MetId, MetKey};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::import::RecordPosition;
use domain::supplement::Upc;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;

/// Records that an import has read, as far as remembered. A batch fills a separate one, which the import
/// takes over after the commit.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Rows and, in a dry run, keys of the records counted.
    pub(super) counted: Recent<RecordHash, ()>,
    pub(super) sessions: Recent<SleepSessionId, MetSession>,
    /// Supplements that the store has, or would have after a dry run.
    pub(super) supplements: Recent<SupplementId, ()>,
    /// Stored ids of supplements that have other ids in the file.
    pub(super) supplement_aliases: Recent<SupplementId, SupplementId>,
    /// Labels of earlier batches of a dry run, by product code.
    pub(super) unstored_codes: Recent<Upc, SupplementId>,
    /// Labels by the hashes of their ids.
    pub(super) label_ids: Recent<RecordHash, MetId>,
    /// Labels by the hashes of their keys.
    pub(super) label_keys: Recent<RecordHash, MetKey>,
    pub(super) logs: Recent<IntakeLogId, MetLog>,
    /// Stored ids of logs that have other ids in the file.
    pub(super) log_aliases: Recent<IntakeLogId, IntakeLogId>,
}

/// A session that an import has met.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MetSession {
    /// Position of the last record that has the session.
    pub(super) at: Option<RecordPosition>,
    /// Whether the import has added or changed it.
    pub(super) is_changed: bool,
}

impl Memory {
    /// Creates the memory of an import. The sizes are those of twice as many entries.
    pub(super) fn bounded() -> Self {
        Self {
            // Up to two for each record; 18 MB.
            counted: Recent::new(450_000),
            // 2 MB.
            sessions: Recent::new(10_000),
            // 47 MB, in a dry run also 17 MB for product codes.
            supplements: Recent::new(100_000),
            supplement_aliases: Recent::new(100_000),
            unstored_codes: Recent::new(100_000),
            label_ids: Recent::new(100_000),
            label_keys: Recent::new(100_000),
            // 47 MB.
            logs: Recent::new(220_000),
            log_aliases: Recent::new(220_000),
        }
    }

    /// Adds the memory of a batch.
    pub(super) fn extend(&mut self, batch: Self) {
        self.counted.extend(batch.counted);
        self.sessions.extend(batch.sessions);
        self.supplements.extend(batch.supplements);
        self.supplement_aliases.extend(batch.supplement_aliases);
        self.unstored_codes.extend(batch.unstored_codes);
        self.label_ids.extend(batch.label_ids);
        self.label_keys.extend(batch.label_keys);
        self.logs.extend(batch.logs);
        self.log_aliases.extend(batch.log_aliases);
    }
}

/// Remembers the values of the most recent keys: at most twice as many as its limit, and at least its limit
/// less those of one batch.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    limit: usize,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl<K, V> Recent<K, V> {
    fn new(limit: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), limit }
    }
}

impl<K: Eq + Hash, V> Recent<K, V> {
    /// Remembers a value of a batch under a key.
    pub(super) fn insert(&mut self, key: K, value: V) {
        self.young.insert(key, value);
    }

    /// Returns the latest value of a key.
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    fn extend(&mut self, batch: Self) {
        if self.young.len().saturating_add(batch.young.len()) > self.limit {
            self.old = mem::take(&mut self.young);
        }
        self.young.extend(batch.young);
    }
}

/// A 16-byte hash of an id or a key of any length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RecordHash(u128);

impl RecordHash {
    /// Hashes a value; the name separates values of different kinds.
    pub(super) fn new(name: &str, value: &(impl Hash + ?Sized)) -> Self {
        let half = |number: u8| {
            let mut hasher = DefaultHasher::new();
            (number, name).hash(&mut hasher);
            value.hash(&mut hasher);
            u128::from(hasher.finish())
        };
        Self((half(0) << 64) | half(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(keys: impl IntoIterator<Item = (u32, u32)>) -> Recent<u32, u32> {
        let mut batch = Recent::default();
        for (key, value) in keys {
            batch.insert(key, value);
        }
        batch
    }

    #[test]
    fn the_latest_keys_are_remembered_and_at_most_twice_the_limit() {
        let mut recent = Recent::new(100);
        for last in (10..1_000).step_by(10) {
            recent.extend(batch((last - 10..last).map(|key| (key, 2 * key))));
            assert!(recent.young.len() + recent.old.len() <= 200);
            assert!((0..last).rev().take(100).all(|key| recent.get(&key) == Some(&(2 * key))));
        }
        assert!((0..750).all(|key| recent.get(&key).is_none()));
    }

    #[test]
    fn the_latest_value_of_a_key_is_returned() {
        let mut recent = Recent::new(2);
        for latest in [(1, 10), (2, 20), (1, 30), (3, 40), (1, 50)] {
            recent.extend(batch([latest]));
            assert_eq!(recent.get(&latest.0), Some(&latest.1));
        }
        assert_eq!((recent.get(&1), recent.get(&3)), (Some(&50), Some(&40)));
    }

    #[test]
    fn hashes_depend_on_name_and_value() {
        assert_eq!(RecordHash::new("a", "x"), RecordHash::new("a", "x"));
        assert_ne!(RecordHash::new("a", "x"), RecordHash::new("b", "x"));
        assert_ne!(RecordHash::new("a", "x"), RecordHash::new("a", "y"));
    }
}
