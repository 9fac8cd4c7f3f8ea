//! What the clock tells after what the store told.

use super::dial::{Dial, LONGEST_STILL};
use super::{AnchoredClock, ClockMeasurement};
use crate::clock::SystemClock;
use application::ports::storage::{StorageError, StoreClock};
use application::ports::system::Clock as _;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use std::sync::Arc;

const SECOND: i64 = 1_000_000;

/// A store that is this far ahead of the machine, or does not answer.
struct OtherClock(Option<TimeDelta>);

#[async_trait]
impl StoreClock for OtherClock {
    async fn store_now(&self) -> Result<DateTime<Utc>, StorageError> {
        self.0.map(|ahead| SystemClock.now() + ahead).ok_or(StorageError::Unavailable)
    }
}

fn clock(store_ahead: TimeDelta) -> AnchoredClock {
    AnchoredClock::new(Arc::new(OtherClock(Some(store_ahead))))
}

async fn measured(clock: &AnchoredClock) -> ClockMeasurement {
    clock.measure().await.unwrap().expect("a store that answers at once")
}

fn is_about(actual: TimeDelta, expected: TimeDelta) {
    assert!((actual - expected).abs() < TimeDelta::milliseconds(900), "{actual} is not about {expected}");
}

#[tokio::test]
async fn the_time_is_the_stores_once_it_was_measured() {
    for ahead in [TimeDelta::minutes(5), TimeDelta::minutes(-5), TimeDelta::zero()] {
        let clock = clock(ahead);
        is_about(clock.now() - SystemClock.now(), TimeDelta::zero());
        is_about(measured(&clock).await.machine_ahead, -ahead);
        is_about(clock.now() - SystemClock.now(), ahead);
        assert!(!clock.has_jumped());
    }
}

#[tokio::test]
async fn a_store_that_does_not_answer_leaves_the_time_as_it_is() {
    let clock = AnchoredClock::new(Arc::new(OtherClock(None)));
    assert!(matches!(clock.measure().await, Err(StorageError::Unavailable)));
    is_about(clock.now() - SystemClock.now(), TimeDelta::zero());
}

#[test]
fn a_measurement_that_agrees_moves_nothing_and_another_one_does() {
    let dial = Dial::new(0);
    dial.set(10 * SECOND + 40, 10 * SECOND, Some(50));
    assert_eq!(dial.read(10 * SECOND), 10 * SECOND);
    dial.set(10 * SECOND + 60, 10 * SECOND, Some(50));
    assert_eq!(dial.read(10 * SECOND), 10 * SECOND + 60);
}

#[test]
fn a_dial_that_is_a_little_fast_stands_still() {
    let dial = Dial::new(0);
    assert_eq!(dial.read(10 * SECOND), 10 * SECOND);
    dial.set(9_500_000, 10 * SECOND, Some(0));
    assert_eq!(dial.read(10 * SECOND), 10 * SECOND);
    assert_eq!(dial.read(10_400_000), 10 * SECOND);
    assert_eq!(dial.read(11 * SECOND), 10_500_000);
}

#[test]
fn a_dial_that_is_far_ahead_is_put_back_at_once() {
    let dial = Dial::new(300 * SECOND);
    assert_eq!(dial.read(SECOND), 301 * SECOND);
    dial.set(SECOND, SECOND, Some(0));
    assert_eq!(dial.read(SECOND), SECOND);
    // And never goes back by itself afterwards.
    assert_eq!(dial.read(SECOND - 1), SECOND);
}

proptest! {
    // However the measurements scatter, as long as they are true to a second.
    #[test]
    fn a_dial_that_is_about_right_never_goes_back(errors in prop::collection::vec(-400_000_i64..400_000, 1..50)) {
        let dial = Dial::new(0);
        let mut last = i64::MIN;
        for (elapsed, error) in (1_i64..).map(|step| step * 250_000).zip(errors) {
            dial.set(elapsed + error, elapsed, Some(1_000));
            let now = dial.read(elapsed);
            prop_assert!(now >= last, "{} after {}", now, last);
            prop_assert!((now - elapsed).abs() <= LONGEST_STILL);
            last = now;
        }
    }
}
