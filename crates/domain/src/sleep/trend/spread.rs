//! Median and quartiles, also of times of day.

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60_000;

/// Median and quartiles of some values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Number of values, at least 1.
    pub n: usize,
    /// First quartile.
    pub lower: i64,
    /// Median.
    pub median: i64,
    /// Third quartile.
    pub upper: i64,
}

impl Spread {
    /// Computes quartiles by linear interpolation between the neighbouring values (type 7 of Hyndman and
    /// Fan), rounded half up; `None` without values.
    pub fn from_values(mut values: Vec<i64>) -> Option<Self> {
        values.sort_unstable();
        let last = i64::try_from(values.len()).ok()?.checked_sub(1).filter(|last| *last >= 0)?;
        let quartile = |number: i64| {
            let (place, rest) = (number * last / 4, number * last % 4);
            let at = |place: i64| values.get(usize::try_from(place).ok()?).copied();
            let low = at(place)?;
            let high = at(place + 1).unwrap_or(low);
            Some(low + ((high - low) * rest * 2 + 4).div_euclid(8))
        };
        Some(Self { n: values.len(), lower: quartile(1)?, median: quartile(2)?, upper: quartile(3)? })
    }
}

/// Places times of day, in milliseconds, on one line around their centre, so that their order does not
/// depend on where a day begins.
///
/// The centre is the one of the times with the least total distance to the others around the clock, the
/// earliest of equal ones. It stays within the day, and the others lie at most 12 hours from it.
pub fn unroll(times: &[i64]) -> Vec<i64> {
    let total = |time: i64| -> i64 {
        let distance = |other: &i64| {
            let later = (other - time).rem_euclid(DAY);
            later.min(DAY - later)
        };
        times.iter().map(distance).sum()
    };
    let of_day = times.iter().map(|time| time.rem_euclid(DAY));
    let Some(centre) = of_day.min_by_key(|time| (total(*time), *time)) else { return Vec::new() };
    times.iter().map(|time| centre + (time - centre + DAY / 2).rem_euclid(DAY) - DAY / 2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: i64 = 3_600_000;

    fn median(times: &[i64]) -> i64 {
        Spread::from_values(unroll(times)).unwrap().median.rem_euclid(DAY)
    }

    #[test]
    fn the_median_of_times_around_any_hour_is_between_them() {
        for hour in 0..24 {
            let around = [hour * HOUR - 60_000, hour * HOUR + 60_000].map(|time| time.rem_euclid(DAY));
            assert_eq!(median(&around), hour * HOUR);
        }
        assert_eq!(unroll(&[]), [0_i64; 0]);
        assert_eq!(median(&[23 * HOUR]), 23 * HOUR);
    }

    #[test]
    fn one_time_far_from_the_others_does_not_move_the_centre() {
        let nights = [22 * HOUR, 23 * HOUR, 0, HOUR, 11 * HOUR];
        assert_eq!(unroll(&nights), [-2 * HOUR, -HOUR, 0, HOUR, 11 * HOUR]);
        assert_eq!(median(&nights), 0);
    }

    proptest! {
        #[test]
        fn a_median_moves_with_its_times_around_the_clock(
            first in 0..DAY,
            later in prop::collection::vec(0..DAY / 2, 1..40),
            moved in 0..DAY,
        ) {
            let times: Vec<i64> = later.iter().map(|later| (first + later).rem_euclid(DAY)).collect();
            let others: Vec<i64> = times.iter().map(|time| (time + moved).rem_euclid(DAY)).collect();
            prop_assert_eq!(median(&others), (median(&times) + moved).rem_euclid(DAY));
            // Within half a day, the median is that of the plain values.
            let plain = Spread::from_values(later).unwrap();
            prop_assert_eq!(median(&times), (first + plain.median).rem_euclid(DAY));
        }

        #[test]
        fn times_keep_their_time_of_day_and_are_at_most_a_day_apart(
            times in prop::collection::vec(-3 * DAY..3 * DAY, 0..40),
        ) {
            let placed = unroll(&times);
            prop_assert_eq!(placed.len(), times.len());
            for (placed, time) in placed.iter().zip(&times) {
                prop_assert_eq!(placed.rem_euclid(DAY), time.rem_euclid(DAY));
            }
            let ends = placed.iter().max().zip(placed.iter().min());
            prop_assert!(ends.is_none_or(|(last, first)| last - first <= DAY));
        }
    }
}
