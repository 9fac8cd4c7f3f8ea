//! Ranges of days that a tool answers for.

use super::argument::{Arguments, InvalidArgument};
use chrono::{Days, NaiveDate};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Maximum number of missing ranges that an answer lists.
const MAX_MISSING: usize = 30;

/// Days, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DayRange {
    pub(super) first: NaiveDate,
    pub(super) last: NaiveDate,
}

impl DayRange {
    /// Reads `from` and `to`. Without `to` the range ends today; without `from` it has `usual` days. A range
    /// that reaches into the future ends tomorrow.
    pub(super) fn read(
        arguments: Arguments<'_>,
        today: NaiveDate,
        usual: u64,
    ) -> Result<Self, InvalidArgument> {
        let last = arguments.date("to")?.unwrap_or(today);
        let first = arguments.date("from")?.unwrap_or_else(|| days_before(last, usual.saturating_sub(1)));
        if first > last {
            return Err(InvalidArgument(
                "from must not be after to; without to, the range ends today.".to_owned(),
            ));
        }
        // A night that ends east of home may end tomorrow. Later days would be answered part by part in vain.
        let latest = today.succ_opt().unwrap_or(today);
        Ok(Self { first, last: last.min(latest).max(first) })
    }

    /// Returns the last days of the range, at most this many.
    pub(super) fn latest(self, most: u64) -> Self {
        Self { first: self.first.max(days_before(self.last, most.saturating_sub(1))), ..self }
    }

    /// Returns the arguments for the days of this range before a date.
    pub(super) fn before(self, date: NaiveDate) -> Option<Value> {
        let last = days_before(date, 1);
        (self.first <= last && last < date)
            .then(|| json!({ "from": self.first.to_string(), "to": last.to_string() }))
    }

    /// Returns the number of days up to today that are not among these, and the ranges they form, latest
    /// first.
    pub(super) fn missing(self, present: &BTreeSet<NaiveDate>, today: NaiveDate) -> (usize, Vec<Value>) {
        let mut ranges: Vec<Self> = Vec::new();
        let mut number = 0;
        let past = self.first.iter_days().take_while(|day| *day <= self.last.min(today));
        for day in past.filter(|day| !present.contains(day)) {
            number += 1;
            match ranges.last_mut() {
                Some(range) if range.last.succ_opt() == Some(day) => range.last = day,
                _ => ranges.push(Self { first: day, last: day }),
            }
        }
        let latest = ranges.iter().rev().take(MAX_MISSING);
        let shown =
            latest.map(|range| json!({ "from": range.first.to_string(), "to": range.last.to_string() }));
        (number, shown.collect())
    }

    /// Returns the number of days.
    pub(super) fn days(self) -> i64 {
        (self.last - self.first).num_days() + 1
    }
}

/// Returns the date this many days earlier, or the same one at the beginning of time.
pub(super) fn days_before(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_sub_days(Days::new(days)).unwrap_or(date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn day(day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 3, day).unwrap()
    }

    fn range(from: Option<&str>, to: Option<&str>) -> Result<DayRange, InvalidArgument> {
        let given = [("from", from), ("to", to)].into_iter();
        let given = given.filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?))));
        let values: Map<String, Value> = given.collect();
        DayRange::read(Arguments::new(&values, &["from", "to"]).unwrap(), day(20), 7)
    }

    #[test]
    fn a_range_ends_today_and_has_its_usual_length_unless_asked_otherwise() {
        assert_eq!(range(None, None), Ok(DayRange { first: day(14), last: day(20) }));
        assert_eq!(range(Some("2026-03-19"), None), Ok(DayRange { first: day(19), last: day(20) }));
        assert_eq!(range(None, Some("2026-03-10")), Ok(DayRange { first: day(4), last: day(10) }));
        assert!(range(Some("2026-03-11"), Some("2026-03-10")).is_err());
        assert!(range(Some("2026-03-21"), None).is_err());
    }

    #[test]
    fn days_beyond_the_maximum_are_left_for_the_next_call() {
        let asked = DayRange { first: day(1), last: day(20) };
        let read = asked.latest(5);
        assert_eq!((read.first, read.days()), (day(16), 5));
        assert_eq!(asked.before(read.first), Some(json!({ "from": "2026-03-01", "to": "2026-03-15" })));
        assert_eq!(asked.before(day(1)), None);
        assert_eq!(asked.latest(100), asked);
    }

    #[test]
    fn days_without_data_are_listed_as_ranges_up_to_today() {
        let present = BTreeSet::from([day(16), day(17), day(19)]);
        let (number, ranges) = DayRange { first: day(14), last: day(25) }.missing(&present, day(20));
        assert_eq!(number, 4);
        let expected =
            [("2026-03-20", "2026-03-20"), ("2026-03-18", "2026-03-18"), ("2026-03-14", "2026-03-15")];
        assert_eq!(ranges, expected.map(|(from, to)| json!({ "from": from, "to": to })));
    }
}
