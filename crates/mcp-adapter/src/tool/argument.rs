//! Arguments of a call. Error texts name the argument, never its value.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// Years in which anything can be recorded.
const YEARS: RangeInclusive<i32> = 1970..=9999;

/// Why arguments are invalid, for the model that chose them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InvalidArgument(pub(super) String);

/// The arguments of a call; a null is an absent argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arguments<'a>(&'a Map<String, Value>);

impl<'a> Arguments<'a> {
    /// Checks the names.
    pub(super) fn new(
        values: &'a Map<String, Value>,
        names: &'static [&'static str],
    ) -> Result<Self, InvalidArgument> {
        if values.keys().all(|name| names.contains(&name.as_str())) {
            return Ok(Self(values));
        }
        Err(InvalidArgument(match names {
            [] => "This tool takes no arguments.".to_owned(),
            names => format!("Unknown argument. This tool takes: {}.", names.join(", ")),
        }))
    }

    /// Returns a text.
    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, InvalidArgument> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(InvalidArgument(format!("{name} must be a string."))),
        }
    }

    /// Returns a date.
    pub(super) fn date(self, name: &str) -> Result<Option<NaiveDate>, InvalidArgument> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let date = text.parse::<NaiveDate>().ok().filter(|date| YEARS.contains(&date.year()));
        let date = date.filter(|date| date.to_string() == text);
        date.map(Some).ok_or_else(|| InvalidArgument(format!("{name} must be a date such as 2026-03-08.")))
    }

    /// Returns a number of items.
    pub(super) fn number(self, name: &str) -> Result<Option<usize>, InvalidArgument> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        number
            .map(Some)
            .ok_or_else(|| InvalidArgument(format!("{name} must be a whole number of 0 or more.")))
    }

    /// Returns an instant.
    pub(super) fn instant(self, name: &str) -> Result<Option<DateTime<Utc>>, InvalidArgument> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let invalid =
            |_| InvalidArgument(format!("{name} must be a time such as 2026-03-08T23:10:00-05:00."));
        DateTime::parse_from_rfc3339(text).map(|instant| Some(instant.to_utc())).map_err(invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn with(value: Value) -> Map<String, Value> {
        Map::from_iter([("from".to_owned(), value)])
    }

    #[test]
    fn an_absent_or_null_argument_is_none() {
        for values in [Map::new(), with(Value::Null)] {
            assert_eq!(Arguments::new(&values, &["from"]).unwrap().date("from"), Ok(None));
        }
    }

    #[test]
    fn a_value_of_another_type_is_rejected_without_repeating_it() {
        for value in [json!(20_260_308), json!(["2026-03-08"]), json!({}), json!(true), json!("LEAKME")] {
            let values = with(value);
            let InvalidArgument(text) = Arguments::new(&values, &["from"]).unwrap().date("from").unwrap_err();
            assert!(text.starts_with("from must be a ") && !text.contains("LEAKME"), "{text}");
        }
    }

    #[test]
    fn only_dates_that_exist_in_one_spelling_are_read() {
        for text in
            ["", "2026-02-29", "2026-2-1", "1969-12-31", "10000-01-01", "2026-02-01T00:00", " 2026-02-01"]
        {
            let values = with(json!(text));
            assert!(Arguments::new(&values, &["from"]).unwrap().date("from").is_err(), "{text}");
        }
        let values = with(json!("2024-02-29"));
        let date = Arguments::new(&values, &["from"]).unwrap().date("from").unwrap();
        assert_eq!(date, NaiveDate::from_ymd_opt(2024, 2, 29));
    }

    #[test]
    fn a_number_is_whole_and_not_negative() {
        let values = with(json!(7));
        assert_eq!(Arguments::new(&values, &["from"]).unwrap().number("from"), Ok(Some(7)));
        for value in [json!(-1), json!(1.5), json!("7"), json!([])] {
            let values = with(value);
            assert!(Arguments::new(&values, &["from"]).unwrap().number("from").is_err());
        }
    }

    #[test]
    fn an_unknown_argument_is_rejected_with_the_names_of_the_others() {
        let values = Map::from_iter([("LEAKME".to_owned(), json!(1))]);
        for (names, expected) in [
            (&[][..], "This tool takes no arguments."),
            (&["from", "to"], "Unknown argument. This tool takes: from, to."),
        ] {
            assert_eq!(Arguments::new(&values, names).unwrap_err().0, expected);
        }
    }

    proptest! {
        #[test]
        fn reading_an_arbitrary_text_does_not_panic(text in ".*") {
            let values = with(json!(text));
            let arguments = Arguments::new(&values, &["from"]).unwrap();
            let _ = (arguments.date("from"), arguments.instant("from"));
        }
    }
}
