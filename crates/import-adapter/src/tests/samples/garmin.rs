use super::{folder, read};
use crate::testing::{frame, metric, notes, sessions};
use domain::sleep::{MetricKind, SleepRecord};

#[test]
fn the_ten_nights_have_the_offset_between_their_stamps() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("garmin/garth-dailySleepData-2021-07-11_20.json")).unwrap();
    let found = sessions(&items);
    let [first, .., last] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(frame(first), "2021-07-10T23:36:00-05:00 2021-07-11T08:37:00-05:00");
    assert_eq!(frame(last), "2021-07-20T00:20:00-05:00 2021-07-20T07:59:00-05:00");
    assert_eq!(metric(first, MetricKind::TimeNightInBed), Some(32_460.0));
    assert_eq!(metric(first, MetricKind::TimeNightAsleep), Some(26_040.0));
    assert_eq!(metric(first, MetricKind::TimeNightAwake), Some(5100.0));
    assert_eq!(metric(last, MetricKind::TimeNightAsleep), Some(25_740.0));
}

#[test]
fn the_newer_night_counts_its_awakenings() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("garmin/garth-dailySleepData-2025-07-07.json")).unwrap();
    let [night] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&night), "2025-07-06T22:47:28-06:00 2025-07-07T05:37:28-06:00");
    assert_eq!(night.key().to_stored(), "given:1751863648000");
    for (kind, expected) in [
        (MetricKind::TimeNightAsleep, 24_180.0),
        (MetricKind::TimeNightAwake, 420.0),
        (MetricKind::TimeNightDeep, 5280.0),
        (MetricKind::SleepWakeups, 1.0),
    ] {
        assert_eq!(metric(&night, kind), Some(expected), "{kind:?}");
    }
}

#[test]
fn the_synthetic_night_keeps_nothing_that_contradicts_it() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("garmin/anup-dailySleepData-synthetic.json")).unwrap();
    let [night] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&night), "2026-01-14T22:45:00+05:00 2026-01-15T06:05:00+05:00");
    assert_eq!(metric(&night, MetricKind::TimeNightAsleep), None);
    // Asleep 26,400 s and awake 1320 s in 26,400 s; the levels begin hours after the end.
    assert_eq!(
        notes(&items),
        [
            "record 1: stages that extend beyond the time in bed were trimmed: 2",
            "record 1: the totals contradict the time in bed and were dropped",
            "record 1: naps that have a length but no times were left out",
        ]
    );
}
