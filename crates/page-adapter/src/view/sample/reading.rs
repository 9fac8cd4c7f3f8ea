//! Samples of the pages of apps, tokens and activity.

use super::{Sample, Say, moment, person, sample, variant};
use crate::view::{
    Activity, ActivityDay, ActivityLine, ActorName, AppLine, Apps, AskedSpan, CreatedToken, Earlier,
    EventLine, FormErrors, ReadLine, ReadWhat, ScopeLine, TokenForm, TokenLine, Tokens,
};
use domain::scope::{Scope, ScopeSet};
use domain::secret::{Secret, SecretBytes, SecretKind};

pub(super) fn samples(say: Say) -> Vec<Sample> {
    let mut samples = apps(say);
    samples.extend(tokens(say));
    samples.extend(activity(say));
    samples
}

fn apps(say: Say) -> Vec<Sample> {
    let owl = AppLine {
        client: say("7d3c"),
        name: say("Night Owl"),
        scopes: ScopeSet::CONSENTABLE,
        since: moment(say, "3 August 2026", "2026-08-03"),
        grants: 2,
        last_used: Some(moment(say, "20 November 2026, 07:00", "2026-11-20T06:00:00Z")),
        last_used_from: Some(say("192.0.2.7")),
        last_used_by: Some(say("NightOwl/4.2 (iPhone)")),
        is_remembered: true,
    };
    let lab = AppLine {
        client: say("8e4d"),
        name: say("Sleep Lab of the Example University Hospital"),
        scopes: ScopeSet::from_iter([Scope::Sleep]),
        since: moment(say, "19 November 2026", "2026-11-19"),
        grants: 1,
        last_used: None,
        last_used_from: None,
        last_used_by: None,
        is_remembered: false,
    };
    let diary = AppLine {
        client: say("9f5e"),
        name: say("Dream Diary"),
        since: moment(say, "12 October 2026", "2026-10-12"),
        grants: 0,
        is_remembered: true,
        ..lab.clone()
    };
    let some = Apps { person: person(say), notice: None, apps: vec![owl, lab, diary] };
    let none =
        Apps { notice: Some(say("Night Owl has been disconnected.")), apps: Vec::new(), ..some.clone() };
    vec![sample("apps", &some), sample("apps_none", &none)]
}

fn tokens(say: Say) -> Vec<Sample> {
    let live = TokenLine {
        id: say("4a1b"),
        name: say("Sunday notebook"),
        scopes: ScopeSet::from_iter([Scope::Profile, Scope::Sleep]),
        created: moment(say, "1 November 2026", "2026-11-01"),
        expires: None,
        is_expired: false,
        last_used: Some(moment(say, "21 November 2026, 09:14", "2026-11-21T08:14:00Z")),
    };
    let ended = TokenLine {
        id: say("5b2c"),
        name: say("Trial"),
        expires: Some(moment(say, "1 October 2026", "2026-10-01")),
        is_expired: true,
        last_used: None,
        ..live.clone()
    };
    let page = |created, tokens, form| Tokens { person: person(say), notice: None, created, tokens, form };
    let bytes = SecretBytes::new([7; 32]);
    let secret = Secret::from_bytes(SecretKind::PersonalAccessToken, &bytes);
    let created = CreatedToken { name: say("Sunday notebook"), secret };
    let wrong = TokenForm {
        name: say("\tx"),
        scopes: ScopeLine::list(ScopeSet::CONSENTABLE, ScopeSet::EMPTY),
        expires_in_days: None,
        errors: FormErrors::field("name", say("Give it a name of 1 to 100 characters."))
            .and("scope", say("Choose what the token can read."))
            .and("expires", say("Choose when the token expires.")),
    };
    let gone = Tokens {
        notice: Some(say("The token has been revoked.")),
        ..page(None, Vec::new(), TokenForm::empty())
    };
    vec![
        sample("tokens", &page(None, vec![live.clone(), ended], TokenForm::empty())),
        sample("tokens_created", &page(Some(created), vec![live], TokenForm::empty())),
        variant("tokens_refused", &page(None, Vec::new(), wrong)),
        sample("tokens_none", &gone),
    ]
}

fn activity(say: Say) -> Vec<Sample> {
    let day = |text, machine, lines| ActivityDay { day: moment(say, text, machine), lines };
    let lines = || reads(say).into_iter().map(ActivityLine::Read);
    let events = events(say).into_iter().map(ActivityLine::Event);
    let today = day("Saturday, 21 November 2026", "2026-11-21", lines().chain(events).collect());
    let earlier = lines().take(2).collect();
    let friday = day("Friday, 20 November 2026", "2026-11-20", earlier);
    let some = Activity {
        person: person(say),
        time_zone: say("Europe/Berlin"),
        days: vec![today, friday.clone()],
        earlier: Some(Earlier {
            read: Some(say("2026-11-20T06:00:00Z")),
            event: Some(say("1795150800000000")),
        }),
        is_latest: true,
        kept_days: 400,
    };
    let last = Activity { days: vec![friday], earlier: None, is_latest: false, ..some.clone() };
    let none = Activity { days: Vec::new(), earlier: None, ..some.clone() };
    vec![sample("activity", &some), sample("activity_earlier", &last), sample("activity_none", &none)]
}

fn events(say: Say) -> Vec<EventLine> {
    let line = |who, what, is_daily| EventLine {
        at: moment(say, "06:40", "2026-11-21T05:40:00Z"),
        who,
        what,
        is_daily,
    };
    vec![
        line(ActorName::You, "exported your data", false),
        line(ActorName::Operator, "started an import", false),
        line(ActorName::Server, "created your account", false),
        line(ActorName::App(say("Sleep Backend")), "added or changed sleep data", true),
        line(ActorName::Token(say("Sunday notebook")), "exported your data", true),
    ]
}

fn reads(say: Say) -> Vec<ReadLine> {
    let from = moment(say, "1 November 2026", "2026-11-01");
    let to = moment(say, "20 November 2026", "2026-11-20");
    let span = |from, to| Some(AskedSpan { from, to });
    let nights = ReadLine {
        at: moment(say, "07:12", "2026-11-21T06:12:00Z"),
        who: ActorName::App(say("Night Owl")),
        what: ReadWhat::Nights,
        span: span(Some(from.clone()), Some(to.clone())),
        requests: 3,
        items: 31,
    };
    let token = ActorName::Token(say("Sunday notebook"));
    let lab = ActorName::App(say("Sleep Lab of the Example University Hospital"));
    vec![
        nights.clone(),
        ReadLine { what: ReadWhat::Renewal, span: None, requests: 1, items: 0, ..nights.clone() },
        ReadLine {
            who: token.clone(),
            what: ReadWhat::Profile,
            span: None,
            requests: 1,
            items: 1,
            ..nights.clone()
        },
        ReadLine { who: token, what: ReadWhat::Supplements, span: span(Some(from), None), ..nights.clone() },
        ReadLine { who: lab, span: span(None, Some(to)), items: 10_000, ..nights.clone() },
        ReadLine { who: ActorName::Gone, span: span(None, None), requests: 1, ..nights },
    ]
}
