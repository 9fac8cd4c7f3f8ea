//! Apps that developers register, change and delete, and whose secrets they rotate.

use crate::Harness;
use crate::client_form::clients;
use crate::fixture::{
    approved, client, client_id, draft, grant, now, seconds, secret, secret_id, user, user_id,
};
use crate::service::{assert_units, event_of_person, prepare, recorded, signed_in_ago};
use application::access::DailyLimits;
use application::client::{
    AppDeveloper, AppError, AppForm, ChangedApp, Clients, DailyLimit, InvalidAppField,
};
use application::client_usage::first_usage_day;
use application::session::SignedInPerson;
use chrono::{Days, NaiveDate};
use domain::audit::{AuditEvent, AuditKind};
use domain::client::{
    Client, ClientKind, ClientName, ClientSecret, Contact, MAX_OWN_CLIENTS, RedirectUri, Review, ServerNames,
    WebPage,
};
use domain::client_usage::{ClientUsage, UsageKey, UsedEndpoint};
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use domain::scope::ScopeSet;
use domain::secret::SecretKind;

const URI: &str = "https://owl.example/callback";
const SERVER: ServerNames<'_> =
    ServerNames { operator: Some("Example Sleep Clinic"), host: Some("sleep.example.org") };
const FORM: AppForm<'static> = AppForm {
    name: "Night Owl",
    home_page: None,
    privacy_policy: Some("https://owl.example/privacy"),
    contact: "dev@owl.example",
    redirect_uris: &[URI],
    scopes: &["profile", "sleep"],
};

/// Names that imitate the server, its operator or an approved app, or claim a review.
const IMITATIONS: [&str; 9] = [
    "Restwell",
    "R\u{435}stwell Pro",
    "Official Night Owl",
    "Example Sleep Clinic",
    "Approved by the operator",
    "Night Owl ✔",
    "Exemple Sleep Clinic",
    "M\u{43e}on-Diary",
    "Star Dairy",
];

/// The app with this number that [`FORM`] describes.
fn described(number: u64, review: Review) -> Client {
    let mut app = Client {
        name: ClientName::parse(FORM.name).unwrap(),
        redirect_uris: vec![RedirectUri::parse(URI).unwrap()],
        contact: Contact::parse(FORM.contact).ok(),
        scopes: ScopeSet::parse("profile sleep").unwrap(),
        review,
        ..client(number)
    };
    app.pages.privacy_policy = WebPage::parse("https://owl.example/privacy").ok();
    app
}

/// Person 1 and apps of others: two approved ones, and a draft. App 3 of person 1 is as `review` says.
async fn store_apps(harness: &Harness, review: Review) -> SignedInPerson {
    let person = prepare(harness).await;
    harness.store_user(&user(3)).await;
    for (number, name, review) in [
        (11, "Moon Diary", Review::Approved { owner: Some(user_id(2)) }),
        (12, "Star Diary", Review::BY_OPERATOR),
        (13, "Sun Diary", Review::Draft { owner: user_id(3) }),
    ] {
        let app = Client { name: ClientName::parse(name).unwrap(), ..described(number, review) };
        harness.store_client(&app, &secret(number)).await;
    }
    harness.store_client(&described(3, review), &secret(3)).await;
    person
}

const DRAFT: fn() -> Review = || draft(3, 1).review;
const APPROVED: fn() -> Review = || approved(3, 1).review;

async fn find(harness: &Harness, number: u64) -> Client {
    harness.clients.find_with_secrets(client_id(number)).await.unwrap().unwrap().client
}

/// An event about app 3.
fn event(kind: AuditKind) -> AuditEvent {
    event_of_person(kind).client(client_id(3))
}

pub(crate) async fn an_app_is_registered_as_a_draft_of_its_owner(harness: &Harness) {
    let person = signed_in_ago(&prepare(harness).await, 299);
    let clients = clients(harness);
    for (is_public, kind) in [(false, ClientKind::App), (true, ClientKind::PublicApp)] {
        let name = if is_public { "Day Owl" } else { FORM.name };
        let created = clients.register_app(&person, AppForm { name, ..FORM }, is_public, SERVER);
        let created = assert_units(harness, 1, created).await.unwrap();
        let expected = Client {
            id: created.client.id,
            name: ClientName::parse(name).unwrap(),
            kind,
            allow_query_secrets: false,
            require_pkce: true,
            created_at: now(),
            ..described(1, DRAFT())
        };
        let stored = harness.clients.find_with_secrets(expected.id).await.unwrap().unwrap();
        assert_eq!((&created.client, &stored.client), (&expected, &expected));
        assert_eq!(created.secret.is_none(), is_public);
        let shown: Vec<_> = created.secret.iter().map(|secret| (secret.kind(), secret.hash())).collect();
        let hashes = stored.secrets.iter().map(|secret| (SecretKind::ClientSecret, secret.hash));
        assert_eq!(hashes.collect::<Vec<_>>(), shown);
        assert_eq!(recorded(harness).await, [event_of_person(AuditKind::AppRegistered).client(expected.id)]);
    }
    // Up to the limit.
    for number in 2..MAX_OWN_CLIENTS {
        let name = &format!("Owl of night {number}");
        clients.register_app(&person, AppForm { name, ..FORM }, true, SERVER).await.unwrap();
    }
}

pub(crate) async fn names_like_those_of_drafts_and_of_the_developers_apps_are_free(harness: &Harness) {
    let person = store_apps(harness, APPROVED()).await;
    let clients = clients(harness);
    for name in ["Sun Diary", "Night Owl 2", "Moon"] {
        clients.register_app(&person, AppForm { name, ..FORM }, true, SERVER).await.unwrap();
    }
    recorded(harness).await;
    let begun = harness.begun();
    for name in IMITATIONS {
        let rejected = clients.register_app(&person, AppForm { name, ..FORM }, true, SERVER).await;
        let Err(AppError::Invalid(faults)) = rejected else { panic!("registered {name}") };
        assert_eq!(faults, [InvalidAppField::NameReserved], "{name}");
    }
    assert_eq!(harness.begun(), begun);
}

/// Changes app 3 from this to what the form describes, and returns what is stored then.
async fn change(
    harness: &Harness,
    person: &SignedInPerson,
    before: &Client,
    form: AppForm<'_>,
) -> (Result<ChangedApp, AppError>, Client) {
    harness.update_client(before).await;
    let developer = AppDeveloper { person, app: client_id(3) };
    let clients = clients(harness);
    let changed = assert_units(harness, 1, clients.change_app(developer, form, SERVER)).await;
    (changed, find(harness, 3).await)
}

pub(crate) async fn an_approved_app_is_a_draft_again_if_what_was_reviewed_changes(harness: &Harness) {
    let person = &store_apps(harness, APPROVED()).await;
    let (approved, draft) = (described(3, APPROVED()), described(3, DRAFT()));
    for (form, is_reviewed) in [
        (AppForm { name: "Night Owl Pro", ..FORM }, true),
        (AppForm { redirect_uris: &["https://evil.example/cb"], ..FORM }, true),
        (AppForm { redirect_uris: &[URI, "https://evil.example/cb"], ..FORM }, true),
        (AppForm { scopes: &["profile", "sleep", "supplements"], ..FORM }, true),
        (AppForm { home_page: Some("https://hawk.example"), ..FORM }, true),
        (AppForm { privacy_policy: Some("https://hawk.example"), ..FORM }, true),
        (AppForm { scopes: &["sleep"], ..FORM }, false),
        (AppForm { contact: "https://owl.example/contact", ..FORM }, false),
        (AppForm { home_page: None, privacy_policy: None, ..FORM }, false),
    ] {
        let (outcome, stored) = change(harness, person, &approved, form).await;
        let expected = if is_reviewed { ChangedApp::NeedsReview } else { ChangedApp::SameReview };
        assert_eq!(outcome.unwrap(), expected, "{form:?}");
        assert_eq!(stored.review, if is_reviewed { DRAFT() } else { APPROVED() }, "{form:?}");
        assert_ne!(stored, Client { review: stored.review, ..approved.clone() }, "{form:?}");
        assert_eq!(recorded(harness).await, [event(AuditKind::AppChanged)]);
    }
    // A draft stays one, and the same details store nothing.
    let (outcome, stored) = change(harness, person, &draft, AppForm { name: "Other", ..FORM }).await;
    assert_eq!((outcome.unwrap(), stored.review), (ChangedApp::SameReview, DRAFT()));
    assert_eq!(recorded(harness).await, [event(AuditKind::AppChanged)]);
    let (outcome, stored) = change(harness, person, &draft, FORM).await;
    assert_eq!((outcome.unwrap(), stored), (ChangedApp::SameReview, draft));
    assert_eq!(recorded(harness).await, []);
}

pub(crate) async fn only_a_name_from_the_operator_may_imitate_the_server(harness: &Harness) {
    let person = &store_apps(harness, DRAFT()).await;
    let draft = described(3, DRAFT());
    for name in IMITATIONS {
        let form = AppForm { name, ..FORM };
        let (outcome, stored) = change(harness, person, &draft, form).await;
        let Err(AppError::Invalid(faults)) = outcome else { panic!("changed to {name}") };
        assert_eq!((faults.as_slice(), stored), ([InvalidAppField::NameReserved].as_slice(), draft.clone()));
        let named = Client { name: ClientName::parse(name).unwrap(), ..described(3, APPROVED()) };
        let form = AppForm { scopes: &["sleep"], ..form };
        let (outcome, stored) = change(harness, person, &named, form).await;
        assert_eq!((outcome.unwrap(), stored.name.as_str()), (ChangedApp::SameReview, name));
    }
    // It is reported with the other faults.
    let form = AppForm { name: "Restwell Official", contact: "me", scopes: &[], ..FORM };
    recorded(harness).await;
    let (outcome, stored) = change(harness, person, &draft, form).await;
    let Err(AppError::Invalid(faults)) = outcome else { panic!("changed") };
    assert_eq!(faults, [InvalidAppField::NameReserved, InvalidAppField::Contact, InvalidAppField::Scopes]);
    assert_eq!((stored, recorded(harness).await), (draft, vec![]));
}

pub(crate) async fn a_developer_rotates_secrets_and_deletes_the_app(harness: &Harness) {
    let person = &store_apps(harness, APPROVED()).await;
    let developer = AppDeveloper { person, app: client_id(3) };
    let clients = clients(harness);
    let secrets = async || harness.clients.find_with_secrets(client_id(3)).await.unwrap().unwrap().secrets;
    let new = clients.rotate_app_secret(developer, Some(secret_id(3)));
    let new = assert_units(harness, 1, new).await.unwrap();
    assert_eq!(new.kind(), SecretKind::ClientSecret);
    let mut stored = secrets().await;
    stored.sort_by_key(|secret| secret.id != secret_id(3));
    // The previous one stays live.
    let [old, newest] = &stored[..] else { panic!("{stored:?}") };
    assert_eq!((old, newest.hash, newest.expires_at), (&secret(3), new.hash(), None));
    assert_eq!(recorded(harness).await, [event(AuditKind::ClientSecretRotated).subject(newest.id.as_uuid())]);
    // One of two is retired after any sign-in.
    let late = signed_in_ago(person, 900);
    let late = AppDeveloper { person: &late, ..developer };
    assert_units(harness, 1, clients.retire_app_secret(late, secret_id(3))).await.unwrap();
    assert!(secrets().await.contains(&ClientSecret { expires_at: Some(now()), ..secret(3) }));
    assert_eq!(
        recorded(harness).await,
        [event(AuditKind::ClientSecretRetired).subject(secret_id(3).as_uuid())]
    );
    assert_units(harness, 1, clients.delete_app(developer)).await.unwrap();
    assert_eq!(harness.clients.find_with_secrets(client_id(3)).await.unwrap(), None);
    assert_eq!(recorded(harness).await, [event(AuditKind::AppDeleted)]);
}

pub(crate) async fn only_its_owner_sees_an_app_with_its_secrets_and_its_use(harness: &Harness) {
    store_apps(harness, DRAFT()).await;
    let ended = ClientSecret { expires_at: Some(now()), created_at: seconds(-9), ..secret(4) };
    let mut unit = harness.begin().await;
    unit.clients().insert_secret(client_id(3), &ended).await.unwrap();
    unit.users().find(user_id(3)).await.unwrap();
    unit.draft_users().admit(client_id(3), user_id(3), 5, now()).await.unwrap();
    unit.commit().await.unwrap();
    let of_app = |number| domain::grant::Grant { client_id: client_id(3), ..grant(number) };
    harness.store_grants(&[of_app(1), of_app(2)]).await;
    let sleep = PersonEndpoint::Data(DataKind::Sleep);
    let sum = |day: NaiveDate, endpoint, status, fewest_left| {
        let key = UsageKey { client_id: client_id(3), day, endpoint, status };
        ClientUsage { key, requests: 2, fewest_left, rejection: None }
    };
    let (today, first, used) = (now().date_naive(), first_usage_day(now()), UsedEndpoint::Person(sleep));
    let sums = [
        sum(today, used, 200, Some(40)),
        sum(today, used, 400, Some(30)),
        sum(today, used, 403, None),
        sum(today, UsedEndpoint::Token, 200, None),
        sum(first, used, 429, Some(0)),
    ];
    harness.usage.add_usage(&sums).await.unwrap();
    let too_old = sum(first - Days::new(1), used, 200, Some(0));
    harness.usage.add_usage(&[too_old]).await.unwrap();
    let limits = DailyLimits::from_iter([(DataKind::Sleep, 50), (DataKind::Profile, 9)]);
    let clients = Clients { limits, ..clients(harness) };
    assert!(clients.find_app(user_id(3), client_id(3)).await.unwrap().is_none());
    let found = clients.find_app(user_id(1), client_id(3)).await.unwrap().unwrap();
    assert_eq!((found.live_grants, found.draft_users), (2, 1));
    assert_eq!((found.client, found.secrets), (described(3, DRAFT()), vec![secret(3)]));
    assert_eq!(found.usage, sums);
    let left = |endpoint| found.limits.iter().find(|limit| limit.endpoint == endpoint).copied();
    assert_eq!(left(sleep), Some(DailyLimit { endpoint: sleep, limit: 50, fewest_left: 30 }));
    let profile = PersonEndpoint::Data(DataKind::Profile);
    assert_eq!(left(profile), Some(DailyLimit { endpoint: profile, limit: 9, fewest_left: 9 }));
    assert_eq!(left(PersonEndpoint::Ingest), None);
}
