//! Samples of the page of connected apps.

use super::view::{AppLine, Apps};
use crate::view::sample::{Sample, TextSource, moment, person, sample};
use domain::scope::Scope;
use domain::scope::ScopeSet;

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
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
