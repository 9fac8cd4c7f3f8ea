//! How many places each of several has, so that none of them takes all.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// How many places each holder has; whoever has none is not listed.
#[derive(Debug)]
pub(super) struct Shares<K>(Arc<Mutex<HashMap<K, usize>>>);

/// A place of a holder, until it is dropped.
pub(crate) struct Share<K: Copy + Eq + Hash> {
    shares: Shares<K>,
    holder: K,
}

impl<K> Default for Shares<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K> Clone for Shares<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Copy + Eq + Hash> Shares<K> {
    /// Takes a place for somebody who may have so many; never waits.
    pub(super) fn enter(&self, holder: K, most: usize) -> Option<Share<K>> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = places.get(&holder).copied().unwrap_or_default();
        if taken >= most {
            return None;
        }
        places.insert(holder, taken.saturating_add(1));
        Some(Share { shares: self.clone(), holder })
    }
}

impl<K: Copy + Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut places = self.shares.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = places.get_mut(&self.holder) {
            *taken = taken.saturating_sub(1);
            if *taken == 0 {
                places.remove(&self.holder);
            }
        }
    }
}

/// Whose place it is is nobody's business.
impl<K: Copy + Eq + Hash> fmt::Debug for Share<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Share")
    }
}

#[cfg(test)]
mod tests {
    use super::Shares;

    #[test]
    fn whoever_has_their_share_waits_for_nobody_else() {
        let shares = Shares::default();
        let of_one = [shares.enter(1, 2), shares.enter(1, 2)];
        assert!(of_one.iter().all(Option::is_some));
        assert!(shares.enter(1, 2).is_none());
        assert!(shares.enter(2, 2).is_some());
        drop(of_one);
        assert!(shares.enter(1, 2).is_some());
    }

    #[test]
    fn nobody_without_a_place_is_remembered() {
        let shares = Shares::default();
        drop(shares.enter(1, 1));
        assert!(shares.0.lock().unwrap().is_empty());
    }
}
