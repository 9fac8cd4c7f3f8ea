//! Measures this machine and proposes hash parameters.

use super::memory::HashMemory;
use super::parameters::{HashParameters, cost_kib};
use super::stored_hash;
use application::ports::system::PasswordHashingError;
use domain::password::Password;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Maximum proposed memory per hash. Beyond it iterations increase, because several hashes run at a time and
/// the server needs memory for other things.
const MAX_PROPOSED_KIB: u32 = 262_144;

/// Memory is proposed in whole MiB.
const STEP_KIB: u32 = 1024;

/// Maximum number of corrections of a proposal. Time does not grow linearly with memory because of caches.
const CORRECTIONS: usize = 6;

/// Measurements per proposal; the fastest is used, because the others were disturbed.
const MEASUREMENTS: usize = 5;

/// Proposed parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calibration {
    /// The parameters.
    pub parameters: HashParameters,
    /// Duration of one hash with them.
    pub took: Duration,
}

/// Measures hashes on this machine and proposes the most expensive parameters within the target: memory
/// first, then iterations, with one lane. A machine that is too slow for that gets
/// [`HashParameters::MINIMUM`].
///
/// Keeps a core busy for a few dozen times the target.
pub fn calibrate(target: Duration) -> Result<Calibration, PasswordHashingError> {
    let password = Password::parse("a password to measure with").map_err(|_| PasswordHashingError::Failed)?;
    let mut memory = HashMemory::default();
    propose(target, |parameters| {
        let mut quickest = Duration::MAX;
        for _ in 0..MEASUREMENTS {
            let started = Instant::now();
            stored_hash::hash(&password, parameters, &mut memory)?;
            quickest = quickest.min(started.elapsed());
        }
        Ok(quickest)
    })
}

/// Searches for the proposal by measuring.
fn propose<E>(
    target: Duration,
    mut measure: impl FnMut(HashParameters) -> Result<Duration, E>,
) -> Result<Calibration, E> {
    let mut measured = |parameters| measure(parameters).map(|took| Calibration { parameters, took });
    let mut best = measured(HashParameters::MINIMUM)?;
    let mut latest = best;
    // Smallest memory that was too slow.
    let mut too_much = MAX_PROPOSED_KIB + STEP_KIB;
    for _ in 0..CORRECTIONS {
        let next = with_memory(next_memory(latest, target, best.parameters.memory_kib()..too_much));
        if next == best.parameters {
            break;
        }
        latest = measured(next)?;
        if latest.took > target {
            too_much = next.memory_kib();
        }
        best = better(best, latest, target);
    }
    let next = with_iterations_scaled(best, target);
    if best.parameters.memory_kib() == MAX_PROPOSED_KIB && next != best.parameters {
        best = better(best, measured(next)?, target);
    }
    Ok(best)
}

/// Returns the more expensive proposal among those within the target; the minimum is always allowed.
fn better(best: Calibration, latest: Calibration, target: Duration) -> Calibration {
    let is_within = latest.took <= target;
    let is_dearer = work_of(latest.parameters) > work_of(best.parameters);
    if is_within && is_dearer { latest } else { best }
}

fn work_of(parameters: HashParameters) -> u64 {
    cost_kib(parameters.memory_kib(), parameters.iterations())
}

/// Returns the memory to try next, in whole steps, scaled by target over measurement. If that is known to be
/// too much, or no more than known to fit, some measurement was disturbed and the middle is tried. A result
/// below the minimum ends the search.
fn next_memory(measured: Calibration, target: Duration, between: Range<u32>) -> u32 {
    let memory_kib = measured.parameters.memory_kib();
    let scaled = scaled(memory_kib, measured.took, target);
    let next = if scaled >= between.end && between.end > MAX_PROPOSED_KIB {
        MAX_PROPOSED_KIB
    } else if scaled >= between.end || (memory_kib != between.start && scaled < between.start + STEP_KIB) {
        between.start.midpoint(between.end)
    } else {
        scaled
    };
    next - next % STEP_KIB
}

/// Returns the parameters with this memory, or the minimum if that is too little.
fn with_memory(memory_kib: u32) -> HashParameters {
    changed(memory_kib, HashParameters::MINIMUM.iterations())
}

fn with_iterations_scaled(measured: Calibration, target: Duration) -> HashParameters {
    let memory_kib = measured.parameters.memory_kib();
    let most = HashParameters::MAX_WORK_KIB / u64::from(memory_kib.max(1));
    let most = u32::try_from(most).unwrap_or(u32::MAX).min(*HashParameters::ITERATIONS.end());
    let scaled = scaled(measured.parameters.iterations(), measured.took, target);
    changed(memory_kib, scaled.clamp(*HashParameters::ITERATIONS.start(), most))
}

fn changed(memory_kib: u32, iterations: u32) -> HashParameters {
    HashParameters::new(memory_kib, iterations).unwrap_or(HashParameters::MINIMUM)
}

fn scaled(cost: u32, took: Duration, target: Duration) -> u32 {
    let scaled = u128::from(cost).saturating_mul(target.as_nanos()) / took.as_nanos().max(1);
    u32::try_from(scaled).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    const TARGET: Duration = Duration::from_millis(100);

    /// Proposes parameters for a machine with this time per KiB, plus a slowdown per MiB of memory.
    fn proposed(nanos_a_kib: u64, slowdown_a_mib: u64, target: Duration) -> Calibration {
        let took = |parameters: HashParameters| {
            let nanos = nanos_a_kib + slowdown_a_mib * u64::from(parameters.memory_kib()) / 1024;
            Duration::from_nanos(work_of(parameters) * nanos)
        };
        let Ok(found) = propose::<Infallible>(target, |parameters| Ok(took(parameters)));
        assert_eq!(found.took, took(found.parameters));
        found
    }

    #[test]
    fn memory_grows_until_the_target_is_reached() {
        // 0.5 ms per MiB and pass, as on a server of 2026: 100 MiB in two passes.
        let found = proposed(488, 0, TARGET);
        assert_eq!(found.parameters, HashParameters::new(102_400, 2).unwrap());
        assert!(found.took <= TARGET && found.took > TARGET * 9 / 10);
    }

    #[test]
    fn a_machine_slowed_by_memory_still_gets_close_to_the_target() {
        let found = proposed(400, 5, TARGET);
        assert!(found.took <= TARGET && found.took > TARGET * 8 / 10, "{found:?}");
    }

    #[test]
    fn a_slow_machine_still_gets_the_minimum() {
        for nanos in [2_600, 100_000] {
            let found = proposed(nanos, 0, TARGET);
            assert_eq!(found.parameters, HashParameters::MINIMUM);
        }
        assert!(proposed(100_000, 0, TARGET).took > TARGET);
    }

    #[test]
    fn a_fast_machine_gets_more_iterations_once_memory_suffices() {
        let found = proposed(50, 0, TARGET);
        assert_eq!(found.parameters, HashParameters::new(262_144, 7).unwrap());
    }

    #[test]
    fn a_measurement_that_was_disturbed_does_not_leave_the_proposal_far_below_the_target() {
        for disturbed in 1..=3 {
            let mut asked = 0;
            let Ok(found) = propose::<Infallible>(TARGET, |parameters| {
                asked += 1;
                let factor = if asked == disturbed { 4 } else { 1 };
                Ok(Duration::from_nanos(work_of(parameters) * 488 * factor))
            });
            assert!(found.took <= TARGET && found.took > TARGET * 7 / 10, "{disturbed}: {found:?}");
        }
    }

    #[test]
    fn a_failed_measurement_ends_it() {
        let mut left = 2;
        let found = propose(TARGET, |parameters| {
            left -= 1;
            if left == 0 { Err("no memory") } else { Ok(Duration::from_nanos(work_of(parameters) * 488)) }
        });
        assert_eq!(found, Err("no memory"));
    }

    #[test]
    fn this_machine_can_be_measured() {
        let found = calibrate(Duration::ZERO).unwrap();
        assert_eq!(found.parameters, HashParameters::MINIMUM);
        assert!(found.took > Duration::ZERO);
    }

    proptest! {
        #[test]
        fn whatever_is_measured_the_proposal_is_valid_and_the_measurements_are_few(
            times in prop::collection::vec(0u64..10_000_000_000, 1..20),
            target in 0u64..10_000_000_000,
        ) {
            let (target, mut asked) = (Duration::from_nanos(target), 0usize);
            let Ok(found) = propose::<Infallible>(target, |_| {
                asked += 1;
                Ok(Duration::from_nanos(times[asked % times.len()]))
            });
            let parameters = found.parameters;
            let again = HashParameters::new(parameters.memory_kib(), parameters.iterations());
            prop_assert_eq!(again, Ok(parameters));
            prop_assert!(found.took <= target || parameters == HashParameters::MINIMUM);
            prop_assert!(asked <= 8);
        }
    }
}
