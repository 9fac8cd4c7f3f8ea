use super::{LOINC, asleep, duration, list, observation, only, read_all};
use crate::testing::{frame, metric, notes, rejections, sessions, stages};
use domain::sleep::MetricKind;

const ASLEEP: &str = "93832-4";
const DEEP: &str = "93831-6";
const LIGHT: &str = "93830-8";
const REM: &str = "93829-0";

/// A sleep duration from 01:00 to 07:00 with this quantity.
fn asleep_for(quantity: &str) -> String {
    observation((LOINC, ASLEEP), "01:00", "07:00", &format!(r#","valueQuantity":{{{quantity}}}"#))
}

#[test]
fn durations_of_a_night_are_its_sums() {
    let record = only(&list(&[
        duration(ASLEEP, "01:00", "07:00", 330),
        duration(DEEP, "01:00", "07:00", 60),
        duration(LIGHT, "01:00", "07:00", 200),
        duration(REM, "01:00", "07:00", 70),
        duration(REM, "01:00", "07:00", 70),
    ]));
    assert!(record.hypnogram().is_empty());
    assert_eq!(frame(&record), "2026-01-11T01:00:00-05:00 2026-01-11T07:00:00-05:00");
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(19_800.0));
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), Some(3600.0));
    assert_eq!(metric(&record, MetricKind::TimeNightLight), Some(12_000.0));
    assert_eq!(metric(&record, MetricKind::TimeNightRem), Some(4200.0));
}

#[test]
fn a_duration_as_long_as_its_period_is_a_stretch_of_the_stage() {
    let record = only(&list(&[
        duration(LIGHT, "01:00", "02:00", 60),
        duration(DEEP, "02:00", "02:30", 29),
        duration(REM, "02:30", "03:00", 30),
        duration(ASLEEP, "03:00", "03:30", 30),
    ]));
    assert_eq!(
        stages(&record),
        ["LIGHT 01:00-02:00", "DEEP 02:00-02:30", "REM 02:30-03:00", "ASLEEP 03:00-03:30"]
    );
}

#[test]
fn a_sleep_as_long_as_its_period_does_not_hide_the_sums_of_its_stages() {
    let record = only(&list(&[
        duration(ASLEEP, "01:00", "07:00", 360),
        duration(DEEP, "01:00", "07:00", 60),
        duration(LIGHT, "01:00", "07:00", 220),
        duration(REM, "01:00", "07:00", 80),
    ]));
    assert!(record.hypnogram().is_empty());
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(21_600.0));
    assert_eq!(metric(&record, MetricKind::TimeNightDeep), Some(3600.0));
    let alone = only(&duration(ASLEEP, "01:00", "07:00", 360));
    assert_eq!(stages(&alone), ["ASLEEP 01:00-07:00"]);
}

#[test]
fn stages_win_over_sums() {
    let record = only(&list(&[duration(ASLEEP, "01:00", "07:00", 100), asleep("02:00", "03:00", "")]));
    assert_eq!(stages(&record), ["ASLEEP 02:00-03:00"]);
    assert_eq!(frame(&record), "2026-01-11T01:00:00-05:00 2026-01-11T07:00:00-05:00");
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(3600.0));
}

#[test]
fn sums_of_parts_of_one_night_are_added_and_those_of_two_nights_are_not() {
    let record =
        only(&list(&[duration(ASLEEP, "01:00", "03:00", 90), duration(ASLEEP, "03:30", "06:00", 120)]));
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(12_600.0));
    let found =
        read_all(&list(&[duration(ASLEEP, "01:00", "03:00", 90), duration(ASLEEP, "04:30", "06:00", 60)]));
    let asleep: Vec<_> =
        sessions(&found).iter().map(|one| metric(one, MetricKind::TimeNightAsleep)).collect();
    assert_eq!(asleep, [Some(5400.0), Some(3600.0)]);
}

#[test]
fn sums_that_contradict_are_dropped_and_noted() {
    let found =
        read_all(&list(&[duration(ASLEEP, "01:00", "06:00", 90), duration(ASLEEP, "03:00", "07:00", 120)]));
    assert_eq!(metric(&sessions(&found)[0], MetricKind::TimeNightAsleep), None);
    assert_eq!(
        notes(&found),
        ["record 1: totals of overlapping periods contradict each other and were dropped"]
    );
    // Seconds labelled as minutes.
    let found = read_all(&asleep_for(r#""value":19800,"unit":"min","code":"min""#));
    assert_eq!(metric(&sessions(&found)[0], MetricKind::TimeNightAsleep), None);
    assert_eq!(notes(&found), ["record 1: the totals contradict the time in bed and were dropped"]);
}

#[test]
fn the_unit_of_a_duration_is_applied() {
    for quantity in [
        r#""value":19800,"unit":"seconds","code":"s""#,
        r#""value":330,"code":"min""#,
        r#""value":5.5,"unit":"h""#,
        r#""value":19800000,"unit":"ms""#,
    ] {
        let record = only(&asleep_for(quantity));
        assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(19_800.0), "{quantity}");
    }
    for quantity in [
        r#""value":330"#,
        r#""value":330,"code":"mm[Hg]""#,
        r#""value":-1,"code":"min""#,
        r#""code":"min""#,
        r#""value":330,"code":"min","comparator":"<""#,
    ] {
        let found = read_all(&asleep_for(quantity));
        let reason = "record 1: valueQuantity is not a duration in a UCUM unit";
        assert_eq!(rejections(&found), [reason], "{quantity}");
    }
}

#[test]
fn a_start_and_a_duration_are_enough() {
    let text = duration(ASLEEP, "01:00", "07:00", 90).replace(r#","end":"2026-01-11T07:00:00-05:00""#, "");
    let record = only(&text);
    assert_eq!(frame(&record), "2026-01-11T01:00:00-05:00 2026-01-11T02:30:00-05:00");
    assert_eq!(stages(&record), ["ASLEEP 01:00-02:30"]);
}

#[test]
fn the_total_of_a_whole_day_is_not_a_session() {
    for end in ["2026-01-12T00:00:00-05:00", "2026-01-11T23:59:59-05:00"] {
        let text = duration(ASLEEP, "00:00", "07:00", 430).replace("2026-01-11T07:00:00-05:00", end);
        assert_eq!(rejections(&read_all(&text)), ["record 1: a total over a day or longer is not a session"]);
    }
}

#[test]
fn sums_may_be_components() {
    let phr = "http://hl7.org/fhir/uv/phr/CodeSystem";
    let component = |system: &str, code: &str, minutes: f64| {
        format!(
            r#"{{"code":{{"coding":[{{"system":"{system}","code":"{code}"}}]}},"valueQuantity":{{"value":{minutes},"code":"min"}}}}"#
        )
    };
    let own = format!("{phr}/sleep-episode-codes");
    let components = [
        component(&own, "latencyToSleepOnset", 12.5),
        component(&own, "totalSleepTime", 300.0),
        component(&own, "wakeAfterSleepOnset", 20.0),
        component(&own, "deepSleepDuration", 50.0),
        component(LOINC, LIGHT, 200.0),
        component(&own, "remSleepDuration", 50.0),
        component(&own, "sleepEfficiencyPercentage", 90.0),
    ];
    let more = format!(r#","component":[{}]"#, components.join(","));
    let system = format!("{phr}/observation-pghd-codes");
    let record = only(&observation((&system, "sleepEpisode"), "01:00", "07:00", &more));
    assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(18_000.0));
    assert_eq!(metric(&record, MetricKind::TimeNightLight), Some(12_000.0));
    assert_eq!(metric(&record, MetricKind::SleepLatency), Some(750.0));
    assert_eq!(metric(&record, MetricKind::TimeSleepAwake), Some(1200.0));
    let found = read_all(&observation(
        (&system, "sleepEpisode"),
        "01:00",
        "07:00",
        &more.replace(r#"50,"code":"min""#, "50"),
    ));
    assert_eq!(
        notes(&found),
        ["record 1: components with a missing value or one of the wrong type or unit were left out: 2"]
    );
}

/// An episode with these components of the guide, each as code and member of its value.
fn episode(from: &str, to: &str, components: &[(&str, &str)]) -> String {
    let phr = "http://hl7.org/fhir/uv/phr/CodeSystem";
    let component = |(code, value): &(&str, &str)| {
        format!(
            r#"{{"code":{{"coding":[{{"system":"{phr}/sleep-episode-codes","code":"{code}"}}]}},{value}}}"#
        )
    };
    let components = components.iter().map(component).collect::<Vec<_>>().join(",");
    let system = format!("{phr}/observation-pghd-codes");
    observation((&system, "sleepEpisode"), from, to, &format!(r#","component":[{components}]"#))
}

const ASLEEP_FOR_5_HOURS: (&str, &str) = ("totalSleepTime", r#""valueQuantity":{"value":300,"code":"min"}"#);

#[test]
fn an_episode_reports_the_number_of_awakenings() {
    for (value, wakeups) in [
        (r#""valueInteger":3"#, Some(3.0)),
        (r#""valueInteger":0"#, Some(0.0)),
        (r#""valueQuantity":{"value":3,"unit":"{count}","code":"{count}"}"#, Some(3.0)),
        (r#""valueInteger":-3"#, None),
        (r#""valueInteger":2.5"#, None),
        (r#""valueString":"3""#, None),
    ] {
        let found =
            read_all(&episode("01:00", "07:00", &[ASLEEP_FOR_5_HOURS, ("numberOfAwakenings", value)]));
        let [record] = sessions(&found).try_into().unwrap();
        assert_eq!(metric(&record, MetricKind::SleepWakeups), wakeups, "{value}");
        assert_eq!(metric(&record, MetricKind::TimeNightAsleep), Some(18_000.0));
        let left_out =
            "record 1: components with a missing value or one of the wrong type or unit were left out: 1";
        assert_eq!(notes(&found), Vec::from_iter(wakeups.is_none().then_some(left_out)), "{value}");
    }
    let two = list(&[
        episode("01:00", "03:00", &[("numberOfAwakenings", r#""valueInteger":2"#)]),
        episode("03:10", "07:00", &[("numberOfAwakenings", r#""valueInteger":3"#)]),
    ]);
    assert_eq!(metric(&only(&two), MetricKind::SleepWakeups), Some(5.0));
}

#[test]
fn an_episode_reports_whether_it_is_a_nap() {
    let main = |flag: &str| ("isMainSleep", format!(r#""valueBoolean":{flag}"#));
    for (flag, is_nap) in [("true", Some(false)), ("false", Some(true))] {
        let (code, value) = main(flag);
        let with_sum = episode("01:00", "07:00", &[ASLEEP_FOR_5_HOURS, (code, &value)]);
        assert_eq!(only(&with_sum).is_nap(), is_nap);
        assert_eq!(metric(&only(&with_sum), MetricKind::TimeNightAsleep), Some(18_000.0));
        let alone = episode("01:00", "07:00", &[(code, &value)]);
        assert_eq!((only(&alone).is_nap(), only(&alone).hypnogram().is_empty()), (is_nap, true));
        let beside_stages = only(&list(&[alone, asleep("02:00", "03:00", "")]));
        assert_eq!(
            (beside_stages.is_nap(), stages(&beside_stages)),
            (is_nap, vec!["ASLEEP 02:00-03:00".to_owned()])
        );
    }
    assert_eq!(only(&episode("01:00", "07:00", &[ASLEEP_FOR_5_HOURS])).is_nap(), None);
}

#[test]
fn contradictory_episodes_leave_it_unknown_whether_it_is_a_nap() {
    let found = read_all(&list(&[
        episode("01:00", "03:00", &[("isMainSleep", r#""valueBoolean":true"#)]),
        episode("03:10", "07:00", &[("isMainSleep", r#""valueBoolean":false"#)]),
    ]));
    assert_eq!(sessions(&found)[0].is_nap(), None);
    let reported =
        "record 1: Observations of this session contradict each other on isMainSleep, which was left out";
    assert_eq!(notes(&found), [reported]);
    let found = read_all(&episode("01:00", "07:00", &[("isMainSleep", r#""valueString":"true""#)]));
    assert_eq!(rejections(&found), ["record 1: it has no known value"]);
}
