//! A deterministic pseudo-random number generator.

/// `SplitMix64`: one addition and two mixing steps per number; sufficient to vary the demo's nights only.
pub(super) struct Sequence(u64);

impl Sequence {
    /// Starts a sequence from a seed.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from `low` to `high`, both inclusive.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low + 1).unwrap_or(1).max(1);
        low + i64::try_from(self.next() % span).unwrap_or(0)
    }

    /// Returns `true` once in `times` calls on average.
    pub(super) fn once_in(&mut self, times: i64) -> bool {
        self.between(1, times) == 1
    }
}
