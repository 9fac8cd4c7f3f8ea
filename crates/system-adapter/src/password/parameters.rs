//! Cost parameters of a hash.

use argon2::Params;
use std::ops::RangeInclusive;

/// Bytes of a salt and of a hash, as RFC 9106 section 4 recommends.
pub(super) const SALT_BYTES: usize = 16;
pub(super) const HASH_BYTES: usize = 32;

/// Costs of one argon2id hash, at least what OWASP recommends (decisions 10) and at most what a server can
/// bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashParameters {
    memory_kib: u32,
    iterations: u32,
    parallelism: u32,
}

/// Which cost parameter is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHashParameters {
    /// The memory.
    #[error("the memory of a password hash must be 19456 to 1048576 KiB")]
    Memory,
    /// The iterations.
    #[error("the iterations of a password hash must be 2 to 100")]
    Iterations,
    /// The parallelism.
    #[error("the parallelism of a password hash must be 1 to 16")]
    Parallelism,
    /// Memory times iterations: one hash would take seconds.
    #[error("memory times iterations of a password hash must be at most 4194304 KiB")]
    Work,
}

impl HashParameters {
    /// Valid memory in KiB: 19 MiB to 1 GiB.
    pub const MEMORY_KIB: RangeInclusive<u32> = 19_456..=1_048_576;
    /// Valid iterations.
    pub const ITERATIONS: RangeInclusive<u32> = 2..=100;
    /// Valid parallelism.
    pub const PARALLELISM: RangeInclusive<u32> = 1..=16;
    /// Maximum of memory times iterations, in KiB: about two seconds of one core.
    pub const MAX_WORK_KIB: u64 = 4_194_304;
    /// Minimum of OWASP's password storage cheat sheet, and the default: 19 MiB, 2 iterations, 1 lane.
    pub const MINIMUM: Self = Self { memory_kib: 19_456, iterations: 2, parallelism: 1 };

    /// Validates the parameters.
    pub fn new(memory_kib: u32, iterations: u32, parallelism: u32) -> Result<Self, InvalidHashParameters> {
        if !Self::MEMORY_KIB.contains(&memory_kib) {
            return Err(InvalidHashParameters::Memory);
        }
        if !Self::ITERATIONS.contains(&iterations) {
            return Err(InvalidHashParameters::Iterations);
        }
        if !Self::PARALLELISM.contains(&parallelism) {
            return Err(InvalidHashParameters::Parallelism);
        }
        if cost_kib(memory_kib, iterations) > Self::MAX_WORK_KIB {
            return Err(InvalidHashParameters::Work);
        }
        Ok(Self { memory_kib, iterations, parallelism })
    }

    /// Creates hashes that cost next to nothing, for tests.
    #[cfg(any(test, feature = "test-support"))]
    pub const fn cheapest() -> Self {
        Self { memory_kib: 64, iterations: 1, parallelism: 1 }
    }

    /// Returns the memory of one hash in KiB.
    pub const fn memory_kib(&self) -> u32 {
        self.memory_kib
    }

    /// Returns the number of passes over the memory.
    pub const fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Returns the number of lanes. They run one after the other here, so more lanes only help attackers with
    /// parallel hardware; 1 is a good choice.
    pub const fn parallelism(&self) -> u32 {
        self.parallelism
    }

    pub(super) fn to_argon2(self) -> Result<Params, argon2::Error> {
        Params::new(self.memory_kib, self.iterations, self.parallelism, Some(HASH_BYTES))
    }
}

impl Default for HashParameters {
    fn default() -> Self {
        Self::MINIMUM
    }
}

/// Returns the KiB processed per hash, which determine its duration.
pub(super) const fn cost_kib(memory_kib: u32, iterations: u32) -> u64 {
    // The product of two 32-bit numbers fits.
    memory_kib as u64 * iterations as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_than_owasp_recommends_is_refused_by_the_name_of_the_cost() {
        for (memory_kib, iterations, parallelism, refused) in [
            (19_455, 2, 1, InvalidHashParameters::Memory),
            (19_456, 1, 1, InvalidHashParameters::Iterations),
            (19_456, 2, 0, InvalidHashParameters::Parallelism),
        ] {
            assert_eq!(HashParameters::new(memory_kib, iterations, parallelism), Err(refused));
        }
        assert_eq!(HashParameters::new(19_456, 2, 1), Ok(HashParameters::default()));
    }

    #[test]
    fn more_than_a_server_bears_is_refused() {
        for (memory_kib, iterations, parallelism, refused) in [
            (1_048_577, 2, 1, InvalidHashParameters::Memory),
            (19_456, 101, 1, InvalidHashParameters::Iterations),
            (19_456, 2, 17, InvalidHashParameters::Parallelism),
            (1_048_576, 5, 1, InvalidHashParameters::Work),
        ] {
            assert_eq!(HashParameters::new(memory_kib, iterations, parallelism), Err(refused));
        }
        assert!(HashParameters::new(1_048_576, 4, 16).is_ok());
    }
}
