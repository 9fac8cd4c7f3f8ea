//! WHOOP's sleeps, checked against facts worked out from the file.

use super::{folder, read};
use crate::testing::{frame, metric, sessions};
use domain::sleep::MetricKind;

#[test]
fn the_sleeps_have_the_offsets_and_minutes_of_their_rows() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("constructed/whoop-sleeps.csv")).unwrap();
    let nights = sessions(&items);
    let facts: Vec<_> = nights
        .iter()
        .map(|night| (frame(night), metric(night, MetricKind::TimeNightAsleep), night.is_nap()))
        .collect();
    let fact = |frame: &str, minutes: f64, nap| (frame.to_owned(), Some(minutes * 60.0), Some(nap));
    assert_eq!(
        facts,
        [
            fact("2026-05-12T22:41:07+02:00 2026-05-13T06:30:37+02:00", 432.0, false),
            fact("2026-05-12T14:02:00+02:00 2026-05-12T14:40:00+02:00", 33.0, true),
            fact("2026-05-11T23:05:10+02:00 2026-05-12T06:15:10+02:00", 398.0, false),
            fact("2026-05-10T00:20:00+05:30 2026-05-10T07:50:00+05:30", 421.0, false),
        ]
    );
    assert_eq!(metric(&nights[0], MetricKind::TimeNightRem), Some(121.0 * 60.0));
    assert_eq!(metric(&nights[1], MetricKind::TimeNightDeep), Some(0.0));
}
