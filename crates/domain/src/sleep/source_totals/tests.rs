use super::super::testing::night;
use super::{SleepMetrics, SourceTotals};
use proptest::prelude::*;
use std::time::Duration;

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(minutes * 60)
}

/// Returns the metrics of a night of 480 minutes except its time in bed, and whether totals were dropped.
fn metrics_from_totals(totals: &SourceTotals) -> (Vec<(&'static str, f64)>, bool) {
    let (metrics, dropped) = SleepMetrics::from_totals(&night(480), totals);
    (metrics.iter().skip(1).map(|(kind, value)| (kind.as_str(), value.as_f64())).collect(), dropped)
}

#[test]
fn all_totals_yield_all_metrics() {
    let totals = SourceTotals {
        asleep: Some(minutes(420)),
        awake: Some(minutes(60)),
        light: Some(minutes(240)),
        deep: Some(minutes(80)),
        rem: Some(minutes(100)),
        latency: Some(minutes(12)),
        awake_after_onset: Some(minutes(30)),
        wakeups: Some(5),
        wakeups_over_15_minutes: Some(1),
    };
    let expected = [
        ("timeNightAsleep", 25_200.0),
        ("timeNightAwake", 3_600.0),
        ("timeNightLight", 14_400.0),
        ("timeNightDeep", 4_800.0),
        ("timeNightRem", 6_000.0),
        ("percentageNightAwake", 12.5),
        ("percentageNightLight", 50.0),
        ("percentageNightDeep", 16.6667),
        ("percentageNightRem", 20.8333),
        ("percentageSleepAwake", 6.6667),
        ("percentageSleepLight", 53.3333),
        ("percentageSleepDeep", 17.7778),
        ("percentageSleepRem", 22.2222),
        ("timeSleepAwake", 1_800.0),
        ("sleepLatency", 720.0),
        ("sleepEfficiency", 87.5),
        ("sleepWakeups", 5.0),
        ("wakeupsOver15Minutes", 1.0),
    ];
    assert_eq!(metrics_from_totals(&totals), (expected.to_vec(), false));
}

#[test]
fn totals_that_are_neither_given_nor_derivable_are_left_out() {
    let asleep_alone = SourceTotals { asleep: Some(minutes(420)), ..SourceTotals::default() };
    let expected = vec![("timeNightAsleep", 25_200.0), ("sleepEfficiency", 87.5)];
    assert_eq!(metrics_from_totals(&asleep_alone), (expected, false));
    assert_eq!(metrics_from_totals(&SourceTotals::default()), (vec![], false));
}

#[test]
fn asleep_follows_from_light_deep_and_rem() {
    let stages = SourceTotals {
        light: Some(minutes(240)),
        deep: Some(minutes(0)),
        rem: Some(minutes(120)),
        ..SourceTotals::default()
    };
    let expected = vec![
        ("timeNightAsleep", 21_600.0),
        ("timeNightLight", 14_400.0),
        ("timeNightDeep", 0.0),
        ("timeNightRem", 7_200.0),
        ("percentageNightLight", 50.0),
        ("percentageNightDeep", 0.0),
        ("percentageNightRem", 25.0),
        ("sleepEfficiency", 75.0),
    ];
    assert_eq!(metrics_from_totals(&stages), (expected, false));
    let two_of_three = SourceTotals { rem: None, ..stages };
    assert!(metrics_from_totals(&two_of_three).0.iter().all(|&(name, _)| name != "timeNightAsleep"));
}

#[test]
fn stages_that_are_all_zero_were_not_distinguished() {
    let zero = Some(minutes(0));
    let totals = SourceTotals {
        asleep: Some(minutes(240)),
        light: zero,
        deep: zero,
        rem: zero,
        ..SourceTotals::default()
    };
    assert_eq!(
        metrics_from_totals(&totals),
        (vec![("timeNightAsleep", 14_400.0), ("sleepEfficiency", 50.0)], false)
    );
}

#[test]
fn totals_that_are_all_0_say_nothing_about_the_night() {
    let zero = Some(minutes(0));
    let all = SourceTotals {
        asleep: zero,
        awake: zero,
        light: zero,
        deep: zero,
        rem: zero,
        latency: zero,
        awake_after_onset: zero,
        wakeups: Some(0),
        wakeups_over_15_minutes: Some(0),
    };
    let some = SourceTotals { awake: zero, latency: zero, ..SourceTotals::default() };
    for totals in [all, some] {
        assert_eq!(metrics_from_totals(&totals), (vec![], false));
    }
}

#[test]
fn a_total_of_0_with_unexplained_time_is_unknown() {
    let totals = |asleep, awake| SourceTotals {
        asleep: Some(minutes(asleep)),
        awake: Some(minutes(awake)),
        awake_after_onset: Some(minutes(0)),
        wakeups: Some(0),
        ..SourceTotals::default()
    };
    let of_sleep = vec![("timeNightAsleep", 25_200.0), ("sleepEfficiency", 87.5)];
    assert_eq!(metrics_from_totals(&totals(420, 0)), (of_sleep, false));
    let of_wakefulness = vec![("timeNightAwake", 3_600.0), ("percentageNightAwake", 12.5)];
    assert_eq!(metrics_from_totals(&totals(0, 60)), (of_wakefulness, false));
    // Sources round to minutes.
    let rounded = metrics_from_totals(&totals(478, 0)).0;
    assert!(rounded.contains(&("timeNightAwake", 0.0)) && rounded.contains(&("sleepWakeups", 0.0)));
    // A count above 0 is known.
    let woken = SourceTotals { wakeups: Some(2), ..totals(420, 0) };
    assert!(metrics_from_totals(&woken).0.contains(&("sleepWakeups", 2.0)));
}

#[test]
fn a_stage_of_0_with_sleep_of_no_stage_is_unknown() {
    let totals = |light| SourceTotals {
        asleep: Some(minutes(420)),
        light: Some(minutes(light)),
        rem: Some(minutes(0)),
        ..SourceTotals::default()
    };
    let has_rem = |light| metrics_from_totals(&totals(light)).0.contains(&("timeNightRem", 0.0));
    assert_eq!([has_rem(300), has_rem(420)], [false, true]);
}

#[test]
fn totals_that_exceed_the_time_in_bed_are_dropped_together() {
    let contradictions = [
        SourceTotals { asleep: Some(minutes(481)), ..SourceTotals::default() },
        SourceTotals { asleep: Some(minutes(481)), awake: Some(minutes(10)), ..SourceTotals::default() },
        SourceTotals { asleep: Some(minutes(400)), awake: Some(minutes(83)), ..SourceTotals::default() },
        SourceTotals {
            asleep: Some(minutes(300)),
            light: Some(minutes(200)),
            rem: Some(minutes(103)),
            ..SourceTotals::default()
        },
        SourceTotals { asleep: Some(minutes(400)), latency: Some(minutes(83)), ..SourceTotals::default() },
        SourceTotals { asleep: Some(Duration::MAX), ..SourceTotals::default() },
        SourceTotals { wakeups: Some(2), wakeups_over_15_minutes: Some(3), ..SourceTotals::default() },
    ];
    for totals in contradictions {
        assert_eq!(metrics_from_totals(&totals), (vec![], true));
    }
}

#[test]
fn an_overrun_by_rounding_to_minutes_is_cut_from_awake() {
    let totals =
        SourceTotals { asleep: Some(minutes(450)), awake: Some(minutes(31)), ..SourceTotals::default() };
    let (metrics, dropped) = metrics_from_totals(&totals);
    assert!(!dropped);
    assert!(metrics.contains(&("timeNightAsleep", 27_000.0)));
    assert!(metrics.contains(&("timeNightAwake", 1_800.0)));
}

#[test]
fn a_night_without_sleep_has_no_sleep_period() {
    let totals = SourceTotals {
        asleep: Some(minutes(0)),
        awake: Some(minutes(480)),
        latency: Some(minutes(480)),
        wakeups: Some(0),
        ..SourceTotals::default()
    };
    let expected = vec![
        ("timeNightAsleep", 0.0),
        ("timeNightAwake", 28_800.0),
        ("percentageNightAwake", 100.0),
        ("sleepEfficiency", 0.0),
    ];
    assert_eq!(metrics_from_totals(&totals), (expected, false));
}

prop_compose! {
    fn drawn_totals()(
        millis in proptest::array::uniform7(proptest::option::of(0_u64..30_000_000)),
        wakeups in proptest::option::of(0_u32..50),
        long in proptest::option::of(0_u32..50),
    ) -> SourceTotals {
        let [asleep, awake, light, deep, rem, latency, awake_after_onset] =
            millis.map(|total| total.map(|total| Duration::from_millis(total / 3)));
        SourceTotals {
            asleep, awake, light, deep, rem, latency, awake_after_onset, wakeups, wakeups_over_15_minutes: long,
        }
    }
}

proptest! {
    #[test]
    fn metrics_of_any_totals_can_be_reported_again(totals in drawn_totals()) {
        let (metrics, _) = SleepMetrics::from_totals(&night(480), &totals);
        let reported = SleepMetrics::from_reported(&night(480), metrics.iter().collect());
        prop_assert_eq!(reported, Ok(metrics));
    }
}
