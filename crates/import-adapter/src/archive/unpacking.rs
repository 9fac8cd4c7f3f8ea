//! How much packed data become.

use std::fmt;

/// What may be unpacked before anything is said about it.
const FREE: u64 = 64 * 1024 * 1024;
/// The most that data may grow: exports of Apple Health, which repeat themselves most, reach 30.
const RATIO_LIMIT: u64 = 200;

/// Bytes as they are packed, and what they became.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Unpacking {
    pub(super) packed: u64,
    pub(super) unpacked: u64,
}

impl Unpacking {
    /// Returns whether somebody wants to keep a machine busy with little.
    pub(super) const fn is_a_bomb(self) -> bool {
        self.unpacked > FREE && self.unpacked / RATIO_LIMIT > self.packed
    }

    /// Adds another entry.
    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            packed: self.packed.saturating_add(other.packed),
            unpacked: self.unpacked.saturating_add(other.unpacked),
        }
    }
}

/// How much may be unpacked of one file that somebody brings, whatever it holds.
///
/// The ratio alone lets 512 MiB become 100 GiB, and one person's upload keep a server busy for an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    most: u64,
    left: u64,
}

impl Bound {
    /// No bound.
    pub(super) const NONE: Self = Self::of(u64::MAX);

    /// Bounds everything together.
    pub(super) const fn of(most: u64) -> Self {
        Self { most, left: most }
    }

    /// Tells what is left after so much.
    pub(super) const fn after(self, unpacked: u64) -> Self {
        Self { left: self.left.saturating_sub(unpacked), ..self }
    }

    /// Returns whether so much is more than is left.
    pub(super) const fn is_passed_by(self, unpacked: u64) -> bool {
        unpacked > self.left
    }
}

/// Goes on after a subject.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unpacks to more than {} MiB, the most that this server takes", self.most >> 20)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Unpacking};

    #[test]
    fn a_bound_is_that_of_all_together() {
        let bound = Bound::of(10).after(4);
        assert!(!bound.is_passed_by(6) && bound.is_passed_by(7));
        assert!(bound.after(100).is_passed_by(1) && !Bound::NONE.is_passed_by(u64::MAX));
    }

    #[test]
    fn two_hundred_times_is_too_much_and_only_beyond_the_first_64_mebibytes() {
        let of = |packed, unpacked| Unpacking { packed, unpacked }.is_a_bomb();
        assert!(!of(1, 64 << 20) && of(1, (64 << 20) + 1));
        assert!(!of(1 << 20, 200 << 20) && of(1 << 20, 201 << 20));
        assert!(!of(u64::MAX, u64::MAX) && of(0, u64::MAX));
    }
}
