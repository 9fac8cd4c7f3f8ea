use super::super::testing::{entry, hypnogram_and_frame, minute, night};
use super::super::{Hypnogram, MetricKind, MetricValue, SleepMetrics, Stage, StageEntry};
use super::{
    InvalidPacked, MetricWalk, StageWalk, check_metrics, check_stages, decode_metrics, decode_stages,
    encode_metrics, encode_stages,
};
use Stage::{Asleep, Awake, Deep, Light, Rem, Unknown};
use chrono::Duration;
use proptest::prelude::*;

/// Version 1 as first written; these bytes must stay readable.
const STAGES_V1: [&[u8]; 3] = [
    &[0x13, 0x02, 0x14, 0x05, 0x02, 0xda, 0x01],
    &[0x12, 0x02, 0xd8, 0x04, 0x05, 0x3c, 0x8c, 0x33],
    &[0x11, 0x02, 0xc0, 0xcf, 0x24, 0x05, 0xe0, 0xd4, 0x03, 0xe0, 0x95, 0x8f, 0x03],
];

#[test]
fn stages_of_version_1_stay_readable() {
    let frame = night(120);
    let expected = Hypnogram::new(vec![entry(Awake, 0, 10), entry(Light, 11, 120)], &frame).unwrap();
    for bytes in STAGES_V1 {
        assert_eq!(decode_stages(&frame, bytes), Ok(expected.clone()));
    }
    assert_eq!(encode_stages(frame.start_millis(), &expected), STAGES_V1[0]);
}

#[test]
fn every_code_of_version_1_stays_readable() {
    let bytes = [0x13, 0x02, 0x02, 0x04, 0x02, 0x06, 0x02, 0x08, 0x02, 0x0a, 0x02, 0x0c, 0x02];
    let frame = night(6);
    let decoded = decode_stages(&frame, &bytes).unwrap();
    let stages: Vec<_> = decoded.entries().iter().map(StageEntry::stage).collect();
    assert_eq!(stages, [Awake, Light, Deep, Rem, Asleep, Unknown]);
    assert_eq!(encode_stages(frame.start_millis(), &decoded), bytes);
}

#[test]
fn the_unit_is_the_coarsest_in_which_every_length_is_whole() {
    let frame = night(480);
    let header = |end_after_millis| {
        let end = minute(1) + Duration::milliseconds(end_after_millis);
        let entries = vec![StageEntry::new(Rem, minute(1), end).unwrap()];
        encode_stages(frame.start_millis(), &Hypnogram::new(entries, &frame).unwrap()).first().copied()
    };
    assert_eq!(header(30_000), Some(0x13));
    assert_eq!(header(31_000), Some(0x12));
    assert_eq!(header(30_001), Some(0x11));
}

#[test]
fn no_stages_are_no_bytes() {
    assert_eq!(encode_stages(0, &Hypnogram::empty()), Vec::<u8>::new());
    assert_eq!(decode_stages(&night(5), &[]), Ok(Hypnogram::empty()));
    assert_eq!(check_stages(0, 1, &[]), Ok(0));
}

#[test]
fn stages_before_the_start_are_cut_off() {
    let frame = night(60);
    let hypnogram = Hypnogram::new(vec![entry(Light, 0, 10), entry(Deep, 10, 60)], &frame).unwrap();
    let bytes = encode_stages(minute(20).timestamp_millis(), &hypnogram);
    assert_eq!(bytes, [0x13, 0x06, 0x50]);
}

#[test]
fn stages_that_break_a_rule_are_rejected() {
    let cases: [(&[u8], InvalidPacked); 15] = [
        (&[0x10, 0x02, 0x01], InvalidPacked::UnknownHeader),
        (&[0x14, 0x02, 0x01], InvalidPacked::UnknownHeader),
        (&[0x21, 0x02, 0x01], InvalidPacked::UnknownHeader),
        (&[0x00], InvalidPacked::UnknownHeader),
        (&[0x13], InvalidPacked::Truncated),
        (&[0x13, 0x02], InvalidPacked::Truncated),
        (&[0x13, 0x03, 0x01], InvalidPacked::Truncated),
        (&[0x13, 0x02, 0x81], InvalidPacked::Truncated),
        (&[0x13, 0x02, 0x01, 0x00], InvalidPacked::UnknownTag),
        (&[0x13, 0x0e, 0x01], InvalidPacked::UnknownTag),
        (&[0x13, 0x02, 0x00], InvalidPacked::EmptyStretch),
        (&[0x13, 0x03, 0x00, 0x01], InvalidPacked::EmptyStretch),
        (&[0x13, 0x02, 0x81, 0x00], InvalidPacked::IllFormedNumber),
        (
            &[0x13, 0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            InvalidPacked::IllFormedNumber,
        ),
        (
            &[0x13, 0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
            InvalidPacked::OutsideTimeInBed,
        ),
    ];
    let frame = night(60);
    for (bytes, reason) in cases {
        assert_eq!(decode_stages(&frame, bytes), Err(reason), "{bytes:02x?}");
    }
    assert!(decode_stages(&frame, &[0x13, 0x02, 0x78]).is_ok());
    assert_eq!(decode_stages(&frame, &[0x13, 0x02, 0x79]), Err(InvalidPacked::OutsideTimeInBed));
    assert!(matches!(StageWalk::new(i64::MAX, &[0x11, 0x02, 0x01]).unwrap().next(), Some(Err(_))));
}

#[test]
fn the_check_knows_the_sessions_end_to_the_millisecond() {
    let bytes = [0x13, 0x02, 0x02];
    assert_eq!(check_stages(5, 60_005, &bytes), Ok(1));
    assert_eq!(check_stages(5, 60_004, &bytes), Err(InvalidPacked::OutsideTimeInBed));
}

#[test]
fn more_entries_than_a_session_may_have_are_rejected() {
    let most = Hypnogram::MAX_ENTRIES;
    let bytes = |count: usize| [vec![0x11], [0x02, 0x01].repeat(count)].concat();
    assert_eq!(check_stages(0, 200_000, &bytes(most)), Ok(most));
    assert_eq!(check_stages(0, 200_000, &bytes(most + 1)), Err(InvalidPacked::TooMany));
}

/// Version 1 as first written: 28,800 s in bed, a third of a percent awake, 93.75 percent efficiency.
const METRICS_V1: [u8; 18] = [
    0x10, 0x08, 0x80, 0xc2, 0x03, 0x3f, 0x3f, 0xd5, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x8a, 0xbe, 0x92,
    0x01,
];

fn v1_metrics() -> SleepMetrics {
    let value = |number| MetricValue::from_f64(number).unwrap();
    let given = vec![
        (MetricKind::SleepEfficiency, value(93.75)),
        (MetricKind::PercentageNightAwake, value(1.0 / 3.0)),
    ];
    SleepMetrics::from_reported(&night(480), given).unwrap()
}

#[test]
fn metrics_of_version_1_stay_readable() {
    assert_eq!(decode_metrics(&night(480), &METRICS_V1), Ok(v1_metrics()));
    assert_eq!(encode_metrics(&v1_metrics()), METRICS_V1);
    assert_eq!(check_metrics(&METRICS_V1), Ok(3));
}

#[test]
fn metrics_that_break_a_rule_are_rejected() {
    let cases: [(&[u8], InvalidPacked); 16] = [
        (&[], InvalidPacked::Truncated),
        (&[0x10], InvalidPacked::Truncated),
        (&[0x11, 0x08, 0x00], InvalidPacked::UnknownHeader),
        (&[0x20, 0x08, 0x00], InvalidPacked::UnknownHeader),
        (&[0x10, 0x08], InvalidPacked::Truncated),
        (&[0x10, 0x3f, 0x3f, 0xd5, 0x55], InvalidPacked::Truncated),
        (&[0x10, 0x00, 0x02], InvalidPacked::UnknownTag),
        (&[0x10, 0xa0, 0x02], InvalidPacked::UnknownTag),
        (&[0x10, 0x0d, 0x02], InvalidPacked::UnknownTag),
        (&[0x10, 0x08, 0x02, 0x08, 0x02], InvalidPacked::OutOfOrder),
        (&[0x10, 0x10, 0x02, 0x08, 0x02], InvalidPacked::OutOfOrder),
        (&[0x10, 0x08, 0x01], InvalidPacked::ImpossibleValue),
        (&[0x10, 0x09, 0x14], InvalidPacked::ImpossibleValue),
        (&[0x10, 0x88, 0xca, 0x01], InvalidPacked::ImpossibleValue),
        (&[0x10, 0x0f, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0], InvalidPacked::ImpossibleValue),
        (&[0x10, 0x0f, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0], InvalidPacked::ImpossibleValue),
    ];
    for (bytes, reason) in cases {
        assert_eq!(check_metrics(bytes), Err(reason), "{bytes:02x?}");
        assert_eq!(decode_metrics(&night(480), bytes), Err(reason), "{bytes:02x?}");
    }
}

#[test]
fn metrics_of_another_night_are_rejected() {
    let rejected = Err(InvalidPacked::MetricsOfAnotherNight);
    assert_eq!(decode_metrics(&night(481), &METRICS_V1), rejected);
    assert_eq!(decode_metrics(&night(480), &[0x10, 0x10, 0x02]), rejected);
}

#[test]
fn a_typical_night_takes_few_bytes() {
    let frame = night(480);
    let stage = |number: usize| [Light, Deep, Light, Rem, Awake][number % 5];
    let at = |number: usize| minute(0) + Duration::seconds(i64::try_from(number).unwrap() * 721);
    let entries = (0..39).map(|number| StageEntry::new(stage(number), at(number), at(number + 1)).unwrap());
    let hypnogram = Hypnogram::new(entries.collect(), &frame).unwrap();
    let stages = encode_stages(frame.start_millis(), &hypnogram);
    assert_eq!(stages.len(), 1 + 39 * 3);
    let metrics = encode_metrics(&SleepMetrics::from_hypnogram(&frame, &hypnogram));
    assert!(metrics.len() <= 78, "{} bytes for all 19 metrics", metrics.len());
}

fn walked(start_millis: i64, bytes: &[u8]) -> Result<Vec<(Stage, i64, i64)>, InvalidPacked> {
    StageWalk::new(start_millis, bytes)?.collect()
}

fn listed(hypnogram: &Hypnogram) -> Vec<(Stage, i64, i64)> {
    let entries = hypnogram.entries().iter();
    entries.map(|entry| (entry.stage(), entry.start_millis(), entry.end_millis())).collect()
}

/// Generates bytes that are often almost valid: a known header, then tags and short numbers.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), 1_u8..=13, 0_u8..=3];
    (0x10_u8..=0x13, proptest::collection::vec(byte, 0..40))
        .prop_map(|(header, rest)| [vec![header], rest].concat())
}

fn some_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![proptest::collection::vec(any::<u8>(), 0..60), likely_bytes()]
}

proptest! {
    #[test]
    fn stages_decode_to_what_was_encoded((hypnogram, frame) in hypnogram_and_frame()) {
        let bytes = encode_stages(frame.start_millis(), &hypnogram);
        prop_assert_eq!(check_stages(frame.start_millis(), frame.end_millis(), &bytes), Ok(hypnogram.len()));
        prop_assert_eq!(walked(frame.start_millis(), &bytes), Ok(listed(&hypnogram)));
        prop_assert_eq!(decode_stages(&frame, &bytes), Ok(hypnogram));
    }

    #[test]
    fn metrics_decode_to_what_was_encoded((hypnogram, frame) in hypnogram_and_frame()) {
        let metrics = SleepMetrics::from_hypnogram(&frame, &hypnogram);
        let bytes = encode_metrics(&metrics);
        let walked: Result<Vec<_>, _> = MetricWalk::new(&bytes).unwrap().collect();
        prop_assert_eq!(walked, Ok(metrics.iter().collect::<Vec<_>>()));
        prop_assert_eq!(decode_metrics(&frame, &bytes), Ok(metrics));
    }

    #[test]
    fn any_value_in_range_decodes_to_itself(wakeups in any::<u32>(), percent in 0.0_f64..=100.0) {
        let given = vec![
            (MetricKind::SleepWakeups, MetricValue::from_count(wakeups)),
            (MetricKind::SleepEfficiency, MetricValue::from_f64(percent).unwrap()),
        ];
        let metrics = SleepMetrics::from_reported(&night(480), given).unwrap();
        prop_assert_eq!(decode_metrics(&night(480), &encode_metrics(&metrics)), Ok(metrics));
    }

    #[test]
    fn any_bytes_are_stages_or_are_refused_and_walk_and_decode_agree(bytes in some_bytes(), start in any::<i64>()) {
        let frame = night(480);
        let walk = walked(frame.start_millis(), &bytes);
        let check = check_stages(frame.start_millis(), frame.end_millis(), &bytes);
        match decode_stages(&frame, &bytes) {
            Ok(hypnogram) => {
                prop_assert_eq!(check, Ok(hypnogram.len()));
                prop_assert_eq!(walk, Ok(listed(&hypnogram)));
                let again = encode_stages(frame.start_millis(), &hypnogram);
                prop_assert!(again.len() <= bytes.len());
                prop_assert_eq!(decode_stages(&frame, &again), Ok(hypnogram));
            }
            Err(reason) => prop_assert_eq!(check, Err(reason)),
        }
        if let Ok(entries) = walked(start, &bytes) {
            prop_assert!(entries.iter().all(|&(_, from, to)| start <= from && from < to));
        }
    }

    #[test]
    fn any_bytes_are_metrics_or_are_rejected(bytes in some_bytes()) {
        let walk = MetricWalk::new(&bytes).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        prop_assert_eq!(check_metrics(&bytes), walk.clone().map(|values| values.len()));
        match decode_metrics(&night(480), &bytes) {
            Ok(metrics) => {
                prop_assert_eq!(walk, Ok(metrics.iter().collect::<Vec<_>>()));
                prop_assert_eq!(encode_metrics(&metrics), bytes);
            }
            Err(InvalidPacked::MetricsOfAnotherNight) => prop_assert!(walk.is_ok()),
            Err(reason) => prop_assert_eq!(walk, Err(reason)),
        }
    }
}
