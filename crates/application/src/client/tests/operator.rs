//! Registrations that are rejected before the store is used.

use super::clients;
use crate::client::{ClientError, NewClient};
use crate::testing::{REDIRECT_URI, scopes, units};
use domain::client::{ClientKind, ClientName, ClientPages, RedirectUri};

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

/// Returns the error of a client that is rejected before the store is used.
async fn rejection(new: NewClient) -> ClientError {
    clients(&units([])).create(new).await.unwrap_err()
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
