use super::{folder, read};
use crate::testing::{frame, metric, sessions, stages};
use domain::sleep::{MetricKind, SleepRecord};

fn night(name: &str) -> Option<SleepRecord> {
    let (_, items) = read(&folder()?.join("polysomnography").join(name)).unwrap();
    let [night] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    Some(night)
}

#[test]
fn the_text_has_six_hours_of_epochs() {
    let Some(night) = night("yasa-full-6hrs-hypno-30s.txt") else { return };
    assert_eq!(frame(&night), "2026-01-10T22:30:00+01:00 2026-01-11T04:30:00+01:00");
    assert_eq!(stages(&night)[..3], ["AWAKE 22:30-22:35", "LIGHT 22:35-22:45", "AWAKE 22:45-22:50"]);
    for (kind, epochs) in [
        (MetricKind::TimeNightAwake, 43.0),
        (MetricKind::TimeNightLight, 340.0),
        (MetricKind::TimeNightDeep, 182.0),
        (MetricKind::TimeNightRem, 155.0),
    ] {
        assert_eq!(metric(&night, kind), Some(epochs * 30.0), "{kind:?}");
    }
}

#[test]
fn the_lists_contain_the_scored_epochs() {
    let Some(night) = night("dreem-dodh-scorer_1-119f9726.json") else { return };
    assert_eq!(night.time_in_bed().millis(), 987 * 30_000);
    let last = night.hypnogram().entries().last().unwrap();
    assert_eq!((last.stage().as_str(), last.millis()), ("UNKNOWN", 55 * 30_000));
    assert_eq!(metric(&night, MetricKind::TimeNightRem), Some(211.0 * 30.0));
}
