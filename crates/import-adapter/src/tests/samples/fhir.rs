use super::{folder, read};
use crate::testing::{frame, metric, sessions, stages};
use domain::sleep::{MetricKind, SleepRecord};

#[test]
fn the_observation_of_the_guide_is_one_stretch_of_sleep() {
    let Some(folder) = folder() else { return };
    let (_, items) = read(&folder.join("fhir/Observation-PCDSleepObservation-stage-example.json")).unwrap();
    let [night] = <[SleepRecord; 1]>::try_from(sessions(&items)).unwrap();
    // Four decimals of a second are cut to three.
    assert_eq!(frame(&night), "2022-10-07T22:57:00Z 2022-10-08T09:13:34.211Z");
    assert_eq!(stages(&night), ["ASLEEP 22:57-09:13"]);
    assert_eq!(metric(&night, MetricKind::TimeNightAsleep), Some(36_994.211));
    assert_eq!(night.source().unwrap().as_str(), "fhir");
}
