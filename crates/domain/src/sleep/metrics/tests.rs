use super::super::testing::{entry, hypnogram_and_frame, night};
use super::{Hypnogram, InvalidMetrics, MetricKind, MetricUnit, MetricValue, SleepMetrics};
use crate::sleep::{Stage, StageEntry};
use Stage::{Asleep, Awake, Deep, Light, Rem, Unknown};
use proptest::prelude::*;

fn compute_metrics(minutes: i64, entries: Vec<StageEntry>) -> SleepMetrics {
    let frame = night(minutes);
    SleepMetrics::from_hypnogram(&frame, &Hypnogram::new(entries, &frame).unwrap())
}

fn listed(metrics: &SleepMetrics) -> Vec<(&'static str, f64)> {
    metrics.iter().map(|(kind, value)| (kind.as_str(), value.as_f64())).collect()
}

fn value(number: f64) -> MetricValue {
    MetricValue::from_f64(number).unwrap()
}

/// 20 minutes to fall asleep, two awakenings (one of two entries, 15 minutes together), 10 minutes UNKNOWN,
/// 10 without an entry, 30 awake at the end.
fn night_of_all_stages() -> Vec<StageEntry> {
    vec![
        entry(Awake, 0, 20),
        entry(Light, 20, 80),
        entry(Deep, 80, 140),
        entry(Awake, 140, 145),
        entry(Rem, 145, 205),
        entry(Awake, 205, 215),
        entry(Awake, 215, 220),
        entry(Light, 220, 400),
        entry(Unknown, 400, 410),
        entry(Asleep, 410, 440),
        entry(Awake, 450, 480),
    ]
}

#[test]
fn a_night_of_all_stages_has_all_metrics_in_the_order_of_the_api() {
    let expected = [
        ("timeNightInBed", 28_800.0),
        ("timeNightAsleep", 23_400.0),
        ("timeNightAwake", 4_200.0),
        ("timeNightLight", 14_400.0),
        ("timeNightDeep", 3_600.0),
        ("timeNightRem", 3_600.0),
        ("percentageNightAwake", 14.5833),
        ("percentageNightLight", 50.0),
        ("percentageNightDeep", 12.5),
        ("percentageNightRem", 12.5),
        ("percentageSleepAwake", 4.7619),
        ("percentageSleepLight", 57.1429),
        ("percentageSleepDeep", 14.2857),
        ("percentageSleepRem", 14.2857),
        ("timeSleepAwake", 1_200.0),
        ("sleepLatency", 1_200.0),
        ("sleepEfficiency", 81.25),
        ("sleepWakeups", 2.0),
        ("wakeupsOver15Minutes", 1.0),
    ];
    assert_eq!(listed(&compute_metrics(480, night_of_all_stages())), expected);
}

#[test]
fn a_night_of_asleep_and_awake_has_no_light_deep_or_rem() {
    let entries =
        vec![entry(Awake, 0, 10), entry(Asleep, 10, 200), entry(Awake, 200, 203), entry(Asleep, 203, 300)];
    let expected = [
        ("timeNightInBed", 18_000.0),
        ("timeNightAsleep", 17_220.0),
        ("timeNightAwake", 780.0),
        ("percentageNightAwake", 4.3333),
        ("percentageSleepAwake", 1.0345),
        ("timeSleepAwake", 180.0),
        ("sleepLatency", 600.0),
        ("sleepEfficiency", 95.6667),
        ("sleepWakeups", 1.0),
        ("wakeupsOver15Minutes", 0.0),
    ];
    assert_eq!(listed(&compute_metrics(300, entries)), expected);
}

#[test]
fn a_night_without_sleep_has_no_sleep_period() {
    let expected = [
        ("timeNightInBed", 3_600.0),
        ("timeNightAsleep", 0.0),
        ("timeNightAwake", 3_600.0),
        ("percentageNightAwake", 100.0),
        ("sleepEfficiency", 0.0),
    ];
    assert_eq!(listed(&compute_metrics(60, vec![entry(Awake, 0, 60)])), expected);
}

#[test]
fn sleep_that_may_lie_in_a_gap_is_unknown_and_not_0() {
    let expected =
        [("timeNightInBed", 3_600.0), ("timeNightAwake", 3_000.0), ("percentageNightAwake", 83.3333)];
    for rest in [vec![], vec![entry(Unknown, 50, 60)]] {
        let entries = [vec![entry(Awake, 0, 50)], rest].concat();
        assert_eq!(listed(&compute_metrics(60, entries)), expected);
    }
}

#[test]
fn wakefulness_that_may_lie_in_a_gap_is_unknown_and_not_0() {
    let expected = [
        ("timeNightInBed", 28_800.0),
        ("timeNightAsleep", 22_500.0),
        ("sleepLatency", 1_800.0),
        ("sleepEfficiency", 78.125),
    ];
    for rest in [vec![], vec![entry(Unknown, 180, 225)]] {
        let entries = [vec![entry(Asleep, 30, 180)], rest, vec![entry(Asleep, 225, 450)]].concat();
        assert_eq!(listed(&compute_metrics(480, entries)), expected);
    }
}

#[test]
fn a_gap_outside_the_sleep_period_leaves_its_awakenings_known() {
    let metrics = compute_metrics(480, vec![entry(Asleep, 30, 450)]);
    assert_eq!(metrics.get(MetricKind::TimeNightAwake), None);
    for kind in [MetricKind::TimeSleepAwake, MetricKind::SleepWakeups, MetricKind::PercentageSleepAwake] {
        assert_eq!(metrics.get(kind), Some(value(0.0)));
    }
}

#[test]
fn a_stage_that_sleep_without_a_stage_may_contain_is_unknown_and_not_0() {
    let stages =
        [MetricKind::TimeNightDeep, MetricKind::PercentageNightDeep, MetricKind::PercentageSleepDeep];
    let metrics = compute_metrics(60, vec![entry(Light, 0, 30), entry(Asleep, 30, 60)]);
    assert_eq!(stages.map(|kind| metrics.get(kind)), [None; 3]);
    let metrics = compute_metrics(60, vec![entry(Light, 0, 60)]);
    assert_eq!(stages.map(|kind| metrics.get(kind)), [Some(value(0.0)); 3]);
}

#[test]
fn reported_values_that_are_all_0_say_nothing_about_the_night() {
    let kinds = [MetricKind::TimeNightAsleep, MetricKind::TimeNightAwake, MetricKind::SleepWakeups];
    let report = |awake: f64| {
        let values = kinds.into_iter().zip([0.0, awake, 0.0].map(value)).collect();
        listed(&SleepMetrics::from_reported(&night(60), values).unwrap())
    };
    assert_eq!(report(0.0), [("timeNightInBed", 3_600.0)]);
    assert_eq!(report(3_600.0).len(), 4);
}

#[test]
fn a_night_without_known_stages_has_only_its_time_in_bed() {
    for entries in [vec![], vec![entry(Unknown, 0, 60)]] {
        assert_eq!(listed(&compute_metrics(60, entries)), [("timeNightInBed", 3_600.0)]);
    }
}

#[test]
fn being_awake_before_or_after_sleep_is_not_an_awakening() {
    let metrics = compute_metrics(60, vec![entry(Awake, 0, 20), entry(Rem, 20, 40), entry(Awake, 40, 60)]);
    assert_eq!(metrics.get(MetricKind::SleepWakeups), Some(value(0.0)));
    assert_eq!(metrics.get(MetricKind::TimeSleepAwake), Some(value(0.0)));
    assert_eq!(metrics.get(MetricKind::PercentageSleepRem), Some(value(100.0)));
}

#[test]
fn awake_entries_with_a_gap_between_them_are_two_awakenings() {
    let entries = vec![entry(Light, 0, 10), entry(Awake, 10, 24), entry(Awake, 25, 40), entry(Light, 40, 60)];
    let metrics = compute_metrics(60, entries);
    assert_eq!(metrics.get(MetricKind::SleepWakeups), Some(value(2.0)));
    assert_eq!(metrics.get(MetricKind::WakeupsOver15Minutes), Some(value(1.0)));
}

#[test]
fn reported_values_are_returned_unchanged() {
    let frame = night(480);
    let given = vec![
        (MetricKind::SleepWakeups, value(4.0)),
        (MetricKind::TimeNightAsleep, value(20_000.125)),
        (MetricKind::SleepEfficiency, value(200.0 / 3.0)),
        (MetricKind::TimeNightInBed, value(7.0)),
    ];
    let metrics = SleepMetrics::from_reported(&frame, given).unwrap();
    let expected = [
        ("timeNightInBed", 28_800.0),
        ("timeNightAsleep", 20_000.125),
        ("sleepEfficiency", 200.0 / 3.0),
        ("sleepWakeups", 4.0),
    ];
    assert_eq!(listed(&metrics), expected);
}

#[test]
fn reported_values_that_no_night_can_have_are_rejected() {
    let rejected = |given: &[(MetricKind, f64)]| {
        let given = given.iter().map(|&(kind, number)| (kind, value(number))).collect();
        SleepMetrics::from_reported(&night(60), given).unwrap_err()
    };
    let (asleep, awake) = (MetricKind::TimeNightAsleep, MetricKind::TimeNightAwake);
    assert_eq!(rejected(&[(asleep, 1.0), (asleep, 1.0)]), InvalidMetrics::Repeated(asleep));
    assert_eq!(rejected(&[(asleep, -1.0)]), InvalidMetrics::OutOfRange(asleep));
    assert_eq!(rejected(&[(asleep, 3_600.001)]), InvalidMetrics::ExceedsTimeInBed(asleep));
    let both = rejected(&[(asleep, 3_000.0), (awake, 600.001)]);
    assert_eq!(both, InvalidMetrics::AsleepAndAwakeExceedTimeInBed);
    let wakeups = MetricKind::SleepWakeups;
    assert_eq!(rejected(&[(wakeups, 0.5)]), InvalidMetrics::OutOfRange(wakeups));
    let efficiency = MetricKind::SleepEfficiency;
    assert_eq!(rejected(&[(efficiency, 100.5)]), InvalidMetrics::OutOfRange(efficiency));
}

/// Returns the total milliseconds of some stages.
fn millis(hypnogram: &Hypnogram, stages: &[Stage]) -> i64 {
    hypnogram.entries().iter().filter(|entry| stages.contains(&entry.stage())).map(StageEntry::millis).sum()
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a night are exact")]
fn percent(part: i64, whole: i64) -> f64 {
    part as f64 * 100.0 / whole as f64
}

proptest! {
    #[test]
    fn in_bed_is_asleep_and_awake_and_unknown((hypnogram, frame) in hypnogram_and_frame()) {
        let metrics = SleepMetrics::from_hypnogram(&frame, &hypnogram);
        let listed_unknown = millis(&hypnogram, &[Unknown]);
        let unlisted = frame.millis() - millis(&hypnogram, &Stage::ALL);
        let unknown = MetricValue::seconds_from_millis(listed_unknown + unlisted).unwrap().as_f64();
        let seconds = |kind| metrics.get(kind).map(MetricValue::as_f64);
        let in_bed = seconds(MetricKind::TimeNightInBed).unwrap();
        let asleep = seconds(MetricKind::TimeNightAsleep);
        let awake = seconds(MetricKind::TimeNightAwake);
        let recorded = |stages: &[Stage]| millis(&hypnogram, stages);
        for (seconds, recorded) in [(asleep, recorded(&[Asleep, Light, Deep, Rem])), (awake, recorded(&[Awake]))] {
            prop_assert_eq!(seconds.is_some(), recorded > 0 || unknown == 0.0);
        }
        let sum = asleep.unwrap_or(0.0) + awake.unwrap_or(0.0) + unknown;
        prop_assert!((in_bed - sum).abs() < 1e-6);
    }

    #[test]
    fn percentages_of_the_time_in_bed_add_up((hypnogram, frame) in hypnogram_and_frame()) {
        let metrics = SleepMetrics::from_hypnogram(&frame, &hypnogram);
        let percents = |kind| metrics.get(kind).map_or(0.0, MetricValue::as_f64);
        let unspecified = percent(millis(&hypnogram, &[Asleep]), frame.millis());
        let recorded = millis(&hypnogram, &[Awake, Light, Deep, Rem, Asleep]);
        let unknown = percent(frame.millis() - recorded, frame.millis());
        let sum = percents(MetricKind::PercentageNightAwake)
            + percents(MetricKind::PercentageNightLight)
            + percents(MetricKind::PercentageNightDeep)
            + percents(MetricKind::PercentageNightRem)
            + unspecified
            + unknown;
        prop_assert!((sum - 100.0).abs() < 0.000_3);
        let efficiency = percents(MetricKind::PercentageNightLight)
            + percents(MetricKind::PercentageNightDeep)
            + percents(MetricKind::PercentageNightRem)
            + unspecified;
        prop_assert!((efficiency - percents(MetricKind::SleepEfficiency)).abs() < 0.000_3);
    }

    #[test]
    fn percentages_of_the_sleep_period_never_exceed_it((hypnogram, frame) in hypnogram_and_frame()) {
        let metrics = SleepMetrics::from_hypnogram(&frame, &hypnogram);
        let of_period = [
            MetricKind::PercentageSleepAwake,
            MetricKind::PercentageSleepLight,
            MetricKind::PercentageSleepDeep,
            MetricKind::PercentageSleepRem,
        ];
        let sum: f64 = of_period.into_iter().filter_map(|kind| metrics.get(kind)).map(MetricValue::as_f64).sum();
        prop_assert!(sum <= 100.000_3);
        let first = hypnogram.entries().iter().position(|entry| entry.stage().is_asleep());
        let last = hypnogram.entries().iter().rposition(|entry| entry.stage().is_asleep());
        prop_assert_eq!(metrics.get(MetricKind::SleepLatency).is_some(), first.is_some());
        if let (Some(first), Some(last)) = (first, last) {
            let entries = &hypnogram.entries()[first..=last];
            let length = entries[entries.len() - 1].end_millis() - entries[0].start_millis();
            let recorded: i64 = entries.iter().filter(|entry| !matches!(entry.stage(), Asleep | Unknown))
                .map(StageEntry::millis).sum();
            prop_assert!((sum - percent(recorded, length)).abs() < 0.000_3);
            let of_stage = |wanted: fn(Stage) -> bool| -> i64 {
                entries.iter().filter(|entry| wanted(entry.stage())).map(StageEntry::millis).sum()
            };
            let is_known = of_stage(|stage| stage == Awake) > 0 || of_stage(|stage| stage != Unknown) == length;
            for kind in [MetricKind::PercentageSleepAwake, MetricKind::TimeSleepAwake, MetricKind::SleepWakeups] {
                prop_assert_eq!(metrics.get(kind).is_some(), is_known);
            }
        }
    }

    #[test]
    fn every_metric_is_in_its_range_and_can_be_reported((hypnogram, frame) in hypnogram_and_frame()) {
        let metrics = SleepMetrics::from_hypnogram(&frame, &hypnogram);
        for (kind, value) in metrics.iter() {
            prop_assert!(kind.accepts(value));
            prop_assert!(kind.unit() != MetricUnit::Seconds || value.as_f64() * 1_000.0 <= 604_800_000.0);
        }
        let reported = SleepMetrics::from_reported(&frame, metrics.iter().collect());
        prop_assert_eq!(reported, Ok(metrics));
    }
}
