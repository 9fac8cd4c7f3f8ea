//! Samples of the sign-in and consent pages.

use super::{Sample, TextSource, UPLOAD_FORMATS, sample, variant};
use crate::view::{
    Consent, Errors, FormErrors, Help, Landing, Link, Message, ScopeLine, SignIn, SignInReason, SignedOut,
};
use domain::scope::{Scope, ScopeSet};
use http_adapter::Operator;
use http_adapter::problem::{ErrorEntry, Fault};

pub(super) fn samples(source: TextSource) -> Vec<Sample> {
    let mut samples = sign_in(source);
    samples.extend(consent(source));
    samples.extend(messages(source));
    let named = Landing {
        operator: Operator {
            name: Some(source("Example Sleep Clinic")),
            contact: Some(source("help@example.org")),
        },
        offers_sign_up: true,
    };
    samples.push(sample(
        "help",
        &Help { person: None, formats: UPLOAD_FORMATS.to_vec(), operator: named.operator.clone() },
    ));
    samples.push(sample("landing", &named));
    let unnamed = Landing { operator: Operator::default(), offers_sign_up: false };
    samples.push(sample("landing_unnamed", &unnamed));
    let errors = [Fault::InvalidRequest, Fault::NotFound].map(|fault| ErrorEntry::from(fault.row()));
    samples.push(sample("errors", &Errors { errors: errors.to_vec() }));
    samples
}

fn sign_in(source: TextSource) -> Vec<Sample> {
    let visit = SignIn {
        reason: SignInReason::Visit,
        form_token: source("Zm9ybS10b2tlbg"),
        email: String::new(),
        request: None,
        to: None,
        offers_reset: true,
        offers_sign_up: true,
        passkeys: None,
        errors: FormErrors::none(),
    };
    let reason = SignInReason::App { name: source("Night Owl") };
    let app = SignIn { reason, request: Some(source("5f0c3c5e")), offers_sign_up: false, ..visit.clone() };
    let wrong = "The email address or password is incorrect.";
    let refused = SignIn { email: source("sam@example.org"), errors: FormErrors::form(wrong), ..app.clone() };
    let unreadable = SignIn {
        email: source("sam"),
        errors: FormErrors::field("email", source("Enter a valid email address."))
            .and("password", "Enter your password."),
        ..visit.clone()
    };
    let confirm = SignIn {
        reason: SignInReason::Confirm,
        email: source("sam@example.org"),
        to: Some("tokens"),
        offers_sign_up: false,
        ..visit.clone()
    };
    let with_passkeys = SignIn { passkeys: Some("rest.example".to_owned()), ..app.clone() };
    let without_email = SignIn { offers_reset: false, ..visit.clone() };
    vec![
        sample("sign_in", &visit),
        sample("sign_in_for_an_app", &app),
        sample("sign_in_refused", &refused),
        variant("sign_in_unreadable", &unreadable),
        sample("sign_in_confirm", &confirm),
        variant("sign_in_without_email", &without_email),
        sample("sign_in_passkeys", &with_passkeys),
    ]
}

fn consent(source: TextSource) -> Vec<Sample> {
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

fn messages(source: TextSource) -> Vec<Sample> {
    let advice = source("Open the page again and repeat what you did.");
    let request_id = source("00000000-0000-4000-8000-0000000000aa");
    let contact = source("help@example.org");
    let full = Message {
        title: &source("The form came from somewhere else"),
        text: &source("This page was open for too long, or another site sent it. Nothing was changed."),
        advice: Some(&advice),
        link: Some(Link { path: "/apps", text: "Your apps" }),
        request_id: Some(&request_id),
        contact: Some(&contact),
    };
    let bare = Message { advice: None, link: None, request_id: None, contact: None, ..full };
    let here = SignedOut { is_everywhere: false, is_switching: false };
    vec![
        sample("message", &full),
        sample("message_bare", &bare),
        sample("signed_out", &here),
        sample("signed_out_everywhere", &SignedOut { is_everywhere: true, ..here }),
        sample("signed_out_to_switch", &SignedOut { is_switching: true, ..here }),
    ]
}
