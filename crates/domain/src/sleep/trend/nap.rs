//! Naps of unknown kind.

use super::SleepSpan;
use crate::time::TimeZone;
use chrono::NaiveDate;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Length from which a session of unknown kind is a night: three hours.
const NIGHT_MILLIS: i64 = 3 * 3_600_000;

/// Marks the sessions of unknown kind that count as naps (decisions 11): those shorter than three hours that
/// do not overlap the longest session of their date, whatever its source or kind; of equally long ones the
/// earliest. `spans` has all sessions of each date.
pub fn mark_naps(spans: Vec<&mut SleepSpan>, zone: TimeZone) {
    let mut longest: BTreeMap<NaiveDate, (i64, i64)> = BTreeMap::new();
    for span in &spans {
        let order = |(start, end): (i64, i64)| (Reverse(end.saturating_sub(start)), start);
        let time = (span.start_millis, span.end_millis);
        let found = longest.entry(span.date(zone)).or_insert(time);
        if order(time) < order(*found) {
            *found = time;
        }
    }
    for span in spans.into_iter().filter(|span| span.is_nap.is_none()) {
        let overlaps = |(start, end): &(i64, i64)| span.start_millis < *end && *start < span.end_millis;
        let is_of_longest = longest.get(&span.date(zone)).is_some_and(overlaps);
        if span.in_bed_millis() < NIGHT_MILLIS && !is_of_longest {
            span.is_nap = Some(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SleepSessionId;
    use chrono::DateTime;
    use uuid::Uuid;

    fn span(start: &str, minutes: i64, is_nap: Option<bool>) -> SleepSpan {
        let start_millis = DateTime::parse_from_rfc3339(start).unwrap().timestamp_millis();
        SleepSpan {
            id: SleepSessionId::from_uuid(Uuid::nil()),
            source: None,
            start_millis,
            end_millis: start_millis + minutes * 60_000,
            offset_at_end: None,
            is_nap,
            asleep_millis: None,
        }
    }

    fn marked(mut spans: Vec<SleepSpan>) -> Vec<Option<bool>> {
        mark_naps(spans.iter_mut().collect(), TimeZone::UTC);
        spans.iter().map(|span| span.is_nap).collect()
    }

    #[test]
    fn a_short_session_of_unknown_kind_is_a_nap_unless_it_overlaps_the_night() {
        let night = || span("2026-03-30T23:00:00Z", 480, None);
        let cases = [
            ("2026-03-31T14:00:00Z", 179, Some(true)),
            ("2026-03-31T14:00:00Z", 180, None),
            // Touching is not overlapping.
            ("2026-03-31T07:00:00Z", 60, Some(true)),
            ("2026-03-31T06:59:00Z", 60, None),
            ("2026-03-31T02:00:00Z", 60, None),
        ];
        for (start, minutes, expected) in cases {
            assert_eq!(
                marked(vec![night(), span(start, minutes, None)]),
                [None, expected],
                "{start} {minutes}"
            );
        }
        let late_night = span("2026-03-31T01:00:00Z", 360, None);
        let until_then = span("2026-03-31T00:00:00Z", 60, None);
        assert_eq!(marked(vec![late_night, until_then]), [None, Some(true)]);
    }

    #[test]
    fn the_longest_session_of_a_date_is_no_nap_however_short() {
        let at = |start, minutes| span(start, minutes, None);
        assert_eq!(marked(vec![at("2026-03-31T13:00:00Z", 40)]), [None]);
        let (first, second) = (at("2026-03-31T13:00:00Z", 30), at("2026-03-31T18:00:00Z", 40));
        assert_eq!(marked(vec![first.clone(), second]), [Some(true), None]);
        let overlapping = at("2026-03-31T13:29:00Z", 20);
        assert_eq!(marked(vec![overlapping, first.clone()]), [None, None]);
        // Of equally long sessions, the earliest, in any order.
        let later = at("2026-03-31T18:00:00Z", 30);
        assert_eq!(marked(vec![later.clone(), first.clone()]), [Some(true), None]);
        assert_eq!(marked(vec![first, later]), [None, Some(true)]);
        assert!(marked(Vec::new()).is_empty());
    }

    #[test]
    fn each_date_has_its_longest_session() {
        let night = span("2026-03-30T23:00:00Z", 480, None);
        let next_day = span("2026-04-01T14:00:00Z", 40, None);
        assert_eq!(marked(vec![night, next_day]), [None, None]);
    }

    #[test]
    fn the_kind_that_a_source_gives_stays() {
        let short_night = span("2026-03-31T02:00:00Z", 90, Some(false));
        let long_nap = span("2026-03-31T12:00:00Z", 240, Some(true));
        let during_the_nap = span("2026-03-31T12:00:00Z", 60, None);
        let during_the_night = span("2026-03-31T02:00:00Z", 60, None);
        let spans = vec![short_night, long_nap, during_the_nap, during_the_night];
        assert_eq!(marked(spans), [Some(false), Some(true), None, Some(true)]);
    }

    #[test]
    fn a_session_during_a_shorter_one_of_its_date_is_a_nap() {
        let night = span("2026-03-30T22:00:00Z", 480, None);
        let short = span("2026-03-31T18:00:00Z", 60, Some(false));
        let during_the_short = span("2026-03-31T18:00:00Z", 30, None);
        assert_eq!(marked(vec![short, night, during_the_short]), [Some(false), None, Some(true)]);
    }
}
