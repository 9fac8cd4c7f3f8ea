use super::*;
use chrono::FixedOffset;
use proptest::prelude::*;

fn offset(minutes: i16) -> Option<UtcOffset> {
    UtcOffset::from_minutes(minutes)
}

/// Formats with chrono what the writer should print.
fn with_chrono(unix_millis: i64, offset: Option<UtcOffset>) -> String {
    let instant = DateTime::from_timestamp_millis(unix_millis).expect("in range");
    let fraction = if unix_millis.rem_euclid(1_000) == 0 { "" } else { "%.3f" };
    match offset {
        None => instant.format(&format!("%Y-%m-%dT%H:%M:%S{fraction}Z")).to_string(),
        Some(offset) => {
            let zone = FixedOffset::east_opt(offset.seconds()).expect("in range");
            instant.with_timezone(&zone).format(&format!("%Y-%m-%dT%H:%M:%S{fraction}%:z")).to_string()
        }
    }
}

#[test]
fn an_instant_is_printed_with_the_offset_in_force() {
    let instant = 1_773_029_400_000;
    assert_eq!(millis(instant, offset(-300)), "2026-03-08T23:10:00-05:00");
    assert_eq!(millis(instant, offset(0)), "2026-03-09T04:10:00+00:00");
    assert_eq!(millis(instant, None), "2026-03-09T04:10:00Z");
    assert_eq!(millis(instant, offset(630)), "2026-03-09T14:40:00+10:30");
}

#[test]
fn a_fraction_appears_only_when_it_is_not_zero() {
    assert_eq!(millis(1_773_029_400_007, None), "2026-03-09T04:10:00.007Z");
    assert_eq!(millis(1_773_029_400_120, offset(60)), "2026-03-09T05:10:00.120+01:00");
    assert_eq!(millis(-1, None), "1969-12-31T23:59:59.999Z");
    let finer = DateTime::from_timestamp(1_773_029_400, 999_999).expect("in range");
    assert_eq!(utc(finer), "2026-03-09T04:10:00Z");
}

#[test]
fn a_log_entry_has_six_decimals_and_a_numeric_offset_always() {
    assert_eq!(micros_numeric(1_773_029_400_000_000), "2026-03-09T04:10:00.000000+00:00");
    assert_eq!(micros_numeric(1_773_029_400_000_042), "2026-03-09T04:10:00.000042+00:00");
    assert_eq!(micros_numeric(-1), "1969-12-31T23:59:59.999999+00:00");
}

#[test]
fn years_beyond_four_digits_are_clamped_to_the_first_or_last_time() {
    assert_eq!(millis(i64::MIN, None), "0000-01-01T00:00:00Z");
    assert_eq!(millis(i64::MAX, offset(1080)), "9999-12-31T23:59:59.999+18:00");
    assert_eq!(millis(i64::MIN, offset(-1080)), "0000-01-01T00:00:00-18:00");
    assert_eq!(micros_numeric(i64::MIN), "0000-01-01T00:00:00.000000+00:00");
    assert_eq!(micros_numeric(i64::MAX), "9999-12-31T23:59:59.999999+00:00");
}

#[test]
fn the_writer_notices_every_change_of_day() {
    let mut writer = TimestampWriter::default();
    let mut out = b"[".to_vec();
    for instant in [86_399_999, 86_400_000, 0, 86_400_000] {
        writer.write_millis(&mut out, instant, None);
        writer.write_micros_numeric(&mut out, instant);
    }
    let text = String::from_utf8(out).expect("ASCII");
    assert!(text.starts_with("[1970-01-01T23:59:59.999Z1970-01-01T00:01:26.399999+00:00"), "{text}");
    assert!(text.ends_with("1970-01-02T00:00:00Z1970-01-01T00:01:26.400000+00:00"), "{text}");
}

proptest! {
    #[test]
    fn the_writer_prints_what_chrono_prints_in_any_order(
        stamps in proptest::collection::vec(
            (
                prop_oneof![
                    -62_100_000_000_000_i64..253_402_200_000_000,
                    1_773_000_000_000_i64..1_773_200_000_000,
                    (1_773_000_000_i64..1_773_200_000).prop_map(|second| second * 1_000),
                ],
                proptest::option::of(-1080_i16..=1080),
                any::<bool>(),
            ),
            1..20,
        ),
    ) {
        let mut writer = TimestampWriter::new();
        for (instant, minutes, as_micros) in stamps {
            let mut out = Vec::new();
            let offset = minutes.and_then(UtcOffset::from_minutes);
            let expected = if as_micros {
                writer.write_micros_numeric(&mut out, instant * 1_000 + 7);
                let at = DateTime::from_timestamp_micros(instant * 1_000 + 7).expect("in range");
                at.format("%Y-%m-%dT%H:%M:%S%.6f%:z").to_string()
            } else {
                writer.write_millis(&mut out, instant, offset);
                with_chrono(instant, offset)
            };
            prop_assert_eq!(String::from_utf8(out).expect("ASCII"), expected);
        }
    }

    #[test]
    fn formatting_any_number_never_panics(instant in any::<i64>(), minutes in -1080_i16..=1080) {
        prop_assert!(millis(instant, UtcOffset::from_minutes(minutes)).len() <= 29);
        prop_assert_eq!(micros_numeric(instant).len(), 32);
    }
}
