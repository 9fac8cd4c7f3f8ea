//! Samples of the page of activity.

use crate::account::activity::view::{
    Activity, ActivityDay, ActivityLine, ActorName, Earlier, EventLine, ReadLine, RequestedSpan,
};
use crate::view::sample::{Sample, TextSource, moment, person, sample};
use domain::data_kind::DataKind;
use domain::read_tally::ReadKind;

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let day = |text, machine, lines| ActivityDay { day: moment(source, text, machine), lines };
    let lines = || reads(source).into_iter().map(ActivityLine::Read);
    let events = events(source).into_iter().map(ActivityLine::Event);
    let today = day("Saturday, 21 November 2026", "2026-11-21", lines().chain(events).collect());
    let earlier = lines().take(2).collect();
    let friday = day("Friday, 20 November 2026", "2026-11-20", earlier);
    let some = Activity {
        person: person(source),
        has_developer_page: true,
        time_zone: source("Europe/Berlin"),
        days: vec![today, friday.clone()],
        earlier: Some(Earlier {
            read: Some(source("2026-11-20T06:00:00Z")),
            event: Some(source("1795150800000000")),
        }),
        is_latest: true,
        kept_days: 400,
    };
    let last = Activity { days: vec![friday], earlier: None, is_latest: false, ..some.clone() };
    let none = Activity { days: Vec::new(), earlier: None, ..some.clone() };
    vec![sample("activity", &some), sample("activity_earlier", &last), sample("activity_none", &none)]
}

fn events(source: TextSource) -> Vec<EventLine> {
    let line = |who, what, is_daily| EventLine {
        at: moment(source, "06:40", "2026-11-21T05:40:00Z"),
        who,
        what,
        is_daily,
        place: None,
    };
    let place = Some(source("Firefox on Android, 192.0.2.7"));
    vec![
        EventLine { place: place.clone(), ..line(ActorName::You, "signed in", false) },
        EventLine { place, ..line(ActorName::Someone, "entered your password, but not a valid code", false) },
        line(ActorName::You, "exported your data", false),
        line(ActorName::Operator, "started an import", false),
        line(ActorName::Server, "created your account", false),
        line(ActorName::App(source("Sleep Backend")), "added or changed sleep data", true),
        line(ActorName::Token(source("Sunday notebook")), "exported your data", true),
    ]
}

fn reads(source: TextSource) -> Vec<ReadLine> {
    let from = moment(source, "1 November 2026", "2026-11-01");
    let to = moment(source, "20 November 2026", "2026-11-20");
    let span = |from, to| Some(RequestedSpan { from, to });
    let nights = ReadLine {
        at: moment(source, "07:12", "2026-11-21T06:12:00Z"),
        who: ActorName::App(source("Night Owl")),
        kind: ReadKind::Data(DataKind::Sleep),
        span: span(Some(from.clone()), Some(to.clone())),
        requests: 3,
        items: 31,
    };
    let token = ActorName::Token(source("Sunday notebook"));
    let lab = ActorName::App(source("Sleep Lab of the Example University Hospital"));
    vec![
        nights.clone(),
        ReadLine { kind: ReadKind::Refresh, span: None, requests: 1, items: 0, ..nights.clone() },
        ReadLine {
            who: token.clone(),
            kind: ReadKind::Data(DataKind::Profile),
            span: None,
            requests: 1,
            items: 1,
            ..nights.clone()
        },
        ReadLine {
            who: token,
            kind: ReadKind::Data(DataKind::Supplements),
            span: span(Some(from), None),
            ..nights.clone()
        },
        ReadLine { who: lab, span: span(None, Some(to)), items: 10_000, ..nights.clone() },
        ReadLine { who: ActorName::Gone, span: span(None, None), requests: 1, ..nights },
    ]
}
