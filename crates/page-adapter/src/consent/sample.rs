//! Samples of the consent page.

use super::view::Consent;
use crate::view::ScopeLine;
use crate::view::sample::{Sample, TextSource, sample, variant};
use domain::scope::Scope;
use domain::scope::ScopeSet;

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let first = Consent {
        app: source("Night Owl"),
        home_page: None,
        privacy_policy: None,
        site: source("app.nightowl.example"),
        is_local: false,
        metadata_host: None,
        is_reviewed: true,
        email: source("sam@example.org"),
        form_token: source("Zm9ybS10b2tlbg"),
        request: source("5f0c3c5e"),
        scopes: ScopeLine::list(ScopeSet::CONSENTABLE, ScopeSet::CONSENTABLE),
        held: None,
    };
    let asked = ScopeSet::from_iter([Scope::Sleep]);
    let more = Consent {
        scopes: ScopeLine::list(asked, asked),
        held: Some(ScopeSet::from_iter([Scope::Profile])),
        home_page: Some("https://nightowl.example/".to_owned()),
        privacy_policy: Some("https://nightowl.example/privacy".to_owned()),
        ..first.clone()
    };
    let local = Consent { site: source("127.0.0.1:49152"), is_local: true, ..first.clone() };
    let published =
        Consent { metadata_host: Some(source("nightowl.example")), is_reviewed: false, ..first.clone() };
    let one =
        "a very long name of an app that tells its whole story in one hundred letters and then some more";
    let long = Consent {
        app: source(one),
        site: source("a-rather-long-name-of-a-host.and-of-its-domain.with-several-parts.nightowl.example"),
        ..first.clone()
    };
    vec![
        sample("consent", &first),
        sample("consent_for_more", &more),
        sample("consent_on_this_computer", &local),
        sample("consent_of_published_app", &published),
        variant("consent_with_long_names", &long),
    ]
}
