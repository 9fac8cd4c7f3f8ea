use super::MetricValue;
use proptest::prelude::*;

fn json(value: MetricValue) -> String {
    let mut out = Vec::new();
    value.write_json(&mut out);
    String::from_utf8(out).unwrap()
}

fn decimal(mantissa: i64, scale: u8) -> MetricValue {
    MetricValue::from_decimal(mantissa, scale).unwrap()
}

#[test]
fn json_is_an_integer_when_whole_and_else_the_shortest_text() {
    let cases = [
        (0.0, "0"),
        (-0.0, "0"),
        (28_800.0, "28800"),
        (-3.0, "-3"),
        (12.5, "12.5"),
        (-0.05, "-0.05"),
        (0.0001, "0.0001"),
        (0.00001, "0.00001"),
        (33.3333, "33.3333"),
        (1.0 / 3.0, "0.3333333333333333"),
        (0.1 + 0.2, "0.30000000000000004"),
        (99_999_999_999.999_9, "99999999999.9999"),
        (999_999_999_999_999.0, "999999999999999"),
        (1e15, "1000000000000000.0"),
        (1e300, "1e+300"),
        (5e-324, "5e-324"),
    ];
    for (number, text) in cases {
        assert_eq!(json(MetricValue::from_f64(number).unwrap()), text);
    }
}

#[test]
fn one_number_has_one_form() {
    assert_eq!(decimal(1_500, 3), decimal(15, 1));
    assert_eq!(decimal(0, 255), MetricValue::from_count(0));
    assert_eq!(MetricValue::from_f64(1.5), MetricValue::from_decimal(15, 1));
    assert_eq!(MetricValue::from_decimal(15, 5), None);
    assert_eq!(MetricValue::from_decimal(1_000_000_000_000_000, 0), None);
    assert_eq!(MetricValue::from_decimal(i64::MIN, 1), None);
}

#[test]
fn a_number_that_is_not_finite_is_rejected() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(MetricValue::from_f64(number), None);
    }
}

#[test]
fn a_percentage_is_rounded_half_up_to_four_places() {
    assert_eq!(json(MetricValue::percent_of(1, 3).unwrap()), "33.3333");
    assert_eq!(json(MetricValue::percent_of(2, 3).unwrap()), "66.6667");
    assert_eq!(json(MetricValue::percent_of(1, 2_000_000).unwrap()), "0.0001");
    assert_eq!(json(MetricValue::percent_of(7, 7).unwrap()), "100");
    assert_eq!(json(MetricValue::percent_of(0, 7).unwrap()), "0");
    assert_eq!(MetricValue::percent_of(1, 0), None);
}

#[test]
fn milliseconds_become_seconds_with_up_to_three_places() {
    assert_eq!(json(MetricValue::seconds_from_millis(28_800_000).unwrap()), "28800");
    assert_eq!(json(MetricValue::seconds_from_millis(1_050).unwrap()), "1.05");
    assert_eq!(json(MetricValue::seconds_from_millis(7).unwrap()), "0.007");
}

proptest! {
    #[test]
    fn a_binary64_number_round_trips(number in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
        let value = MetricValue::from_f64(number).unwrap();
        prop_assert_eq!(value.as_f64().to_bits(), number.to_bits());
        prop_assert_eq!(json(value).parse::<f64>().unwrap().to_bits(), number.to_bits());
    }

    #[test]
    fn a_decimal_reads_back_as_itself(mantissa in -999_999_999_999_999_i64..=999_999_999_999_999, scale in 0_u8..=4) {
        let value = decimal(mantissa, scale);
        prop_assert_eq!(MetricValue::from_f64(value.as_f64()), Some(value));
        let parsed = json(value).parse::<f64>().unwrap();
        prop_assert_eq!(MetricValue::from_f64(parsed), Some(value));
        if value.as_integer().is_none() {
            let mut shortest = zmij::Buffer::new();
            prop_assert_eq!(json(value), shortest.format_finite(value.as_f64()));
        }
    }
}
