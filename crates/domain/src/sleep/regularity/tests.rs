use super::*;
use crate::id::SleepSessionId;
use crate::time::UtcOffset;
use chrono::DateTime;
use proptest::prelude::*;
use uuid::Uuid;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

fn berlin() -> TimeZone {
    TimeZone::parse("Europe/Berlin").unwrap()
}

fn millis(text: &str) -> i64 {
    DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis()
}

fn span(start_millis: i64, minutes: i64) -> SleepSpan {
    SleepSpan {
        id: SleepSessionId::from_uuid(Uuid::nil()),
        source: None,
        start_millis,
        end_millis: start_millis + minutes * MINUTE,
        offset_at_end: None,
        is_nap: None,
        asleep_millis: None,
    }
}

fn recording(start_millis: i64, minutes: i64) -> Recording {
    Recording { span: span(start_millis, minutes), states: Vec::new() }
}

/// Eight hours every night from 22:00 UTC.
fn regular(days: i64) -> Vec<Recording> {
    let first = millis("2026-01-05T22:00:00Z");
    (0..days).map(|day| recording(first + day * DAY, 480)).collect()
}

#[test]
fn equal_nights_have_an_index_of_100() {
    let regularity = SleepRegularity::from_recordings(&regular(7), TimeZone::UTC).unwrap();
    assert_eq!((regularity.index(), regularity.pairs, regularity.compared), (100, 6, 6 * 1440));
}

#[test]
fn six_days_or_six_and_six_with_a_gap_have_no_index() {
    assert_eq!(SleepRegularity::from_recordings(&regular(6), TimeZone::UTC), None);
    let mut gap = regular(13);
    gap.remove(6);
    assert_eq!(SleepRegularity::from_recordings(&gap, TimeZone::UTC), None);
    assert_eq!(SleepRegularity::from_recordings(&[], TimeZone::UTC), None);
}

#[test]
fn days_without_data_are_not_compared() {
    let mut nights = regular(16);
    nights.remove(8);
    assert_eq!(SleepRegularity::from_recordings(&nights, TimeZone::UTC).unwrap().pairs, 7 + 6);
}

#[test]
fn a_daily_shift_of_one_hour_lowers_the_index_by_two_hours() {
    let mut nights = regular(7);
    for night in nights.iter_mut().skip(1).step_by(2) {
        night.span.start_millis += 60 * MINUTE;
        night.span.end_millis += 60 * MINUTE;
    }
    let regularity = SleepRegularity::from_recordings(&nights, TimeZone::UTC).unwrap();
    assert_eq!(regularity.equal, 6 * (1440 - 120));
    assert_eq!(regularity.index(), 83);
}

#[test]
fn unknown_time_is_left_out_and_time_awake_in_bed_counts_as_awake() {
    let mut nights = regular(7);
    for night in &mut nights {
        let (start, end) = (night.span.start_millis, night.span.end_millis);
        let known = |from, to, is_asleep| KnownState { start_millis: from, end_millis: to, is_asleep };
        let hour = 60 * MINUTE;
        night.states = vec![known(start, start + hour, false), known(start + 2 * hour, end, true)];
    }
    let regularity = SleepRegularity::from_recordings(&nights, TimeZone::UTC).unwrap();
    assert_eq!((regularity.compared, regularity.index()), (6 * (1440 - 60), 100));
}

#[test]
fn a_constant_clock_time_is_regular_across_a_clock_change() {
    for (first, skipped) in [("2026-03-24", 60), ("2026-10-20", 0)] {
        let first: NaiveDate = first.parse().unwrap();
        let nights = first.iter_days().take(10).map(|date| {
            let bed = crate::time::Fold::First;
            let (from, to) = (date.and_hms_opt(23, 0, 0), date.succ_opt().unwrap().and_hms_opt(7, 0, 0));
            let from = berlin().resolve(from.unwrap(), bed).timestamp_millis();
            let to = berlin().resolve(to.unwrap(), bed).timestamp_millis();
            recording(from, (to - from) / MINUTE)
        });
        let regularity = SleepRegularity::from_recordings(&nights.collect::<Vec<_>>(), berlin()).unwrap();
        assert_eq!((regularity.index(), regularity.pairs), (100, 9));
        // The day of the change is in two pairs.
        assert_eq!(regularity.compared, 9 * 1440 - 2 * skipped);
    }
}

/// Medians of bedtimes and of wake-up times, in minutes after noon.
fn medians(spans: &[SleepSpan]) -> Option<(i64, i64)> {
    let nights: Vec<_> = spans.iter().map(|span| DatedNight { date: span.date(berlin()), span }).collect();
    let ClockSpread { bedtime, wake_time } = ClockTimes::from_nights(&nights, berlin())?.spread;
    Some((bedtime.median / MINUTE, wake_time.median / MINUTE))
}

#[test]
fn bedtimes_around_midnight_are_neighbours() {
    let spans = [span(millis("2026-01-05T22:50:00Z"), 480), span(millis("2026-01-06T23:10:00Z"), 480)];
    assert_eq!(medians(&spans), Some((720, 1200)));
    assert_eq!(medians(&[]), None);
}

#[test]
fn a_night_of_another_zone_has_the_clock_times_of_that_zone() {
    let in_berlin = span(millis("2026-01-05T22:00:00Z"), 480);
    let offset_at_end = UtcOffset::from_minutes(-9 * 60);
    let in_alaska = SleepSpan { offset_at_end, ..span(millis("2026-01-07T08:00:00Z"), 480) };
    assert_eq!(medians(&[in_berlin, in_alaska]), Some((660, 1140)));
}

#[test]
fn medians_do_not_depend_on_the_side_of_midnight_of_waking_up() {
    // 15:59 to 23:59 and 16:01 to 00:01 in Berlin: bedtime 16:00, wake-up 00:00.
    let spans = [span(millis("2026-11-10T14:59:00Z"), 480), span(millis("2026-11-11T15:01:00Z"), 480)];
    assert_eq!(medians(&spans), Some((240, 720)));
}

#[test]
fn medians_do_not_depend_on_the_side_of_noon_of_going_to_bed() {
    // 11:50 to 19:50 and 12:10 to 20:10 in Berlin.
    let spans = [span(millis("2026-11-10T10:50:00Z"), 480), span(millis("2026-11-11T11:10:00Z"), 480)];
    assert_eq!(medians(&spans), Some((0, 480)));
}

#[test]
fn a_wake_time_after_noon_is_later_than_one_before() {
    assert_eq!(medians(&[span(millis("2026-01-06T03:00:00Z"), 600)]), Some((960, 1560)));
}

#[test]
fn clock_times_are_those_of_the_clocks_before_and_after_a_change() {
    // 23:00 to 07:00 in Berlin, the night of the change and the next.
    let spans = [span(millis("2026-03-28T22:00:00Z"), 420), span(millis("2026-03-29T21:00:00Z"), 480)];
    assert_eq!(medians(&spans), Some((660, 1140)));
}

proptest! {
    #[test]
    fn an_index_is_within_its_range_and_does_not_depend_on_the_order(
        mut nights in prop::collection::vec((-180_i64..180, 60_i64..700, any::<bool>()), 0..20),
    ) {
        let first = millis("2026-03-20T22:00:00Z");
        let mut recordings: Vec<_> = nights.drain(..).zip(0_i64..).map(|((late, minutes, staged), day)| {
            let mut night = recording(first + day * DAY + late * MINUTE, minutes);
            let SleepSpan { start_millis, end_millis, .. } = night.span;
            let half = start_millis + (end_millis - start_millis) / 2;
            night.states.extend(staged.then_some(KnownState { start_millis, end_millis: half, is_asleep: true }));
            night
        }).collect();
        let regularity = SleepRegularity::from_recordings(&recordings, berlin());
        if let Some(regularity) = regularity {
            prop_assert!((-100..=100).contains(&regularity.index()));
            prop_assert!(regularity.equal <= regularity.compared);
            prop_assert!(regularity.compared <= 1440 * i64::try_from(regularity.pairs).unwrap());
        }
        recordings.reverse();
        prop_assert_eq!(SleepRegularity::from_recordings(&recordings, berlin()), regularity);
    }
}
