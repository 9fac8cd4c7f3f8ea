//! Samples of home, and of the pages of nights with their edge cases.

use super::picture::{self, Weeks};
use super::view::{Night, Nights, OriginLine};
use crate::home::view::{AttentionLine, Home, IntakeLine, LastNight, ReaderLine};
use crate::nights::{self, NightsPageQuery, measure, night};
use crate::view::sample::{Sample, TextSource, moment, person, sample, variant};
use application::night::NightList;
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use domain::id::SleepSessionId;
use domain::sleep::regularity::{KnownState, Recording};
use domain::sleep::trend::{SleepSpan, days, nights_of};
use domain::sleep::{
    Hypnogram, MetricKind, SessionKey, SleepRecord, SleepRecordHead, SleepSession, SleepSource, Stage,
    StageEntry, TimeInBed,
};
use domain::time::{Fold, TimeZone};
use uuid::Uuid;

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let mut samples = homes(source);
    samples.extend(single(source));
    samples.extend(weeks(source));
    samples
}

fn zone() -> TimeZone {
    TimeZone::parse("Europe/Berlin").unwrap()
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// An instant by the clocks of Berlin.
fn at(text: &str) -> DateTime<Utc> {
    zone().resolve(text.parse().unwrap(), Fold::First)
}

fn id(number: u128) -> SleepSessionId {
    SleepSessionId::from_uuid(Uuid::from_u128(number))
}

/// A night from one time to another with stages of some minutes each, in turn; `None` is a gap.
fn session(from: &str, to: &str, stages: &[(Option<Stage>, i64)]) -> SleepSession {
    let (start, end) = (at(from), at(to));
    let frame =
        TimeInBed::new(start, end, Some(zone().offset_at(start)), Some(zone().offset_at(end))).unwrap();
    let (mut entries, mut from) = (Vec::new(), start);
    for (stage, minutes) in stages.iter().cycle() {
        if from >= end || stages.is_empty() {
            break;
        }
        let to = (from + TimeDelta::minutes(*minutes)).min(end);
        entries.extend(stage.map(|stage| StageEntry::new(stage, from, to).unwrap()));
        from = to;
    }
    let head = SleepRecordHead {
        key: SessionKey::derived_from(start),
        source: SleepSource::parse("Night ring").ok(),
        time_in_bed: frame,
        is_nap: Some(frame.millis() < 7_200_000),
    };
    let record = SleepRecord::from_stages(head, Hypnogram::new(entries, &frame).unwrap()).unwrap();
    SleepSession { id: id(7), record, updated_at: end + TimeDelta::minutes(15) }
}

/// The stages of one cycle.
const CYCLE: [(Option<Stage>, i64); 7] = [
    (Some(Stage::Awake), 8),
    (Some(Stage::Light), 22),
    (Some(Stage::Deep), 31),
    (Some(Stage::Light), 14),
    (Some(Stage::Rem), 21),
    (Some(Stage::Light), 5),
    (Some(Stage::Awake), 2),
];

fn single(source: TextSource) -> Vec<Sample> {
    use Stage::{Asleep, Awake, Deep, Light, Unknown};
    let page = |session: SleepSession, others| {
        let neighbours = night::Neighbours { previous: Some(source("6f1a")), next: None };
        let is_nap = session.record.is_nap() == Some(true);
        let found = night::NightPageData { session, is_nap, import: None, others, neighbours };
        night::draw(person(source), zone(), &found)
    };
    let usual = || session("2026-03-30T22:53:00", "2026-03-31T06:08:00", &CYCLE);
    let other = SleepSpan {
        source: Some(source("Watch of Sam").into()),
        ..span(source, 8, "2026-03-30T22:58:00", 431)
    };
    let nap = SleepSpan { is_nap: Some(true), ..span(source, 9, "2026-03-31T14:00:00", 25) };
    let others = vec![picture::sleep_line(&other, zone()), picture::sleep_line(&nap, zone())];
    let full = Night {
        import: Some(OriginLine {
            id: source("5b2c"),
            file: source("export.zip"),
            at: moment(source, "1 April 2026, 09:12", "2026-04-01T07:12:00Z"),
        }),
        source: source("Night ring"),
        time_there: Some(source("05:53 to 13:08 (UTC+09:00)")),
        ..page(usual(), others)
    };
    let gaps = [
        (Some(Awake), 10),
        (Some(Light), 50),
        (None, 40),
        (Some(Deep), 30),
        (Some(Unknown), 20),
        (Some(Asleep), 30),
    ];
    let bare = |from, to, stages: &[_]| page(session(from, to, stages), Vec::new());
    vec![
        sample("night", &full),
        sample("night_no_stages", &bare("2026-03-30T22:53:00", "2026-03-31T06:08:00", &[])),
        sample(
            "night_one_stage",
            &bare("2026-03-30T22:53:00", "2026-03-31T06:08:00", &[(Some(Asleep), 1000)]),
        ),
        sample("night_gaps", &bare("2026-03-30T22:53:00", "2026-03-31T06:08:00", &gaps)),
        sample("night_20_hours", &bare("2026-03-30T16:00:00", "2026-03-31T12:00:00", &CYCLE)),
        sample("night_clocks_forward", &bare("2026-03-28T23:00:00", "2026-03-29T07:00:00", &CYCLE)),
        sample("night_clocks_back", &bare("2026-10-24T23:00:00", "2026-10-25T07:00:00", &CYCLE)),
        variant(
            "night_worst",
            &bare("2026-03-25T12:00:00", "2026-04-01T11:00:00", &[(Some(Light), 1), (Some(Deep), 1)]),
        ),
        sample("night_nap", &bare("2026-03-31T14:00:00", "2026-03-31T14:25:00", &CYCLE)),
    ]
}

fn span(source: TextSource, number: u128, from: &str, minutes: i64) -> SleepSpan {
    let start_millis = at(from).timestamp_millis();
    SleepSpan {
        id: id(number),
        source: Some(source("Night ring").into()),
        start_millis,
        end_millis: start_millis + minutes * 60_000,
        offset_at_end: None,
        is_nap: Some(false),
        asleep_millis: Some(minutes * 54_000),
    }
}

/// A night that begins and ends somewhat differently every day.
fn usual_span(source: TextSource, evening: NaiveDate) -> SleepSpan {
    let number = u128::from(evening.to_epoch_days().unsigned_abs());
    let (late, long) = ((number * 37 % 90) as i64, (number * 53 % 110) as i64);
    let from = evening.and_hms_opt(22, 30, 0).unwrap() + TimeDelta::minutes(late);
    span(source, 1_000 + number, &from.format("%Y-%m-%dT%H:%M:%S").to_string(), 400 + long)
}

fn recordings(spans: impl IntoIterator<Item = SleepSpan>) -> NightList {
    let new = |span: SleepSpan| {
        let SleepSpan { start_millis, end_millis, .. } = span;
        Recording { span, states: vec![KnownState { start_millis, end_millis, is_asleep: true }] }
    };
    NightList { recordings: spans.into_iter().map(new).collect(), is_cut: false }
}

/// One night a day, waking up on the dates from the first to the last.
fn every_night(source: TextSource, first: &str, last: &str) -> Vec<SleepSpan> {
    let evenings = date(first).iter_days().take_while(|day| *day <= date(last));
    evenings.map(|day| usual_span(source, day - Days::new(1))).collect()
}

fn page(source: TextSource, to: &str, of_weeks: Vec<SleepSpan>, of_year: Vec<SleepSpan>) -> Nights {
    let found = nights::NightsPageData {
        is_empty: of_year.is_empty(),
        of_weeks: recordings(of_weeks),
        of_year: recordings(of_year),
        to: date(to),
        start: date("2016-05-01"),
        end: date("2026-11-23"),
    };
    nights::draw(
        person(source),
        zone(),
        &found,
        &NightsPageQuery { to: Some(date(to)), ..NightsPageQuery::default() },
    )
}

fn weeks(source: TextSource) -> Vec<Sample> {
    let spring = every_night(source, "2026-03-09", "2026-04-05");
    let watch = spring.iter().skip(3).step_by(2).zip(0..).map(|(span, number)| SleepSpan {
        id: id(100 + number),
        source: Some(source("Watch of Sam").into()),
        start_millis: span.start_millis + 420_000,
        asleep_millis: None,
        ..span.clone()
    });
    let nap = |number, from| SleepSpan { is_nap: Some(true), ..span(source, number, from, 35) };
    let naps = [nap(201, "2026-03-14T14:10:00"), nap(202, "2026-03-29T13:40:00")];
    let both: Vec<_> = spring.iter().cloned().chain(watch).chain(naps).collect();
    let autumn = every_night(source, "2026-10-12", "2026-10-27");
    let crowded = (0..14_u32).map(|number| {
        let hour = number * 100 / 60;
        let from = format!("2026-03-31T{hour:02}:{:02}:00", number * 100 % 60);
        span(source, number.into(), &from, 45)
    });
    let crowded: Vec<_> = crowded.collect();
    let year = every_night(source, "2026-01-01", "2026-11-22");
    let decade = page(source, "2026-10-27", autumn.clone(), year.clone());
    let unnamed = SleepSpan { source: None, ..span(source, 300, "2026-11-23T01:00:00", 90) };
    let nothing = Nights { is_empty: true, ..page(source, "2026-03-31", Vec::new(), Vec::new()) };
    let without = Nights { is_empty: false, ..nothing.clone() };
    vec![
        variant("nights_worst", &worst(source)),
        sample("nights", &page(source, "2026-04-05", both, spring)),
        sample("nights_ten_years", &decade),
        sample("nights_crowded", &page(source, "2026-04-01", crowded.clone(), crowded)),
        sample("nights_few", &page(source, "2026-11-23", vec![unnamed.clone()], vec![unnamed])),
        sample("nights_none", &nothing),
        sample("nights_none_here", &without),
    ]
}

/// As many sessions as a page takes, of sources with long names.
fn worst(source: TextSource) -> Nights {
    let new = |number: u32| SleepSpan {
        source: Some(source(&format!("{}{}", number % 7, "&".repeat(99))).into()),
        ..span(source, number.into(), "2026-03-31T00:00:00", 45)
    };
    let weeks = (0..400).map(|number| {
        let moved = i64::from(number / 15) * 86_400_000 + i64::from(number % 15) * 5_400_000;
        let SleepSpan { start_millis, end_millis, .. } = new(number);
        SleepSpan { start_millis: start_millis + moved, end_millis: end_millis + moved, ..new(number) }
    });
    page(source, "2026-04-26", weeks.collect(), every_night(source, "2026-01-01", "2026-12-31"))
}

fn homes(source: TextSource) -> Vec<Sample> {
    let session = session("2026-03-30T22:53:00", "2026-03-31T06:08:00", &CYCLE);
    assert!(session.record.metrics().get(MetricKind::TimeNightRem).is_some());
    let spans = every_night(source, "2026-03-18", "2026-03-31");
    let listed = days(&spans, zone());
    let weeks = Weeks { first: date("2026-03-18"), last: date("2026-03-31"), zone: zone() };
    let full = Home {
        person: person(source),
        time_zone: source("Europe/Berlin"),
        attention: vec![AttentionLine {
            text: source("The file export.zip was not imported."),
            path: "/imports/5b2c".to_owned(),
            link: "See why",
        }],
        last: Some(LastNight {
            id: source("7a5b"),
            time: source("Monday 30 March, 22:53 to Tuesday 31 March, 06:08"),
            ended_today: true,
            hypnogram: picture::hypnogram(&session.record, zone()),
            no_stages: picture::no_stages(&session.record),
            figures: measure::figures(&session.record),
        }),
        nothing_since: None,
        recent: Some((
            source("Last 14 days"),
            picture::durations(&nights_of(&listed, Some(source("Night ring").as_str())), weeks),
        )),
        intakes: vec![IntakeLine { name: source("Evening Capsule"), brand: source("Owl Labs"), times: 5 }],
        readers: vec![
            ReaderLine { name: Some(source("Night Owl")), what: source("nights, profile"), requests: 12 },
            ReaderLine { name: None, what: source("supplements"), requests: 1 },
        ],
        is_empty: false,
        can_upload: true,
    };
    let quiet = Home { attention: Vec::new(), last: None, recent: None, readers: Vec::new(), ..full.clone() };
    let none = Home { is_empty: true, intakes: Vec::new(), ..quiet.clone() };
    let closed = Home { can_upload: false, ..none.clone() };
    let old = full.last.clone().map(|last| LastNight { ended_today: false, hypnogram: None, ..last });
    let nothing_since = Some(moment(source, "Tuesday 31 March 2026", "2026-03-31"));
    let recent = full.recent.clone().map(|(_, nights)| (source("18 to 31 March 2026"), nights));
    let intakes = Vec::new();
    let old = Home { last: old, nothing_since, attention: Vec::new(), recent, intakes, ..full.clone() };
    vec![
        sample("home", &full),
        sample("home_without_nights", &quiet),
        sample("home_none", &none),
        sample("home_none_closed", &closed),
        sample("home_old_night", &old),
    ]
}
