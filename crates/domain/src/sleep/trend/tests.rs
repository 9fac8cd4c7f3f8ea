use super::*;
use chrono::{DateTime, TimeDelta};
use proptest::prelude::*;
use uuid::Uuid;

fn zone() -> TimeZone {
    TimeZone::parse("Europe/Berlin").unwrap()
}

fn millis(text: &str) -> i64 {
    DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis()
}

fn span(id: u128, source: Option<&str>, start: &str, end: &str, is_nap: Option<bool>) -> SleepSpan {
    SleepSpan {
        id: SleepSessionId::from_uuid(Uuid::from_u128(id)),
        source: source.map(Into::into),
        start_millis: millis(start),
        end_millis: millis(end),
        offset_at_end: None,
        is_nap,
        asleep_millis: None,
    }
}

#[test]
fn a_night_belongs_to_the_date_of_waking_up_in_the_persons_zone() {
    let spans = [
        span(1, None, "2026-03-30T20:53:00Z", "2026-03-31T04:08:00Z", None),
        // Just after midnight in Berlin.
        span(2, None, "2026-03-31T20:00:00Z", "2026-03-31T22:00:00Z", None),
        span(3, None, "2026-04-01T20:00:00Z", "2026-04-01T21:59:59Z", None),
    ];
    let dates: Vec<_> = days(&spans, zone()).iter().map(|day| day.date.to_string()).collect();
    assert_eq!(dates, ["2026-03-31", "2026-04-01"]);
}

#[test]
fn a_night_with_its_own_offset_belongs_to_the_date_of_waking_up_there() {
    let mut there = span(1, None, "2026-03-31T14:30:00Z", "2026-03-31T22:30:00Z", None);
    // 00:30 on 1 April in Berlin; 12:30 and 07:30 where it was recorded.
    for (offset, expected) in [("-10:00", "2026-03-31"), ("+09:00", "2026-04-01"), ("+00:00", "2026-03-31")] {
        there.offset_at_end = Some(UtcOffset::parse(offset).unwrap());
        assert_eq!(there.date(zone()).to_string(), expected, "{offset}");
    }
    there.offset_at_end = None;
    assert_eq!(there.date(zone()).to_string(), "2026-04-01");
}

#[test]
fn sources_and_naps_stay_side_by_side() {
    let spans = [
        span(1, Some("watch"), "2026-03-30T22:00:00Z", "2026-03-31T05:00:00Z", Some(false)),
        span(2, Some("watch"), "2026-03-31T12:00:00Z", "2026-03-31T12:30:00Z", Some(true)),
        span(3, Some("ring"), "2026-03-30T22:10:00Z", "2026-03-31T05:30:00Z", None),
        span(4, Some("watch"), "2026-03-31T05:30:00Z", "2026-03-31T06:00:00Z", None),
    ];
    let days = days(&spans, zone());
    let [day] = days.as_slice() else { panic!("{days:?}") };
    let [ring, watch] = day.sources.as_slice() else { panic!("{day:?}") };
    assert_eq!((ring.source, ring.night), (Some("ring"), Some(&spans[2])));
    assert_eq!(watch.night, Some(&spans[0]));
    assert_eq!(watch.others, [&spans[3], &spans[1]]);
    let counted = sources(&days).iter().map(|found| (found.source, found.nights)).collect::<Vec<_>>();
    assert_eq!(counted, [(Some("ring"), 1), (Some("watch"), 1)]);
}

#[test]
fn a_date_with_only_naps_has_no_night() {
    let nap = [span(1, None, "2026-03-31T12:00:00Z", "2026-03-31T15:00:00Z", Some(true))];
    let days = days(&nap, zone());
    assert_eq!(days[0].sources[0].night, None);
    assert!(nights_of(&days, None).is_empty());
    assert_eq!(sources(&days), [SourceNights { source: None, nights: 0 }]);
}

#[test]
fn quartiles_are_those_of_a_common_definition() {
    // statistics.quantiles([1, 2, 4, 8], n=4, method='inclusive') is [1.75, 3.0, 5.0].
    let spread = Spread::from_values(vec![800, 100, 400, 200]).unwrap();
    assert_eq!((spread.lower, spread.median, spread.upper, spread.n), (175, 300, 500, 4));
    let one = Spread::from_values(vec![-7]).unwrap();
    assert_eq!((one.lower, one.median, one.upper, one.n), (-7, -7, -7, 1));
    assert_eq!(Spread::from_values(Vec::new()), None);
    assert_eq!(Spread::from_values(vec![0, 1]).unwrap().median, 1);
}

#[test]
fn periods_start_on_mondays_and_on_the_first_of_a_month() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    assert_eq!(week_of(date("2026-03-29")), date("2026-03-23"));
    assert_eq!(week_of(date("2026-03-23")), date("2026-03-23"));
    assert_eq!(month_of(date("2026-03-31")), date("2026-03-01"));
}

fn spans() -> impl Strategy<Value = Vec<SleepSpan>> {
    let source = prop::option::of(prop_oneof![Just("ring"), Just("watch")]);
    let drawn = (source, 0_i64..60 * 24, 1_i64..900, prop::option::of(any::<bool>()), any::<bool>());
    prop::collection::vec(drawn, 0..60).prop_map(|drawn| {
        let new =
            |(id, (source, start, minutes, is_nap, known)): (usize, (Option<&str>, i64, i64, _, bool))| {
                let start =
                    millis("2026-02-20T00:00:00Z") + TimeDelta::minutes(start * 60).num_milliseconds();
                SleepSpan {
                    id: SleepSessionId::from_uuid(Uuid::from_u128(id as u128)),
                    source: source.map(Into::into),
                    start_millis: start,
                    end_millis: start + minutes * 60_000,
                    offset_at_end: None,
                    is_nap,
                    asleep_millis: known.then_some(minutes * 50_000),
                }
            };
        drawn.into_iter().enumerate().map(new).collect()
    })
}

proptest! {
    #[test]
    fn every_session_is_in_exactly_one_place(spans in spans()) {
        let days = days(&spans, zone());
        prop_assert!(days.is_sorted_by(|one, next| one.date < next.date));
        let listed = days.iter().flat_map(|day| &day.sources).flat_map(|source| {
            source.night.into_iter().chain(source.others.iter().copied())
        });
        let mut ids: Vec<_> = listed.map(|span| span.id).collect();
        ids.sort_unstable();
        let mut expected: Vec<_> = spans.iter().map(|span| span.id).collect();
        expected.sort_unstable();
        prop_assert_eq!(ids, expected);
    }

    #[test]
    fn no_session_that_is_not_a_nap_is_longer_than_the_night(spans in spans()) {
        for source in days(&spans, zone()).iter().flat_map(|day| &day.sources) {
            let longest = source.others.iter().filter(|span| !span.is_nap()).map(|span| span.in_bed_millis()).max();
            prop_assert!(longest <= source.night.map(SleepSpan::in_bed_millis));
        }
    }

    #[test]
    fn quartiles_are_ordered_and_within_the_values(values in prop::collection::vec(-10_000_i64..10_000, 1..50)) {
        let spread = Spread::from_values(values.clone()).unwrap();
        let (least, most) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
        prop_assert!(least <= spread.lower && spread.lower <= spread.median);
        prop_assert!(spread.median <= spread.upper && spread.upper <= most);
        prop_assert_eq!(spread.n, values.len());
        let below = values.iter().filter(|value| **value < spread.median).count();
        prop_assert!(below * 2 <= values.len());
    }

    #[test]
    fn periods_count_every_night_once(spans in spans()) {
        let days = days(&spans, zone());
        for SourceNights { source, nights: count } in sources(&days) {
            let nights = nights_of(&days, source);
            prop_assert_eq!(nights.len(), count);
            for first_of in [week_of as fn(_) -> _, month_of, all_together] {
                let total: usize = durations(&nights, first_of).iter().map(|period| period.in_bed.n).sum();
                prop_assert_eq!(total, count);
            }
        }
    }
}
