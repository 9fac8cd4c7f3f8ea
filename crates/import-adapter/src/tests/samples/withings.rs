use super::{folder, read};
use crate::testing::{frame, metric, notes, sessions, stages};
use domain::sleep::{MetricKind, SleepRecord, SleepSource};

#[test]
fn the_raw_series_holds_four_nights_of_one_device() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("withings/aiowithings-sleep-raw-2021-04-17_21.json")).unwrap();
    let found = sessions(&items);
    assert_eq!(found.iter().map(|night| night.hypnogram().len()).collect::<Vec<_>>(), [298, 53, 64, 47]);
    let sources = found.iter().filter_map(SleepRecord::source).map(SleepSource::as_str);
    assert!(sources.eq(["withings Aura Sensor V2 201d0b9a"; 4]));
    let night = &found[2];
    assert_eq!(frame(night), "2021-04-19T13:30:47-07:00 2021-04-19T22:31:04-07:00");
    assert_eq!(stages(night)[2..4], ["AWAKE 13:43-13:45", "REM 13:45-13:53"]);
    for (kind, expected) in [
        (MetricKind::TimeNightAwake, 4140.0),
        (MetricKind::TimeNightLight, 16_560.0),
        (MetricKind::TimeNightDeep, 6420.0),
        (MetricKind::TimeNightRem, 4800.0),
    ] {
        assert_eq!(metric(night, kind), Some(expected), "{kind:?}");
    }
}

#[test]
fn three_segments_a_minute_apart_are_one_night() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("withings/shimmer-sleep-measures.json")).unwrap();
    let [night] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&night), "2014-12-02T12:00:00-08:00 2014-12-02T13:00:00-08:00");
    assert_eq!(stages(&night), ["AWAKE 12:00-12:15", "LIGHT 12:16-12:32", "REM 12:33-13:00"]);
    assert_eq!(night.source().unwrap().as_str(), "withings");
}

#[test]
fn the_summaries_have_the_offsets_of_their_own_zone() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("withings/aiowithings-sleep-summary-2021-03_2021-07.json")).unwrap();
    let found = sessions(&items);
    let night = found.iter().find(|night| night.key().as_str() == "2081805589").unwrap();
    assert_eq!(frame(night), "2021-03-27T22:30:50+01:00 2021-03-28T07:21:50+02:00");
    assert_eq!(metric(night, MetricKind::TimeNightAsleep), Some(24_960.0));
    assert_eq!(metric(night, MetricKind::TimeNightAwake), Some(3300.0));
    assert_eq!(metric(night, MetricKind::SleepLatency), Some(360.0));
    assert_eq!(metric(night, MetricKind::TimeSleepAwake), Some(1320.0));
    // One night claims eight hours to fall asleep in, and -25,920 s awake after that.
    assert_eq!(
        notes(&items),
        [
            "record 87: totals that are negative or not numbers were left out: 1",
            "record 87: the totals contradict the time in bed and were dropped",
        ]
    );
}

#[test]
fn summaries_without_rem_leave_open_how_long_the_sleep_was() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("withings/shimmer-sleep-summary.json")).unwrap();
    let found = sessions(&items);
    assert_eq!(frame(&found[0]), "2017-09-02T00:15:00+01:00 2017-09-02T03:25:00+01:00");
    assert_eq!(metric(&found[0], MetricKind::TimeNightLight), Some(3360.0));
    assert_eq!(metric(&found[0], MetricKind::TimeNightDeep), Some(7800.0));
    assert_eq!(metric(&found[0], MetricKind::TimeNightAsleep), None);
}
