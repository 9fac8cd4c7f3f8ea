//! How much packed data become.

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
    /// Tells whether somebody wants to keep a machine busy with little.
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

#[cfg(test)]
mod tests {
    use super::Unpacking;

    #[test]
    fn two_hundred_times_is_too_much_and_only_beyond_the_first_64_mebibytes() {
        let of = |packed, unpacked| Unpacking { packed, unpacked }.is_a_bomb();
        assert!(!of(1, 64 << 20) && of(1, (64 << 20) + 1));
        assert!(!of(1 << 20, 200 << 20) && of(1 << 20, 201 << 20));
        assert!(!of(u64::MAX, u64::MAX) && of(0, u64::MAX));
    }
}
