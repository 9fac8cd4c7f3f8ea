//! Samples of the developer's pages.

use super::view::{
    AppAddresses, AppFields, AppLine, DeveloperApp, DeveloperApps, ErrorLine, LatestRejection, LimitLine,
    NewCode, SandboxLine, SecretLine, UsageLine,
};
use crate::view::sample::{Sample, TextSource, moment, person, sample, variant};
use crate::view::{FormErrors, ScopeLine};
use domain::scope::{Scope, ScopeSet};
use domain::secret::{Secret, SecretBytes, SecretKind};
use zeroize::Zeroizing;

const CLIENT: &str = "8e4d1a20-5f0a-4d65-9c4e-2d6b7a0c1f33";

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let mut samples = list(source);
    samples.extend(app(source));
    samples
}

fn fields(source: TextSource) -> AppFields {
    AppFields {
        name: source("Night Owl"),
        home_page: source("https://owl.example/"),
        privacy_policy: source("https://owl.example/privacy"),
        contact: source("dev@owl.example"),
        redirect_uris: vec![source("https://owl.example/callback"), String::new(), String::new()],
        scopes: ScopeLine::list(ScopeSet::CONSENTABLE, ScopeSet::from_iter([Scope::Sleep])),
        errors: FormErrors::none(),
    }
}

fn people(source: TextSource) -> Vec<SandboxLine> {
    vec![SandboxLine {
        id: "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48".to_owned(),
        name: "shift-worker-0a5e7d2c9b48".to_owned(),
        story: "Sleeps at night for a week and by day for the next.",
        until: moment(source, "20 November 2026", "2026-11-20"),
    }]
}

fn list(source: TextSource) -> Vec<Sample> {
    let owl =
        AppLine { client: CLIENT.to_owned(), name: source("Night Owl"), is_draft: true, is_disabled: false };
    let diary = AppLine { name: source("Dream Diary"), is_draft: false, is_disabled: true, ..owl.clone() };
    let some = DeveloperApps {
        person: person(source),
        notice: None,
        apps: vec![owl, diary],
        is_full: false,
        people: people(source),
        people_full: false,
        fields: AppFields::default(),
        is_public: false,
    };
    let none = DeveloperApps {
        notice: Some(source("The app has been deleted.")),
        is_public: true,
        apps: Vec::new(),
        people: Vec::new(),
        ..some.clone()
    };
    let errors = FormErrors::field("name", source("Enter a name."))
        .and("home_page", source("Enter an address."))
        .and("privacy_policy", source("Enter an address."))
        .and("contact", source("Enter an email address."))
        .and("redirect_uri", source("Redirect URI 1 is not valid."))
        .and("scope", source("Choose at least one kind of data."));
    let refused =
        DeveloperApps { fields: AppFields { errors, ..fields(source) }, is_public: true, ..some.clone() };
    let full = DeveloperApps { is_full: true, people_full: true, ..some.clone() };
    vec![
        sample("developer", &some),
        sample("developer_none", &none),
        variant("developer_refused", &refused),
        variant("developer_full", &full),
    ]
}

fn usage(source: TextSource) -> Vec<UsageLine> {
    let latest = LatestRejection {
        at: moment(source, "21 November 2026, 08:14:02", "2026-11-21T08:14:02Z"),
        reason: source("the code verifier does not match"),
    };
    let saturday = UsageLine {
        day: moment(source, "Sat 21 Nov", "2026-11-21"),
        requests: source("1,204"),
        errors: vec![
            ErrorLine { text: source("400 token: 3"), latest: Some(latest) },
            ErrorLine { text: source("429 sleep: 12"), latest: None },
        ],
    };
    let friday = UsageLine {
        day: moment(source, "Fri 20 Nov", "2026-11-20"),
        requests: source("7"),
        errors: Vec::new(),
    };
    vec![saturday, friday]
}

fn code(source: TextSource) -> NewCode {
    NewCode {
        user_id: "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48".to_owned(),
        code: Secret::from_bytes(SecretKind::AuthorizationCode, &SecretBytes::new([7; 32])),
        curl: Zeroizing::new(source("curl -u \"8e4d:$CLIENT_SECRET\" https://rest.example/api/token")),
        needs_secret: true,
        expires: moment(source, "09:05", "2026-11-21T08:05:00Z"),
    }
}

fn addresses(source: TextSource) -> AppAddresses {
    AppAddresses {
        authorization: "https://rest.example/authorize".to_owned(),
        token: "https://rest.example/api/token".to_owned(),
        metadata: "https://rest.example/.well-known/oauth-authorization-server".to_owned(),
        consent: Some(source("/authorize?response_type=code&client_id=8e4d")),
    }
}

fn app(source: TextSource) -> Vec<Sample> {
    let line = |id: &str, can_end| SecretLine {
        id: id.to_owned(),
        created: moment(source, "21 November 2026, 08:55:00", "2026-11-21T07:55:00Z"),
        can_end,
    };
    let draft = DeveloperApp {
        person: person(source),
        notice: None,
        secret: None,
        code: None,
        people: people(source),
        client: CLIENT.to_owned(),
        addresses: addresses(source),
        name: source("Night Owl"),
        is_public: false,
        is_draft: true,
        is_disabled: false,
        registered: moment(source, "21 November 2026", "2026-11-21"),
        live_grants: 4,
        has_more_grants: false,
        draft_users: 3,
        max_draft_users: 10,
        secrets: vec![line("4a1b", false)],
        usage: usage(source),
        usage_days: 14,
        limits: vec![LimitLine { endpoint: "sleep", limit: source("10,000"), left: source("9,988") }],
        replaces_secret: false,
        fields: fields(source),
    };
    let secret = Secret::from_bytes(SecretKind::ClientSecret, &SecretBytes::new([7; 32]));
    let rotated = DeveloperApp {
        secret: Some(secret),
        code: Some(code(source)),
        secrets: vec![line("4a1b", true), line("5b2c", true)],
        replaces_secret: true,
        ..draft.clone()
    };
    let public = DeveloperApp {
        people: Vec::new(),
        notice: Some(source("The app has been changed.")),
        is_public: true,
        is_draft: false,
        is_disabled: true,
        live_grants: 10_000,
        has_more_grants: true,
        secrets: Vec::new(),
        usage: Vec::new(),
        ..draft.clone()
    };
    let errors = FormErrors::field("name", source("Enter a name."));
    let refused = DeveloperApp { fields: AppFields { errors, ..fields(source) }, ..draft.clone() };
    vec![
        sample("app", &draft),
        sample("app_new_secret", &rotated),
        sample("app_public", &public),
        variant("app_refused", &refused),
    ]
}
