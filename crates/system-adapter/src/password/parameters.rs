//! Cost parameters of a hash.

use argon2::Params;
use std::ops::RangeInclusive;

/// Bytes of a salt and of a hash, as RFC 9106 section 4 recommends.
pub(super) const SALT_BYTES: usize = 16;
pub(super) const HASH_BYTES: usize = 32;
/// Lanes of a hash. They would run one after the other here, so more of them would only help attackers with
/// parallel hardware.
const LANES: u32 = 1;

/// Costs of one argon2id hash, at least what OWASP recommends (decisions 10) and at most what a server can
/// bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashParameters {
    memory_kib: u32,
    iterations: u32,
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
    /// Memory times iterations: one hash would take seconds.
    #[error("memory times iterations of a password hash must be at most 4194304 KiB")]
    Work,
}

impl HashParameters {
    /// Valid memory in KiB: 19 MiB to 1 GiB.
    pub const MEMORY_KIB: RangeInclusive<u32> = 19_456..=1_048_576;
    /// Valid iterations.
    pub const ITERATIONS: RangeInclusive<u32> = 2..=100;
    /// Maximum of memory times iterations, in KiB: about two seconds of one core.
    pub const MAX_WORK_KIB: u64 = 4_194_304;
    /// Minimum of OWASP's password storage cheat sheet, and the default: 19 MiB, 2 iterations, 1 lane.
    pub const MINIMUM: Self = Self { memory_kib: 19_456, iterations: 2 };

    /// Validates the parameters.
    pub fn new(memory_kib: u32, iterations: u32) -> Result<Self, InvalidHashParameters> {
        if !Self::MEMORY_KIB.contains(&memory_kib) {
            return Err(InvalidHashParameters::Memory);
        }
        if !Self::ITERATIONS.contains(&iterations) {
            return Err(InvalidHashParameters::Iterations);
        }
        if cost_kib(memory_kib, iterations) > Self::MAX_WORK_KIB {
            return Err(InvalidHashParameters::Work);
        }
        Ok(Self { memory_kib, iterations })
    }

    /// Creates hashes that cost next to nothing, for tests.
    #[cfg(any(test, feature = "test-support"))]
    pub const fn cheapest() -> Self {
        Self { memory_kib: 64, iterations: 1 }
    }

    /// Returns the memory of one hash in KiB.
    pub const fn memory_kib(&self) -> u32 {
        self.memory_kib
    }

    /// Returns the number of passes over the memory.
    pub const fn iterations(&self) -> u32 {
        self.iterations
    }

    pub(super) fn to_argon2(self) -> Result<Params, argon2::Error> {
        Params::new(self.memory_kib, self.iterations, LANES, Some(HASH_BYTES))
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
    fn costs_below_owasps_minimum_are_rejected_by_name() {
        assert_eq!(HashParameters::new(19_455, 2), Err(InvalidHashParameters::Memory));
        assert_eq!(HashParameters::new(19_456, 1), Err(InvalidHashParameters::Iterations));
        assert_eq!(HashParameters::new(19_456, 2), Ok(HashParameters::default()));
    }

    #[test]
    fn excessive_costs_are_rejected() {
        assert_eq!(HashParameters::new(1_048_577, 2), Err(InvalidHashParameters::Memory));
        assert_eq!(HashParameters::new(19_456, 101), Err(InvalidHashParameters::Iterations));
        assert_eq!(HashParameters::new(1_048_576, 5), Err(InvalidHashParameters::Work));
        assert!(HashParameters::new(1_048_576, 4).is_ok());
    }
}
