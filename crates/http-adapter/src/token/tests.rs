//! The token endpoints from a client's view; tests name their rows of the security page.

mod audit;
mod body;
mod credentials;
mod flow;
mod framing;
mod fuzz;
mod parameters;
mod rejection;
mod revoke_introspect;

use crate::ApiState;
use crate::tests::{MemoryStore, Parts, TestResponse, port, send};
use actix_web::test::TestRequest;
use std::sync::Arc;

/// Returns a store and a state on it.
fn fresh() -> (Arc<MemoryStore>, Arc<ApiState>) {
    let store = Arc::new(MemoryStore::default());
    let state = Parts { store: Arc::clone(&store), ..Parts::default() }.build();
    (store, state)
}

/// Returns the contract's query for a code exchange.
fn code_query() -> String {
    format!(
        "code={}&client_id={}&client_secret={}&redirect_uri=https%3A%2F%2Fapp.example%2Fback",
        MemoryStore::code(),
        MemoryStore::APP,
        MemoryStore::client_secret()
    )
}

/// Returns the contract's query for a refresh.
fn refresh_query() -> String {
    format!(
        "refresh_token={}&client_id={}&client_secret={}&user_id={}",
        MemoryStore::refresh_token(),
        MemoryStore::APP,
        MemoryStore::client_secret(),
        MemoryStore::USER
    )
}

fn get(path: &str, query: &str) -> TestRequest {
    TestRequest::get().uri(&format!("{path}?{query}"))
}

fn post(path: &str, kind: &str, body: impl Into<actix_web::web::Bytes>) -> TestRequest {
    TestRequest::post().uri(path).insert_header(("content-type", kind)).set_payload(body.into())
}

fn post_form(path: &str, body: impl Into<actix_web::web::Bytes>) -> TestRequest {
    post(path, "application/x-www-form-urlencoded", body)
}

fn post_json(path: &str, body: impl Into<actix_web::web::Bytes>) -> TestRequest {
    post(path, "application/json", body)
}

/// Checks the common properties of every error of these endpoints (T02, T102).
#[track_caller]
fn assert_error(answer: &TestResponse, status: u16, error: &str) {
    assert_eq!(
        (answer.status.as_u16(), answer.member("error").as_str()),
        (status, error),
        "{}",
        answer.text()
    );
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_guarded(answer);
    let description = answer.member("error_description");
    assert!(
        description.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\'),
        "{description}"
    );
    assert!(answer.json().get("access_token").is_none());
}

/// Checks the headers of every response of these endpoints (T02).
#[track_caller]
fn assert_guarded(answer: &TestResponse) {
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("pragma"), Some("no-cache"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[track_caller]
fn assert_token(answer: &TestResponse) {
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_guarded(answer);
    assert!(answer.member("access_token").starts_with("access:"));
}

/// Sends a request to a fresh store, and checks that it is rejected and that the code is still valid.
async fn assert_refused(request: TestRequest, status: u16, error: &str) -> TestResponse {
    let (store, state) = fresh();
    let answer = send(&state, request).await;
    assert_error(&answer, status, error);
    assert!(store.code_is_unused());
    answer
}
