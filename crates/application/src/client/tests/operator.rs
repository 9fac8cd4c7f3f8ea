//! Clients that the operator registers and changes.

use super::clients;
use crate::audit::testing::{assert_events, event};
use crate::client::{ClientChange, ClientError, CreatedClient, NewClient};
use crate::ports::storage::test_support::{MockUnitOfWork, RecordedEvents};
use crate::testing::{REDIRECT_URI, app, client_id, noon, one, scopes, seconds, units};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{
    Client, ClientKind, ClientName, ClientPages, ClientStatus, MetadataDocument, MetadataUrl, RedirectUri,
    WebPage,
};
use domain::secret::SecretKind;
use std::sync::{Arc, Mutex};

fn new_client(kind: ClientKind, scope: &str) -> NewClient {
    let redirect_uris = match kind {
        ClientKind::App | ClientKind::PublicApp => vec![RedirectUri::parse(REDIRECT_URI).unwrap()],
        ClientKind::Service => Vec::new(),
    };
    NewClient {
        name: ClientName::parse("Night Owl").unwrap(),
        kind,
        redirect_uris,
        pages: ClientPages::default(),
        scopes: scopes(scope),
        allow_query_secrets: true,
        require_pkce: false,
    }
}

async fn create(new: NewClient) -> Result<CreatedClient, ClientError> {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_insert().returning(|_| Ok(()));
    unit.clients.expect_insert_secret().returning(|_, _| Ok(()));
    clients(&one(unit).0).create(new).await
}

/// Returns the error of a client that is rejected before the store is used.
async fn rejection(new: NewClient) -> ClientError {
    clients(&units([])).create(new).await.unwrap_err()
}

#[tokio::test]
async fn a_new_client_is_active_and_its_secret_is_stored_as_a_hash() {
    let stored = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&stored);
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_insert().times(1).returning(|_| Ok(()));
    unit.clients.expect_insert_secret().times(1).returning(move |id, secret| {
        *noted.lock().unwrap() = Some((id, secret.clone()));
        Ok(())
    });
    let (units, endings) = one(unit);
    let events = units.events();
    let created = clients(&units).create(new_client(ClientKind::App, "profile sleep")).await.unwrap();

    let (id, secret) = stored.lock().unwrap().clone().unwrap();
    let client = created.client;
    assert_eq!(id, client.id);
    assert_eq!((client.status, client.created_at), (ClientStatus::Active, noon()));
    let shown = created.secret.unwrap();
    assert_eq!(shown.kind(), SecretKind::ClientSecret);
    assert_eq!(secret.hash, shown.hash());
    assert_eq!((secret.created_at, secret.expires_at), (noon(), None));
    assert_eq!(endings.committed(), 1);
    let expected = event(AuditActor::Operator, AuditKind::ClientCreated).client(client.id);
    assert_events(&events, &[expected]);
}

#[tokio::test]
async fn a_service_client_needs_no_redirect_uri() {
    let created = create(new_client(ClientKind::Service, "sleep:write")).await.unwrap();
    assert_eq!(created.client.kind, ClientKind::Service);
}

#[tokio::test]
async fn a_public_app_has_no_secret_and_must_use_pkce() {
    let stored = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&stored);
    let mut unit = MockUnitOfWork::default();
    // A call that stores a secret would fail: none is expected.
    unit.clients.expect_insert().times(1).returning(move |client| {
        *noted.lock().unwrap() = Some(client.clone());
        Ok(())
    });
    let new = new_client(ClientKind::PublicApp, "sleep");
    let created = clients(&one(unit).0).create(new).await.unwrap();
    assert!(created.secret.is_none());
    assert!(created.client.require_pkce);
    assert_eq!(stored.lock().unwrap().clone(), Some(created.client));
}

#[tokio::test]
async fn an_app_needs_a_redirect_uri() {
    for kind in [ClientKind::App, ClientKind::PublicApp] {
        let without = NewClient { redirect_uris: Vec::new(), ..new_client(kind, "sleep") };
        assert!(matches!(rejection(without).await, ClientError::NoRedirectUri));
    }
}

#[tokio::test]
async fn a_client_needs_a_scope() {
    for kind in [ClientKind::App, ClientKind::PublicApp, ClientKind::Service] {
        assert!(matches!(rejection(new_client(kind, "")).await, ClientError::NoScope));
    }
}

#[tokio::test]
async fn an_app_never_writes_and_never_introspects() {
    for scope in ["sleep:write", "sleep sleep:write", "users:write", "tokens:introspect"] {
        let error = rejection(new_client(ClientKind::App, scope)).await;
        assert!(matches!(error, ClientError::ScopeNotForThisKind(ClientKind::App)), "{scope}");
        assert!(error.to_string().contains("an app may have the scopes profile"), "{error}");
    }
}

#[tokio::test]
async fn a_public_app_never_writes() {
    for scope in ["sleep:write", "tokens:introspect"] {
        let error = rejection(new_client(ClientKind::PublicApp, scope)).await;
        assert!(matches!(error, ClientError::ScopeNotForThisKind(ClientKind::PublicApp)), "{scope}");
    }
}

#[tokio::test]
async fn a_service_client_never_gets_scopes_that_need_consent() {
    for scope in ["sleep", "sleep:write sleep", "profile"] {
        let error = rejection(new_client(ClientKind::Service, scope)).await;
        assert!(matches!(error, ClientError::ScopeNotForThisKind(ClientKind::Service)), "{scope}");
        assert!(error.to_string().contains("a service client may have the scopes users:write"), "{error}");
    }
}

/// Changes this client; asserts that the result was stored, and returns it.
async fn change(client: Client, wanted: ClientChange) -> Client {
    change_with_events(client, wanted).await.0
}

/// Changes this client; returns it and the audit events.
async fn change_with_events(client: Client, change: ClientChange) -> (Client, RecordedEvents) {
    let stored = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&stored);
    let mut unit = MockUnitOfWork::default();
    unit.clients
        .expect_find()
        .times(1)
        .withf(|id| *id == client_id(1))
        .return_once(move |_| Ok(Some(client)));
    unit.clients.expect_update().times(1).returning(move |client| {
        *noted.lock().unwrap() = Some(client.clone());
        Ok(true)
    });
    let (units, endings) = one(unit);
    let events = units.events();
    let changed = clients(&units).change(client_id(1), change).await.unwrap();
    assert_eq!(stored.lock().unwrap().as_ref(), Some(&changed));
    assert_eq!(endings.committed(), 1);
    (changed, events)
}

/// Asserts the kinds of the events of a change.
async fn assert_reported(client: Client, change: ClientChange, kinds: &[AuditKind]) {
    let (_, events) = change_with_events(client, change).await;
    let expected: Vec<_> =
        kinds.iter().map(|kind| event(AuditActor::Operator, *kind).client(client_id(1))).collect();
    assert_events(&events, &expected);
}

#[tokio::test]
async fn changing_and_disabling_are_separate_events_and_no_change_is_none() {
    let strict = ClientChange { require_pkce: Some(true), ..ClientChange::default() };
    assert_reported(app(), ClientChange::default(), &[]).await;
    assert_reported(app(), strict.clone(), &[AuditKind::ClientChanged]).await;
    assert_reported(app(), enabled(true), &[]).await;
    assert_reported(app(), enabled(false), &[AuditKind::ClientDisabled]).await;
    assert_reported(disabled_before(), enabled(false), &[]).await;
    assert_reported(disabled_before(), enabled(true), &[AuditKind::ClientEnabled]).await;
    let both = ClientChange { enabled: Some(false), ..strict };
    assert_reported(app(), both, &[AuditKind::ClientChanged, AuditKind::ClientDisabled]).await;
}

#[tokio::test]
async fn an_empty_change_has_no_effect() {
    assert_eq!(change(app(), ClientChange::default()).await, app());
}

#[tokio::test]
async fn only_the_given_fields_are_changed() {
    let redirect_uris = vec![RedirectUri::parse("https://owl.example/other").unwrap()];
    let name = ClientName::parse("Day Owl").unwrap();
    let page = || WebPage::parse("https://owl.example/privacy").ok();
    let wanted = ClientChange {
        name: Some(name.clone()),
        redirect_uris: Some(redirect_uris.clone()),
        home_page: None,
        privacy_policy: page(),
        scopes: Some(scopes("supplements")),
        allow_query_secrets: Some(false),
        require_pkce: Some(true),
        enabled: None,
    };
    let expected = Client {
        name,
        redirect_uris,
        pages: ClientPages { privacy_policy: page(), ..app().pages },
        scopes: scopes("supplements"),
        allow_query_secrets: false,
        require_pkce: true,
        ..app()
    };
    assert_eq!(change(app(), wanted).await, expected);
}

fn enabled(enabled: bool) -> ClientChange {
    ClientChange { enabled: Some(enabled), ..ClientChange::default() }
}

fn disabled_before() -> Client {
    Client { status: ClientStatus::Disabled { at: noon() - seconds(9) }, ..app() }
}

#[tokio::test]
async fn a_client_is_disabled_from_now_on_and_enabled_again() {
    let disabled_now = Client { status: ClientStatus::Disabled { at: noon() }, ..app() };
    for (before, wanted, after) in [
        (app(), enabled(false), disabled_now),
        (disabled_before(), enabled(false), disabled_before()),
        (disabled_before(), enabled(true), app()),
        (disabled_before(), ClientChange::default(), disabled_before()),
    ] {
        assert_eq!(change(before, wanted).await, after);
    }
}

#[tokio::test]
async fn a_client_with_a_metadata_document_is_disabled() {
    let url = MetadataUrl::parse("https://owl.example/client.json").unwrap();
    let document = Some(MetadataDocument { url, fresh_until: noon() });
    let client = Client { document, kind: ClientKind::PublicApp, require_pkce: true, ..app() };
    assert_reported(client, enabled(false), &[AuditKind::ClientDisabled]).await;
}
