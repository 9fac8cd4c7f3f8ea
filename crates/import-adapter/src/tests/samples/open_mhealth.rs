use super::{folder, read};
use crate::testing::{frame, metric, notes, rejections, sessions};
use domain::sleep::{MetricKind, SleepRecord};

fn night(name: &str) -> Option<SleepRecord> {
    let (_, items) = read(&folder()?.join("open-mhealth").join(name)).unwrap();
    let [night] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    Some(night)
}

#[test]
fn episodes_last_nine_hours_from_their_start() {
    for name in ["sleep-episode-1.0-valid.json", "sleep-episode-1.1-valid.json"] {
        let Some(night) = night(name) else { return };
        assert_eq!(frame(&night), "2016-02-05T21:35:00Z 2016-02-06T06:35:00Z", "{name}");
        assert_eq!(metric(&night, MetricKind::TimeNightInBed), Some(32_400.0));
        assert_eq!(metric(&night, MetricKind::TimeNightAsleep), Some(30_600.0));
        assert_eq!(metric(&night, MetricKind::SleepWakeups), Some(1.0));
        assert_eq!(night.is_nap(), Some(false));
    }
    let Some(older) = night("sleep-episode-1.0-valid.json") else { return };
    assert_eq!(metric(&older, MetricKind::SleepLatency), Some(1050.0));
    let Some(newer) = night("sleep-episode-1.1-valid.json") else { return };
    assert_eq!(metric(&newer, MetricKind::TimeSleepAwake), Some(1800.0));
    assert_eq!(metric(&newer, MetricKind::SleepLatency), None);
}

#[test]
fn the_newer_episode_leaves_no_room_for_its_latency() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("open-mhealth/sleep-episode-1.1-valid.json")).unwrap();
    assert_eq!(
        notes(&items),
        ["record 1: the time frame begins with sleep onset; the latency before it was left out"]
    );
}

#[test]
fn durations_keep_their_offsets() {
    let Some(total) = night("total-sleep-time-1.0-valid.json") else { return };
    assert_eq!(frame(&total), "2016-02-05T20:35:00-08:00 2016-02-06T06:35:00-08:00");
    assert_eq!(metric(&total, MetricKind::TimeNightAsleep), Some(27_900.0));
    let Some(duration) = night("sleep-duration-2.0-valid.json") else { return };
    assert_eq!(frame(&duration), "2016-02-05T20:35:00Z 2016-02-06T06:35:00Z");
    assert_eq!(metric(&duration, MetricKind::TimeNightAsleep), Some(27_000.0));
}

#[test]
fn the_sample_of_healthkit_is_an_hour_in_bed() {
    let Some(night) = night("granola-hk-category-sleep-with-metadata.json") else { return };
    assert_eq!(frame(&night), "2013-02-05T06:25:00Z 2013-02-05T07:25:00Z");
    assert_eq!(metric(&night, MetricKind::TimeNightInBed), Some(3600.0));
    assert_eq!(metric(&night, MetricKind::TimeNightAsleep), None);
}

#[test]
fn the_episode_that_should_fail_has_no_time_frame() {
    let Some(folder) = folder() else { return };
    let name = "open-mhealth/sleep-episode-1.0-SHOULDFAIL-missing-time-frame.json";
    let (_, items) = read(&folder.join(name)).unwrap();
    assert_eq!(rejections(&items), ["record 1: effective_time_frame is missing"]);
}
