//! Shares of a bound, so that no single app or person uses all of it.

use domain::id::UserId;
use domain::read_tally::Reader;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The app, token or person that a share belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    Person(UserId),
    Reader(Reader),
}

/// Amounts in use by owner; owners that use nothing are not listed.
#[derive(Clone, Default)]
pub(super) struct OwnerShares(Arc<Mutex<HashMap<Owner, u32>>>);

/// An amount in use by one owner, released on drop.
pub(crate) struct Share {
    shares: OwnerShares,
    owner: Owner,
    amount: u32,
}

impl OwnerShares {
    /// Takes an amount for an owner that may use `most` in all; never waits. A single larger amount counts as
    /// `most`.
    pub(super) fn take(&self, owner: Owner, amount: u32, most: u32) -> Option<Share> {
        let amount = amount.min(most);
        let mut in_use = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let used = in_use.get(&owner).copied().unwrap_or_default();
        let total = used.checked_add(amount).filter(|total| *total <= most)?;
        in_use.insert(owner, total);
        Some(Share { shares: self.clone(), owner, amount })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut in_use = self.shares.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(used) = in_use.get_mut(&self.owner) {
            *used = used.saturating_sub(self.amount);
            if *used == 0 {
                in_use.remove(&self.owner);
            }
        }
    }
}

/// Omits the owners.
impl fmt::Debug for OwnerShares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnerShares")
    }
}

/// Omits the owner.
impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Share")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn person(number: u128) -> Owner {
        Owner::Person(UserId::from_uuid(Uuid::from_u128(number)))
    }

    #[test]
    fn an_owner_with_a_full_share_does_not_affect_others() {
        let shares = OwnerShares::default();
        let held = [shares.take(person(1), 1, 2), shares.take(person(1), 1, 2)];
        assert!(held.iter().all(Option::is_some));
        assert!(shares.take(person(1), 1, 2).is_none());
        assert!(shares.take(person(2), 2, 2).is_some());
        drop(held);
        assert!(shares.take(person(1), 2, 2).is_some());
    }

    #[test]
    fn an_amount_above_the_share_is_allowed_alone() {
        let shares = OwnerShares::default();
        let heavy = shares.take(person(1), 9, 2).unwrap();
        assert!(shares.take(person(1), 1, 2).is_none());
        drop(heavy);
        let light = shares.take(person(1), 1, 2).unwrap();
        assert!(shares.take(person(1), 9, 2).is_none());
        drop(light);
    }

    #[test]
    fn owners_without_a_share_are_not_kept() {
        let shares = OwnerShares::default();
        drop(shares.take(person(1), 1, 1));
        assert!(shares.0.lock().unwrap().is_empty());
    }
}
