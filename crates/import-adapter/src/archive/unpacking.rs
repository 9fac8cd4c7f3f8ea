//! Limits on unpacked sizes.

use std::fmt;

/// Bytes that may be unpacked regardless of the ratio.
const FREE: u64 = 64 * 1024 * 1024;
/// Maximum ratio; Apple Health exports, the most repetitive, reach 30.
const RATIO_LIMIT: u64 = 200;

/// Packed and unpacked bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Unpacking {
    pub(super) packed: u64,
    pub(super) unpacked: u64,
}

impl Unpacking {
    /// Returns whether the ratio is that of a zip bomb.
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

/// Limit on the unpacked size of one file.
///
/// The ratio alone would let 512 MiB become 100 GiB and keep a server busy for an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    most: u64,
    left: u64,
}

impl Bound {
    /// No limit.
    pub(super) const NONE: Self = Self::new(u64::MAX);

    /// Limits the total.
    pub(super) const fn new(most: u64) -> Self {
        Self { most, left: most }
    }

    /// Returns the rest of the limit after this many bytes.
    pub(super) const fn after(self, unpacked: u64) -> Self {
        Self { left: self.left.saturating_sub(unpacked), ..self }
    }

    /// Returns whether this many bytes exceed the limit.
    pub(super) const fn is_passed_by(self, unpacked: u64) -> bool {
        unpacked > self.left
    }
}

/// Completes a sentence about a file.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unpacks to more than {} MiB, the limit of this server", self.most >> 20)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Unpacking};

    #[test]
    fn a_bound_is_that_of_all_together() {
        let bound = Bound::new(10).after(4);
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
