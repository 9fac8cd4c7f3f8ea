//! Audit events of the token endpoints: rows T04 and T50, and issued tokens.

use super::*;
use domain::audit::{AuditActor, AuditKind};
use domain::client_usage::UsedEndpoint;
use domain::id::ClientId;

/// Checks that the trail contains exactly one event, of this kind and client.
#[track_caller]
fn assert_recorded(store: &MemoryStore, kind: AuditKind, client: &str) {
    let recorded: Vec<_> =
        store.events().iter().map(|event| (event.actor, event.kind, event.client_id)).collect();
    assert_eq!(recorded, [(AuditActor::Client, kind, ClientId::parse(client).ok())]);
}

// T04
#[actix_web::test]
async fn a_forbidden_secret_in_a_query_string_is_flagged_for_rotation() {
    let (store, state) = fresh();
    let strict = refresh_query().replace(MemoryStore::APP, MemoryStore::STRICT);
    assert_error(&send(&state, get("/api/refresh", &strict)).await, 400, "invalid_request");
    assert_recorded(&store, AuditKind::ClientSecretExposed, MemoryStore::STRICT);

    let store = Arc::new(MemoryStore::default());
    let state = Parts { store: Arc::clone(&store), allow_query_secrets: false, ..Parts::default() }.build();
    assert_error(&send(&state, get("/api/refresh", &refresh_query())).await, 400, "invalid_request");
    assert_recorded(&store, AuditKind::ClientSecretExposed, MemoryStore::APP);
}

// T04
#[actix_web::test]
async fn a_refresh_token_alone_in_a_query_string_flags_no_client_secret() {
    let store = Arc::new(MemoryStore::default());
    let state = Parts { store: Arc::clone(&store), allow_query_secrets: false, ..Parts::default() }.build();
    let token = format!("refresh_token={}", MemoryStore::refresh_token());
    let body = refresh_query().replace(&format!("{token}&"), "");
    let answer = send(&state, post_form(&format!("/api/refresh?{token}"), body)).await;
    assert_error(&answer, 400, "invalid_request");
    assert!(store.events().is_empty());
}

// T50
#[actix_web::test]
async fn another_clients_refresh_token_is_rejected_as_unknown_and_recorded() {
    let (store, state) = fresh();
    let stranger = refresh_query().replace(MemoryStore::APP, MemoryStore::STRICT);
    let answer = send(&state, post_form("/api/refresh", stranger)).await;
    assert_error(&answer, 400, "invalid_grant");
    assert_recorded(&store, AuditKind::RefreshTokenMisused, MemoryStore::STRICT);
    assert_token(&send(&state, post_form("/api/refresh", refresh_query())).await);
}

#[actix_web::test]
async fn a_redeemed_code_and_a_service_token_are_recorded() {
    let (store, state) = fresh();
    assert_token(&send(&state, post_form("/api/token", code_query())).await);
    assert_recorded(&store, AuditKind::GrantCreated, MemoryStore::APP);

    let (store, state) = fresh();
    let service = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        MemoryStore::SERVICE,
        MemoryStore::client_secret()
    );
    assert_eq!(send(&state, post_form("/api/token", service)).await.status, 200);
    assert_recorded(&store, AuditKind::ServiceTokenIssued, MemoryStore::SERVICE);
}

#[actix_web::test]
async fn requests_that_name_a_client_are_counted_with_their_status() {
    let parts = Parts::default();
    let usage = Arc::clone(&parts.usage);
    let state = parts.build();
    let unknown = refresh_query().replace(&*MemoryStore::refresh_token(), "rwr_unknown");
    let wrong_secret = refresh_query().replace("client_secret=", "client_secret=x");
    for body in [refresh_query(), unknown, wrong_secret] {
        send(&state, post_form("/api/refresh", body)).await;
    }
    let usage = usage.lock().unwrap();
    let counted: Vec<_> = usage.iter().map(|(request, status)| (request.client_id, *status)).collect();
    let app = ClientId::parse(MemoryStore::APP).unwrap();
    assert_eq!(counted, [(app, 200), (app, 400), (app, 401)]);
    assert!(usage.iter().all(|(request, _)| request.endpoint == UsedEndpoint::Token));
}
