//! Schedule of the retries of failed deliveries.

use chrono::TimeDelta;

/// Pauses in seconds after each failed attempt: 5 s, 5 min, 30 min, then 2, 5, 10, 14, 20 and 24 h.
const PAUSES: [i64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// Number of attempts before an endpoint is disabled.
pub const MAX_ATTEMPTS: u32 = 10;

/// Largest pause that a receiver can ask for.
const LONGEST_RETRY_AFTER: TimeDelta = TimeDelta::hours(24);

/// Returns the pause after the `failed`-th failed attempt (from 1); `None` after the last.
///
/// `jitter` is random and lengthens the pause by up to a tenth, so that retries do not all reach a receiver
/// at once. `asked_for` is the receiver's `Retry-After`, which lengthens a pause to at most a day.
pub fn retry_delay(failed: u32, jitter: u8, asked_for: Option<TimeDelta>) -> Option<TimeDelta> {
    let index = usize::try_from(failed.checked_sub(1)?).ok()?;
    let pause = *PAUSES.get(index)?;
    let jittered = TimeDelta::milliseconds(pause * 1_000 + pause * 100 * i64::from(jitter) / 255);
    Some(asked_for.map_or(jittered, |asked_for| jittered.max(asked_for.min(LONGEST_RETRY_AFTER))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Standard Webhooks, Deliverability.
    #[test]
    fn ten_attempts_take_75_hours_and_35_minutes_without_jitter() {
        let pauses: Vec<_> = (1..).map_while(|failed| retry_delay(failed, 0, None)).collect();
        assert_eq!(u32::try_from(pauses.len()).unwrap() + 1, MAX_ATTEMPTS);
        assert_eq!(pauses[..3], [TimeDelta::seconds(5), TimeDelta::minutes(5), TimeDelta::minutes(30)]);
        let total: TimeDelta = pauses.into_iter().sum();
        assert_eq!(total, TimeDelta::hours(75) + TimeDelta::minutes(35) + TimeDelta::seconds(5));
        assert_eq!(retry_delay(0, 0, None), None);
    }

    proptest! {
        /// Standard Webhooks, Deliverability.
        #[test]
        fn jitter_lengthens_by_at_most_a_tenth(
            failed in 1_u32..MAX_ATTEMPTS,
            jitter in any::<u8>(),
        ) {
            let (plain, jittered) = (retry_delay(failed, 0, None).unwrap(), retry_delay(failed, jitter, None).unwrap());
            prop_assert!(plain <= jittered && jittered <= plain + plain / 10);
        }
    }

    /// Standard Webhooks, Deliverability.
    #[test]
    fn a_receiver_can_only_lengthen_the_pause_and_at_most_to_a_day() {
        let delay = |failed, hours| retry_delay(failed, 0, Some(TimeDelta::hours(hours))).unwrap();
        assert_eq!(delay(1, 1), TimeDelta::hours(1));
        assert_eq!(delay(1, 1_000), TimeDelta::hours(24));
        assert_eq!(delay(9, 1), TimeDelta::hours(24));
    }
}
