use super::{folder, read};
use crate::testing::{frame, metric, sessions, stages};
use domain::sleep::{MetricKind, SleepRecord};

#[test]
fn the_night_of_version_1_has_the_stages_of_its_text() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("oura/ouraring-v1-sleep-hypnogram.json")).unwrap();
    let [night] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&night), "2017-11-06T02:13:19+02:00 2017-11-06T08:12:19+02:00");
    let stages = stages(&night);
    assert_eq!(stages[..3], ["AWAKE 02:13-02:23", "REM 02:23-02:28", "AWAKE 02:28-02:33"]);
    assert_eq!(stages[20..], ["REM 07:58-08:08", "AWAKE 08:08-08:12"]);
    for (kind, expected) in [
        (MetricKind::TimeNightDeep, 3600.0),
        (MetricKind::TimeNightLight, 9300.0),
        (MetricKind::TimeNightRem, 7500.0),
        (MetricKind::TimeNightAwake, 1140.0),
    ] {
        assert_eq!(metric(&night, kind), Some(expected), "{kind:?}");
    }
}

#[test]
fn the_documents_of_version_2_are_nights_and_a_nap() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("oura/totty-v2-sleep-synthetic.json")).unwrap();
    let found: Vec<_> =
        sessions(&items).iter().map(|one| (one.key().to_stored(), frame(one), one.is_nap())).collect();
    let expected = [
        ("s21", "2026-09-20T23:00:00-07:00 2026-09-21T07:30:00-07:00", false),
        ("s19", "2026-09-18T23:30:00-07:00 2026-09-19T06:00:00-07:00", false),
        ("s20", "2026-09-19T23:00:00-07:00 2026-09-20T06:30:00-07:00", false),
        ("shorter21", "2026-09-21T08:00:00-07:00 2026-09-21T12:00:00-07:00", false),
        ("nap21", "2026-09-21T14:00:00-07:00 2026-09-21T14:35:00-07:00", true),
    ]
    .map(|(key, frame, is_nap)| (format!("given:synthetic-{key}"), frame.to_owned(), Some(is_nap)));
    assert_eq!(found, expected);
    let asleep: Vec<_> =
        sessions(&items).iter().map(|one| metric(one, MetricKind::TimeNightAsleep)).collect();
    assert_eq!(asleep, [27_000.0, 21_600.0, 24_300.0, 12_000.0, 1800.0].map(Some));
}
