//! Rejected forms and commands about clients, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{client, client_id, draft, now, published, seconds, secret, secret_id, user_id};
use crate::service::{assert_rejected, audited, prepare, signed_out, stale};
use crate::webhook::endpoint;
use application::access::DailyLimits;
use application::client::{
    AppDeveloper, AppError, AppForm, ClientChange, ClientError, Clients, InvalidAppField,
};
use application::session::SignedInPerson;
use domain::client::{
    Client, ClientKind, ClientName, ClientSecret, ClientStatus, MAX_OWN_CLIENTS, Review, ServerNames,
};
use domain::id::ClientSecretId;
use domain::scope::ScopeSet;
use domain::webhook::WebhookEndpoint;

/// Clients of the store under test.
pub(crate) fn clients(harness: &Harness) -> Clients {
    Clients {
        store: audited(harness),
        reader: harness.clients.clone(),
        grants: harness.grants.clone(),
        usage: harness.usage.clone(),
        limits: DailyLimits::default(),
    }
}

const FORM: AppForm<'static> = AppForm {
    name: "Night Owl",
    home_page: None,
    privacy_policy: None,
    contact: "dev@owl.example",
    redirect_uris: &["https://owl.example/callback"],
    scopes: &["sleep"],
};

const SERVER: ServerNames<'static> = ServerNames { operator: None, host: None };

fn is_not_fresh(error: &AppError) -> bool {
    matches!(error, AppError::NotFresh)
}

fn is_unavailable(error: &AppError) -> bool {
    matches!(error, AppError::AccountUnavailable)
}

fn is_no_app(error: &AppError) -> bool {
    matches!(error, AppError::NotFound)
}

fn is_no_client(error: &ClientError) -> bool {
    matches!(error, ClientError::NotFound)
}

pub(crate) async fn rejected_registrations_of_apps_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let clients = &clients(harness);
    let (gone, stale) = (&signed_out(person), &stale(person));
    let [locked, unknown] =
        &[2, 9].map(|number| SignedInPerson { user_id: user_id(number), ..person.clone() });
    let register = async |person: &SignedInPerson, name: &str| {
        clients.register_app(person, AppForm { name, ..FORM }, true, SERVER).await.map(drop)
    };
    let rejected = [
        ("stale", stale, is_not_fresh as fn(&AppError) -> bool),
        ("signed out", gone, is_not_fresh),
        ("locked", locked, is_unavailable),
        ("unknown", unknown, is_unavailable),
    ];
    for (name, person, is_expected) in rejected {
        assert_rejected(harness, name, is_expected, async || register(person, "Night Owl").await).await;
    }
    assert_eq!(harness.clients.list_own_clients(person.user_id).await.unwrap(), []);
    for number in 0..MAX_OWN_CLIENTS {
        register(person, &format!("Owl {number}")).await.unwrap();
    }
    let is_taken = |error: &AppError| matches!(error, AppError::Invalid(faults) if *faults == [InvalidAppField::NameTaken]);
    assert_rejected(harness, "a taken name", is_taken, async || register(person, "Owl 0").await).await;
    let is_too_many = |error: &AppError| matches!(error, AppError::TooManyApps);
    assert_rejected(harness, "one too many", is_too_many, async || register(person, "Night Owl").await).await;
    let registered = harness.clients.list_own_clients(person.user_id).await.unwrap();
    assert_eq!(registered.len(), MAX_OWN_CLIENTS);
}

/// Stores apps of the person: 3 with a live and an ended secret, 5, a public one, and 6, a disabled one.
/// App 4 is another person's draft.
async fn store_apps(harness: &Harness, person: &SignedInPerson) {
    let review = Review::Approved { owner: Some(person.user_id) };
    let disabled = ClientStatus::Disabled { at: now() };
    let mut unit = harness.begin().await;
    for app in [
        Client { review, ..client(3) },
        draft(4, 2),
        Client { review, kind: ClientKind::PublicApp, ..client(5) },
        Client { review, status: disabled, ..client(6) },
    ] {
        unit.clients().insert(&app).await.unwrap();
    }
    let ended = ClientSecret { expires_at: Some(now()), created_at: seconds(9), ..secret(9) };
    for secret in [secret(3), ended] {
        unit.clients().insert_secret(client_id(3), &secret).await.unwrap();
    }
    unit.commit().await.unwrap();
}

pub(crate) async fn rejected_forms_about_apps_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    store_apps(harness, person).await;
    let (clients, before) = (&clients(harness), harness.clients.list_clients(None, 99).await.unwrap());
    let form = AppForm { name: "Restwell", ..FORM };
    let change = async |developer| clients.change_app(developer, form, SERVER).await.map(drop);
    let rotate = async |developer, newest| clients.rotate_app_secret(developer, newest).await.map(drop);
    let retire = async |developer, id| clients.retire_app_secret(developer, id).await;
    let delete = async |developer| clients.delete_app(developer).await;
    let (gone, stale, live) = (&signed_out(person), &stale(person), secret_id(3));

    // An app that does not exist, of the operator, and of another person.
    let of = |person, app| AppDeveloper { person, app: client_id(app) };
    let mut rejected = [9, 1, 4].map(|app| (of(person, app), is_no_app as fn(&AppError) -> bool)).to_vec();
    rejected.push((of(gone, 3), is_not_fresh));
    for (developer, is_expected) in rejected {
        assert_rejected(harness, "change", is_expected, async || change(developer).await).await;
        assert_rejected(harness, "rotate", is_expected, async || rotate(developer, Some(live)).await).await;
        assert_rejected(harness, "retire", is_expected, async || retire(developer, live).await).await;
        assert_rejected(harness, "delete", is_expected, async || delete(developer).await).await;
    }
    let stale = of(stale, 3);
    assert_rejected(harness, "change late", is_not_fresh, async || change(stale).await).await;
    assert_rejected(harness, "rotate late", is_not_fresh, async || rotate(stale, Some(live)).await).await;
    assert_rejected(harness, "delete late", is_not_fresh, async || delete(stale).await).await;

    let is_reserved = |error: &AppError| matches!(error, AppError::Invalid(faults) if *faults == [InvalidAppField::NameReserved]);
    assert_rejected(harness, "reserved", is_reserved, async || change(of(person, 3)).await).await;
    let is_disabled = |error: &AppError| matches!(error, AppError::Disabled);
    assert_rejected(harness, "delete disabled", is_disabled, async || delete(of(person, 6)).await).await;
    assert_eq!(harness.clients.list_clients(None, 99).await.unwrap(), before);
    rejected_secrets(harness, clients, person).await;
}

async fn rejected_secrets(harness: &Harness, clients: &Clients, person: &SignedInPerson) {
    let app = AppDeveloper { person, app: client_id(3) };
    let before = harness.clients.find_with_secrets(client_id(3)).await.unwrap();
    let rotate = async |developer, newest: Option<ClientSecretId>| {
        clients.rotate_app_secret(developer, newest).await.map(drop)
    };
    let is_changed = |error: &AppError| matches!(error, AppError::SecretChanged);
    for newest in [None, Some(secret_id(8)), Some(secret_id(9))] {
        assert_rejected(harness, "rotate again", is_changed, async || rotate(app, newest).await).await;
    }
    let public = AppDeveloper { person, app: client_id(5) };
    let has_none = |error: &AppError| matches!(error, AppError::NoSecret);
    assert_rejected(harness, "secret of a public app", has_none, async || rotate(public, None).await).await;
    let retire = async |id| clients.retire_app_secret(app, secret_id(id)).await;
    let is_last = |error: &AppError| matches!(error, AppError::LastSecret);
    assert_rejected(harness, "retire the last secret", is_last, async || retire(3).await).await;
    assert_eq!(harness.clients.find_with_secrets(client_id(3)).await.unwrap(), before);
    rotate(app, Some(secret_id(3))).await.unwrap();
    assert_rejected(harness, "retire an unknown secret", is_last, async || retire(8).await).await;
    assert_rejected(harness, "retire an ended secret", is_last, async || retire(9).await).await;
    retire(3).await.unwrap();
}

pub(crate) async fn rejected_commands_about_clients_open_no_connection(harness: &Harness) {
    let person = prepare(harness).await;
    store_apps(harness, &person).await;
    harness.store_client(&published(7, 0), &secret(7)).await;
    harness.store_client(&Client { kind: ClientKind::Service, ..client(8) }, &secret(8)).await;
    let (clients, before) = (&clients(harness), harness.clients.list_clients(None, 99).await.unwrap());
    let change = async |number, change: &ClientChange| {
        clients.change(client_id(number), change.clone()).await.map(drop)
    };
    let none = &ClientChange::default();
    assert_rejected(harness, "change an unknown client", is_no_client, async || change(9, none).await).await;
    let named = &ClientChange { name: ClientName::parse("Other").ok(), ..none.clone() };
    let has_document = |error: &ClientError| matches!(error, ClientError::FromDocument);
    assert_rejected(harness, "rename one with a document", has_document, async || change(7, named).await)
        .await;
    let no_uris = &ClientChange { redirect_uris: Some(Vec::new()), ..none.clone() };
    let needs_uri = |error: &ClientError| matches!(error, ClientError::NoRedirectUri);
    assert_rejected(harness, "remove all URIs", needs_uri, async || change(1, no_uris).await).await;
    let no_scopes = &ClientChange { scopes: Some(ScopeSet::EMPTY), ..none.clone() };
    let needs_scope = |error: &ClientError| matches!(error, ClientError::NoScope);
    assert_rejected(harness, "remove all scopes", needs_scope, async || change(1, no_scopes).await).await;
    let reading = &ClientChange { scopes: Some(ScopeSet::CONSENTABLE), ..none.clone() };
    let is_misfit =
        |error: &ClientError| matches!(error, ClientError::ScopeNotForThisKind(ClientKind::Service));
    assert_rejected(harness, "a service that reads", is_misfit, async || change(8, reading).await).await;
    let without_pkce = &ClientChange { require_pkce: Some(false), ..none.clone() };
    let needs_pkce = |error: &ClientError| matches!(error, ClientError::PkceNeeded);
    assert_rejected(harness, "release from PKCE", needs_pkce, async || change(5, without_pkce).await).await;

    let rotate = async |number| clients.rotate_secret(client_id(number), None).await.map(drop);
    assert_rejected(harness, "secret of an unknown client", is_no_client, async || rotate(9).await).await;
    let has_none = |error: &ClientError| matches!(error, ClientError::NoSecret);
    assert_rejected(harness, "secret of a public client", has_none, async || rotate(5).await).await;
    assert_eq!(harness.clients.list_clients(None, 99).await.unwrap(), before);
    rejected_approvals(harness, clients).await;
}

fn endpoint_of(client: &Client) -> WebhookEndpoint {
    WebhookEndpoint { client_id: client.id, ..endpoint(1) }
}

/// Checks that a draft is not approved as it was before its name or its endpoints changed.
async fn rejected_approvals(harness: &Harness, clients: &Clients) {
    let draft = draft(4, 2);
    commit!(harness, webhooks().insert(&endpoint_of(&draft)));
    let approve = async |number, revision: &str| clients.approve(client_id(number), revision).await;
    assert_rejected(harness, "approve an unknown client", is_no_client, async || approve(9, "none").await)
        .await;
    let is_outdated = |error: &ClientError| matches!(error, ClientError::ChangedSinceReview);
    let renamed = Client { name: ClientName::parse("Innocent").unwrap(), ..draft.clone() };
    for revision in [renamed.revision(&[endpoint_of(&draft)]), draft.revision(&[])] {
        assert_rejected(harness, "approve a changed app", is_outdated, async || approve(4, &revision).await)
            .await;
    }
    let found = harness.clients.find_with_secrets(draft.id).await.unwrap().unwrap();
    assert_eq!(found.client, draft);
    let endpoints = harness.webhooks.list_endpoints(Some(draft.id)).await.unwrap();
    assert_eq!(endpoints, [endpoint_of(&draft)]);
    assert!(!approve(4, &draft.revision(&endpoints)).await.unwrap().review.is_draft());
}
