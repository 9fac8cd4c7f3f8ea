use super::*;
use crate::supplement::TextProblem;
use proptest::prelude::*;
use uuid::Uuid;

fn supplement_id() -> SupplementId {
    SupplementId::from_uuid(Uuid::from_u128(7))
}

fn record(created_at: &str, external_key: Option<&str>) -> Result<IntakeLogRecord, InvalidIntakeLog> {
    let created_at = created_at.parse().expect("an instant");
    let servings = Servings::new(1.5).expect("servings");
    IntakeLogRecord::new(supplement_id(), created_at, servings, external_key.map(str::to_owned))
}

#[test]
fn servings_are_above_zero_and_at_most_ten_thousand() {
    for servings in [0.5, 1.0, 10_000.0, f64::MIN_POSITIVE] {
        assert_eq!(Servings::new(servings).map(Servings::get), Ok(servings));
    }
    for servings in [0.0, -0.0, -1.0, 10_000.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Servings::new(servings), Err(InvalidServings), "{servings}");
    }
}

#[test]
fn a_record_keeps_supplement_time_and_servings() {
    let record = record("2026-03-08T23:10:00.123456Z", Some("app-17")).expect("a record");
    assert_eq!(record.supplement_id(), supplement_id());
    assert_eq!(Ok(record.servings()), Servings::new(1.5));
    assert_eq!(record.external_key(), Some("app-17"));
    let id = IntakeLogId::from_uuid(Uuid::from_u128(8));
    assert_eq!(record.clone().with_id(id), IntakeLog { id, record });
}

#[test]
fn the_time_is_cut_to_the_microsecond() {
    let cut = |text| record(text, None).map(|record| record.created_at().to_rfc3339());
    assert_eq!(cut("2026-03-08T23:10:00.123456789Z"), Ok("2026-03-08T23:10:00.123456+00:00".into()));
    assert_eq!(cut("1969-12-31T23:59:59.999999999Z"), Ok("1969-12-31T23:59:59.999999+00:00".into()));
}

#[test]
fn a_time_that_the_api_cannot_print_is_rejected() {
    for text in ["+10000-01-01T00:00:00Z", "0000-12-31T23:59:59Z", "-0001-01-01T00:00:00Z"] {
        assert_eq!(record(text, None), Err(InvalidIntakeLog::CreatedAt), "{text}");
    }
    assert!(record("9999-12-31T23:59:59.999999Z", None).is_ok());
}

#[test]
fn an_own_key_is_a_text_that_is_not_blank() {
    let rejected =
        |problem| Err(InvalidIntakeLog::ExternalKey(InvalidText { field: "external_id", problem }));
    let with = |key: &str| record("2026-03-08T23:10:00Z", Some(key));
    assert_eq!(with(""), rejected(TextProblem::Blank));
    assert_eq!(with("a\nb"), rejected(TextProblem::ControlCharacter));
    assert_eq!(with(&"k".repeat(201)), rejected(TextProblem::TooLong { limit: 200 }));
}

#[test]
fn an_intake_more_than_a_day_ahead_is_in_the_future() {
    let taken = record("2026-03-08T23:10:00Z", None).unwrap();
    let at = |text: &str| text.parse().unwrap();
    assert!(!taken.is_in_the_future(at("2026-03-07T23:10:00Z")));
    assert!(taken.is_in_the_future(at("2026-03-07T23:09:59Z")));
}

proptest! {
    #[test]
    fn servings_of_any_number_are_in_range_or_rejected(servings in any::<f64>()) {
        if let Ok(made) = Servings::new(servings) {
            prop_assert!(made.get() > 0.0 && made.get() <= Servings::MAX);
        }
    }

    #[test]
    fn any_instant_is_kept_to_the_microsecond_or_rejected(seconds in any::<i64>(), nanos in 0_u32..1_000_000_000) {
        if let Some(instant) = DateTime::from_timestamp(seconds, nanos)
            && let Ok(record) = IntakeLogRecord::new(supplement_id(), instant, Servings(1.0), None)
        {
            prop_assert_eq!(record.created_at().timestamp_micros(), instant.timestamp_micros());
            prop_assert_eq!(record.created_at().timestamp_subsec_nanos() % 1_000, 0);
        }
    }
}
