//! Counters of failed attempts.

use crate::Harness;
use crate::fixture::{microsecond, now, seconds};
use application::ports::storage::{FailureCount, FailureKey};
use chrono::{DateTime, TimeDelta, Utc};

fn key(number: u8) -> FailureKey {
    FailureKey([number; 32])
}

fn window() -> TimeDelta {
    TimeDelta::minutes(10)
}

async fn fail(harness: &Harness, key: FailureKey, at: DateTime<Utc>) -> FailureCount {
    harness.failures.record_failure(&[key], at, window()).await.unwrap()[0]
}

pub(crate) async fn failures_are_counted_for_each_key_in_the_order_of_the_keys(harness: &Harness) {
    fail(harness, key(2), now()).await;
    fail(harness, key(2), seconds(1)).await;
    let counts =
        harness.failures.record_failure(&[key(3), key(2), key(1)], seconds(2), window()).await.unwrap();
    let count = |count, began_at: DateTime<Utc>| FailureCount { count, window_ends_at: began_at + window() };
    assert_eq!(counts, [count(1, seconds(2)), count(3, now()), count(1, seconds(2))]);
    assert_eq!(harness.failures.record_failure(&[], now(), window()).await.unwrap(), []);
    let twice = harness.failures.record_failure(&[key(4), key(4)], now(), window()).await.unwrap();
    assert_eq!(twice[1], count(2, now()));
}

pub(crate) async fn a_window_begins_with_the_first_failure_and_ends(harness: &Harness) {
    let end = now() + window();
    assert_eq!(fail(harness, key(1), now()).await, FailureCount { count: 1, window_ends_at: end });
    let last = end - microsecond();
    assert_eq!(fail(harness, key(1), last).await, FailureCount { count: 2, window_ends_at: end });
    let again = FailureCount { count: 1, window_ends_at: end + window() };
    assert_eq!(fail(harness, key(1), end).await, again);
    assert_eq!(fail(harness, key(1), end + microsecond()).await, FailureCount { count: 2, ..again });
}

pub(crate) async fn racing_failures_are_all_counted(harness: &Harness) {
    let tasks: Vec<_> = (0..40)
        .map(|number| {
            let harness = harness.clone();
            // In both orders, which would deadlock a store that locks in the given order.
            let keys = if number % 2 == 0 { [key(1), key(2)] } else { [key(2), key(1)] };
            tokio::spawn(
                async move { harness.failures.record_failure(&keys, now(), window()).await.unwrap() },
            )
        })
        .collect();
    let mut counts = Vec::new();
    for (number, task) in (0..).zip(tasks) {
        let of_first_key: usize = number % 2;
        counts.push(task.await.unwrap()[of_first_key].count);
    }
    counts.sort_unstable();
    assert_eq!(counts, (1..=40_u32).collect::<Vec<_>>());
    assert_eq!(fail(harness, key(1), now()).await.count, 41);
    assert_eq!(fail(harness, key(2), now()).await.count, 41);
}

pub(crate) async fn a_failure_is_uncounted_in_its_own_window_and_never_below_zero(harness: &Harness) {
    let uncount = async |numbers: &[u8], at| {
        let keys: Vec<_> = numbers.iter().map(|number| key(*number)).collect();
        harness.failures.uncount(&keys, at).await.unwrap();
    };
    fail(harness, key(1), now()).await;
    fail(harness, key(1), seconds(1)).await;
    fail(harness, key(2), seconds(1)).await;
    uncount(&[2, 1, 3], seconds(1)).await;
    // The first has one left, the second none, and the third never had any.
    assert_eq!(fail(harness, key(1), seconds(2)).await.count, 2);
    uncount(&[2], seconds(2)).await;
    assert_eq!(fail(harness, key(2), seconds(2)).await.count, 1);
    assert_eq!(fail(harness, key(3), seconds(2)).await.count, 1);
    // A failure of the previous window is not subtracted from this one.
    let next = now() + window();
    assert_eq!(fail(harness, key(1), next).await.count, 1);
    uncount(&[1], next - microsecond()).await;
    assert_eq!(fail(harness, key(1), next).await.count, 2);
    uncount(&[], next).await;
}

pub(crate) async fn a_failure_counted_after_a_later_one_can_be_uncounted(harness: &Harness) {
    let end = now() + window();
    fail(harness, key(1), now() + microsecond()).await;
    let earlier = fail(harness, key(1), now()).await;
    assert_eq!(earlier, FailureCount { count: 2, window_ends_at: end });
    harness.failures.uncount(&[key(1)], now()).await.unwrap();
    assert_eq!(fail(harness, key(1), seconds(1)).await, FailureCount { count: 2, window_ends_at: end });
}

pub(crate) async fn concurrent_failures_that_are_uncounted_leave_no_count(harness: &Harness) {
    let tasks: Vec<_> = (0..40)
        .map(|number| {
            let harness = harness.clone();
            let keys = if number % 2 == 0 { [key(1), key(2)] } else { [key(2), key(1)] };
            tokio::spawn(async move {
                harness.failures.record_failure(&keys, now(), window()).await.unwrap();
                harness.failures.uncount(&keys, now()).await.unwrap();
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(fail(harness, key(1), now()).await.count, 1);
    assert_eq!(fail(harness, key(2), now()).await.count, 1);
}

pub(crate) async fn deleted_counters_restart_and_others_stay(harness: &Harness) {
    for number in [1, 2, 3] {
        fail(harness, key(number), now()).await;
    }
    harness.failures.forget(&[key(3), key(1), key(4)]).await.unwrap();
    for (number, count) in [(1, 1), (2, 2), (3, 1), (4, 1)] {
        assert_eq!(fail(harness, key(number), seconds(1)).await.count, count, "{number}");
    }
}

pub(crate) async fn counters_whose_window_began_long_ago_are_deleted_up_to_the_limit(harness: &Harness) {
    for (number, at) in [(1, seconds(1)), (2, seconds(2)), (3, seconds(3)), (4, seconds(4))] {
        fail(harness, key(number), at).await;
    }
    assert_eq!(harness.failures.delete_stale(seconds(1), 10).await.unwrap(), 0);
    assert_eq!(harness.failures.delete_stale(seconds(4), 2).await.unwrap(), 2);
    assert_eq!(harness.failures.delete_stale(seconds(4), 2).await.unwrap(), 1);
    assert_eq!(harness.failures.delete_stale(seconds(4), 2).await.unwrap(), 0);
    assert_eq!(fail(harness, key(3), seconds(5)).await.count, 1);
    assert_eq!(fail(harness, key(4), seconds(5)).await.count, 2);
}
