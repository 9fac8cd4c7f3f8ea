//! A deterministic pseudo-random number generator.

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// `SplitMix64`: one addition and two mixing steps per number; sufficient to vary synthetic records only.
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts the sequence of a seed, which consists of several parts.
    pub(super) fn new<const PARTS: usize>(parts: [u64; PARTS]) -> Self {
        Self(parts.into_iter().fold(0, |seed, part| mix((seed ^ part).wrapping_add(STEP))))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// Returns a number from `low` to `high`, both inclusive.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low + 1).unwrap_or(1).max(1);
        low + i64::try_from(self.next() % span).unwrap_or(0)
    }

    /// Returns `true` once in `times` calls on average.
    pub(super) fn one_in(&mut self, times: i64) -> bool {
        self.between(1, times) == 1
    }
}

const fn mix(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
