//! Samples of the pages of apps, tokens and activity.

use super::{Sample, TextSource, moment, person, sample, variant};
use crate::view::{
    Activity, ActivityDay, ActivityLine, ActorName, AppLine, Apps, CreatedToken, Earlier, EventLine,
    FormErrors, ReadContent, ReadLine, RequestedSpan, TokenForm, TokenLine, Tokens,
};
use domain::scope::{Scope, ScopeSet};
use domain::secret::{Secret, SecretBytes, SecretKind};

pub(super) fn samples(source: TextSource) -> Vec<Sample> {
    let mut samples = apps(source);
    samples.extend(tokens(source));
    samples.extend(activity(source));
    samples
}

fn apps(source: TextSource) -> Vec<Sample> {
    let owl = AppLine {
        client: source("7d3c"),
        name: source("Night Owl"),
        scopes: ScopeSet::CONSENTABLE,
        since: moment(source, "3 August 2026", "2026-08-03"),
        grants: 2,
        last_used: Some(moment(source, "20 November 2026, 07:00", "2026-11-20T06:00:00Z")),
        last_used_from: Some(source("192.0.2.7")),
        last_used_by: Some(source("NightOwl/4.2 (iPhone)")),
        is_remembered: true,
        is_public: false,
    };
    let lab = AppLine {
        client: source("8e4d"),
        name: source("Sleep Lab of the Example University Hospital"),
        scopes: ScopeSet::from_iter([Scope::Sleep]),
        since: moment(source, "19 November 2026", "2026-11-19"),
        grants: 1,
        last_used: None,
        last_used_from: None,
        last_used_by: None,
        is_remembered: false,
        is_public: true,
    };
    let diary = AppLine {
        client: source("9f5e"),
        name: source("Dream Diary"),
        since: moment(source, "12 October 2026", "2026-10-12"),
        grants: 0,
        is_remembered: true,
        ..lab.clone()
    };
    let some =
        Apps { person: person(source), notice: None, has_developer_page: false, apps: vec![owl, lab, diary] };
    let none = Apps {
        notice: Some(source("Night Owl has been disconnected.")),
        has_developer_page: true,
        apps: Vec::new(),
        ..some.clone()
    };
    vec![sample("apps", &some), sample("apps_none", &none)]
}

fn tokens(source: TextSource) -> Vec<Sample> {
    let live = TokenLine {
        id: source("4a1b"),
        name: source("Sunday notebook"),
        scopes: ScopeSet::from_iter([Scope::Profile, Scope::Sleep]),
        created: moment(source, "1 November 2026", "2026-11-01"),
        expires: None,
        is_expired: false,
        last_used: Some(moment(source, "21 November 2026, 09:14", "2026-11-21T08:14:00Z")),
    };
    let ended = TokenLine {
        id: source("5b2c"),
        name: source("Trial"),
        expires: Some(moment(source, "1 October 2026", "2026-10-01")),
        is_expired: true,
        last_used: None,
        ..live.clone()
    };
    let page = |created, tokens, form| Tokens {
        person: person(source),
        has_developer_page: false,
        mcp_url: source("https://id.example/mcp"),
        notice: None,
        created,
        tokens,
        form,
    };
    let bytes = SecretBytes::new([7; 32]);
    let secret = Secret::from_bytes(SecretKind::PersonalAccessToken, &bytes);
    let created = CreatedToken { name: source("Sunday notebook"), secret };
    let empty = || TokenForm::empty(source("5f0c3c5e"));
    let wrong = TokenForm {
        name: source("\tx"),
        expires_in_days: None,
        errors: FormErrors::field("name", source("Give it a name of 1 to 100 characters."))
            .and("scope", source("Choose what the token can read."))
            .and("expires", source("Choose when the token expires.")),
        ..empty()
    };
    let gone = Tokens {
        has_developer_page: true,
        notice: Some(source("The token has been revoked.")),
        ..page(None, Vec::new(), empty())
    };
    vec![
        sample("tokens", &page(None, vec![live.clone(), ended], empty())),
        sample("tokens_created", &page(Some(created), vec![live], empty())),
        variant("tokens_refused", &page(None, Vec::new(), wrong)),
        sample("tokens_none", &gone),
    ]
}

fn activity(source: TextSource) -> Vec<Sample> {
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
        what: ReadContent::Nights,
        span: span(Some(from.clone()), Some(to.clone())),
        requests: 3,
        items: 31,
    };
    let token = ActorName::Token(source("Sunday notebook"));
    let lab = ActorName::App(source("Sleep Lab of the Example University Hospital"));
    vec![
        nights.clone(),
        ReadLine { what: ReadContent::Renewal, span: None, requests: 1, items: 0, ..nights.clone() },
        ReadLine {
            who: token.clone(),
            what: ReadContent::Profile,
            span: None,
            requests: 1,
            items: 1,
            ..nights.clone()
        },
        ReadLine {
            who: token,
            what: ReadContent::Supplements,
            span: span(Some(from), None),
            ..nights.clone()
        },
        ReadLine { who: lab, span: span(None, Some(to)), items: 10_000, ..nights.clone() },
        ReadLine { who: ActorName::Gone, span: span(None, None), requests: 1, ..nights },
    ]
}
