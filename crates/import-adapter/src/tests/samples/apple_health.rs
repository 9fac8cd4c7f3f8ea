use super::{folder, read};
use crate::testing::{frame, metric, rejections, sessions, stages};
use application::ports::import_source::ImportItem;
use domain::sleep::{MetricKind, SleepRecord};
use domain::user::{BiologicalSex, Biology, BirthDate};

fn biology(items: &[ImportItem]) -> Option<Biology> {
    items.iter().find_map(|item| match item {
        ImportItem::Profile(profile) => Some(profile.biology),
        _ => None,
    })
}

#[test]
fn the_synthetic_export_holds_one_night_with_a_gap_of_an_hour() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("apple-health/hydawo-synthetic-export.xml")).unwrap();
    let [night] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    assert_eq!(frame(&night), "2026-03-04T22:30:00-05:00 2026-03-05T03:30:00-05:00");
    assert_eq!(stages(&night), ["LIGHT 00:00-02:00", "DEEP 02:00-02:45", "REM 02:45-03:30"]);
    assert_eq!(night.source().unwrap().as_str(), "Fixture Watch");
    assert_eq!(metric(&night, MetricKind::TimeNightInBed), Some(18_000.0));
    assert_eq!(metric(&night, MetricKind::TimeNightAsleep), Some(12_600.0));
    let born = BirthDate::parse("1990-01-01").ok();
    assert_eq!(biology(&items), Some(Biology { birth_date: born, ..Biology::default() }));
}

#[test]
fn the_export_of_several_sources_holds_eight_sessions() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("constructed/apple-health-multisource.xml")).unwrap();
    let found = sessions(&items);
    let nights: Vec<_> = found
        .iter()
        .map(|night| format!("{} {}", frame(night), night.source().map_or("", |source| source.as_str())))
        .collect();
    assert_eq!(
        nights,
        [
            "2026-03-27T23:10:00+00:00 2026-03-28T06:32:00+00:00 Test Watch",
            "2026-03-28T23:30:00+00:00 2026-03-29T07:10:00+01:00 Test Watch",
            "2026-03-30T23:00:00+01:00 2026-03-31T01:00:00+01:00 Test Watch",
            "2026-03-31T02:01:00+01:00 2026-03-31T06:00:00+01:00 Test Watch",
            "2026-03-27T22:45:00+00:00 2026-03-28T06:50:00+00:00 Test Phone",
            "2026-03-31T00:00:00+01:00 2026-03-31T06:00:00+01:00 Test Phone",
            "2026-03-27T22:58:00+00:00 2026-03-28T06:40:00+00:00 Third Party Sleep & Nap App",
            "2026-03-30T14:05:00+01:00 2026-03-30T14:35:00+01:00 Third Party Sleep & Nap App",
        ]
    );
    assert_eq!(rejections(&items), ["line 127: the end is not after the start"]);
    let [first, changed, ..] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(stages(first)[..3], ["LIGHT 23:10-23:40", "DEEP 23:40-00:25", "LIGHT 00:25-01:10"]);
    assert_eq!(metric(first, MetricKind::TimeNightLight), Some(19_860.0));
    assert_eq!(metric(first, MetricKind::TimeNightDeep), Some(2700.0));
    assert_eq!(metric(first, MetricKind::TimeNightAwake), Some(360.0));
    assert_eq!(metric(changed, MetricKind::TimeNightInBed), Some(24_000.0));
    assert_eq!(metric(changed, MetricKind::TimeNightAsleep), Some(23_400.0));
    let expected = Biology {
        birth_date: BirthDate::parse("1985-07-14").ok(),
        biological_sex: Some(BiologicalSex::Female),
        ..Biology::default()
    };
    assert_eq!(biology(&items), Some(expected));
}
