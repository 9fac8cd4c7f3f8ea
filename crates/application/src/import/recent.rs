//! Bounded memory of an import across batches.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;

/// Remembers the most recent keys: at least `limit`, at most twice as many.
///
/// When the newer half is full, it replaces the older one, which is dropped.
#[derive(Debug)]
pub(super) struct GenerationalCache<K, V = ()> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    limit: usize,
}

impl<K: Eq + Hash, V> GenerationalCache<K, V> {
    /// Creates an empty memory for at least `limit` keys.
    pub(super) fn new(limit: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), limit }
    }

    /// Remembers a value under a key.
    pub(super) fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.limit && !self.young.contains_key(&key) {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    /// Remembers the values of a batch.
    pub(super) fn extend(&mut self, batch: Additions<K, V>) {
        batch.in_order.into_iter().for_each(|(key, value)| self.insert(key, value));
    }

    /// Returns the latest value of a key, if still remembered.
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    /// Returns whether a key is still remembered.
    pub(super) fn contains(&self, key: &K) -> bool {
        self.get(key).is_some()
    }
}

impl<K: Eq + Hash> GenerationalCache<K> {
    /// Remembers a key; returns whether it was not remembered before.
    pub(super) fn first(&mut self, key: K) -> bool {
        let first = !self.contains(&key);
        if first {
            self.insert(key, ());
        }
        first
    }
}

/// What a batch adds to a [`GenerationalCache`]. The order is kept, because it decides what is forgotten.
#[derive(Debug)]
pub(super) struct Additions<K, V> {
    in_order: Vec<(K, V)>,
    latest: HashMap<K, V>,
}

impl<K, V> Default for Additions<K, V> {
    fn default() -> Self {
        Self { in_order: Vec::new(), latest: HashMap::new() }
    }
}

impl<K: Copy + Eq + Hash, V: Copy> Additions<K, V> {
    pub(super) fn insert(&mut self, key: K, value: V) {
        self.in_order.push((key, value));
        self.latest.insert(key, value);
    }

    /// Returns the latest value of a key.
    pub(super) fn get(&self, key: &K) -> Option<V> {
        self.latest.get(key).copied()
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

    #[test]
    fn the_latest_keys_are_remembered_and_the_oldest_forgotten() {
        let mut recent = GenerationalCache::new(3);
        let first: Vec<bool> = [1, 2, 1, 3, 4, 1].map(|key| recent.first(key)).to_vec();
        assert_eq!(first, [true, true, false, true, true, false]);
        for key in 5..=7 {
            assert!(recent.first(key));
        }
        assert_eq!(
            [1, 2, 3, 4, 5, 6, 7].map(|key| recent.contains(&key)),
            [false, false, false, true, true, true, true]
        );
    }

    #[test]
    fn the_cache_never_exceeds_twice_its_limit() {
        let mut recent = GenerationalCache::new(100);
        for key in 0..1_000 {
            recent.insert(key, ());
            assert!(recent.young.len() + recent.old.len() <= 200);
            assert!((0..=key).rev().take(100).all(|key| recent.contains(&key)));
        }
    }

    #[test]
    fn the_latest_value_of_a_key_is_returned() {
        let mut recent = GenerationalCache::new(2);
        for (key, value) in [(1, 'a'), (2, 'b'), (1, 'c'), (3, 'd'), (1, 'e')] {
            recent.insert(key, value);
        }
        assert_eq!((recent.get(&1), recent.get(&2)), (Some(&'e'), Some(&'b')));
    }

    #[test]
    fn the_values_of_a_batch_are_forgotten_in_their_order() {
        let mut recent = GenerationalCache::new(100);
        let mut batch = Additions::default();
        for key in 0..1_000 {
            batch.insert(key, 2 * key);
        }
        assert_eq!((batch.get(&7), batch.get(&1_000)), (Some(14), None));
        recent.extend(batch);
        assert!((900..1_000).all(|key| recent.get(&key) == Some(&(2 * key))));
        assert!((0..800).all(|key| !recent.contains(&key)));
    }

    #[test]
    fn hashes_depend_on_name_and_value() {
        assert_eq!(RecordHash::new("a", "x"), RecordHash::new("a", "x"));
        assert_ne!(RecordHash::new("a", "x"), RecordHash::new("b", "x"));
        assert_ne!(RecordHash::new("a", "x"), RecordHash::new("a", "y"));
    }
}
