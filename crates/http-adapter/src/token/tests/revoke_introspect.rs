//! Revocation and introspection: row T55, RFC 7009 and RFC 7662.

use super::*;
use application::ports::storage::AccessState;
use application::ports::system::InvalidToken;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::id::ClientId;
use domain::scope::ScopeSet;
use domain::time::TimeZone;

const PATHS: [&str; 2] = ["/oauth/revoke", "/oauth/introspect"];

/// Returns a state with the refresh token of the store and no access token.
fn state_with_refresh_token() -> Arc<ApiState> {
    let access = port::access(|_, _| {
        Ok(Some(AccessState {
            client_id: ClientId::parse(MemoryStore::APP).unwrap(),
            scopes: ScopeSet::parse("profile sleep").unwrap(),
            is_live: true,
            ended_at: None,
            home_timezone: TimeZone::UTC,
        }))
    });
    Parts { verifier: port::verifier(|_, _| Err(InvalidToken)), access, ..Parts::default() }.build()
}

fn credentials() -> String {
    format!("client_id={}&client_secret={}", MemoryStore::APP, MemoryStore::client_secret())
}

/// Returns a form without the hint, which revocation does not need.
fn form_without_hint() -> String {
    format!("token={}&{}", MemoryStore::refresh_token(), credentials())
}

fn right_form() -> String {
    format!("{}&token_type_hint=refresh_token", form_without_hint())
}

#[track_caller]
fn assert_done(path: &str, answer: &TestResponse) {
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
    assert_guarded(answer);
    if path == "/oauth/revoke" {
        assert_eq!(answer.text(), "");
    } else {
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.json()["active"], true);
    }
}

#[actix_web::test]
async fn the_client_authenticates_in_the_body_or_by_basic() {
    for path in PATHS {
        assert_done(path, &send(&state_with_refresh_token(), post_form(path, right_form())).await);
        let json = serde_json::json!({
            "token": MemoryStore::refresh_token(),
            "token_type_hint": "refresh_token",
            "client_id": MemoryStore::APP,
            "client_secret": MemoryStore::client_secret(),
        });
        assert_done(path, &send(&state_with_refresh_token(), post_json(path, json.to_string())).await);
        let pair = STANDARD.encode(format!("{}:{}", MemoryStore::APP, MemoryStore::client_secret()));
        let form = format!("token={}&token_type_hint=refresh_token", MemoryStore::refresh_token());
        let request = post_form(path, form).insert_header(("authorization", format!("Basic {pair}")));
        assert_done(path, &send(&state_with_refresh_token(), request).await);
    }
}

#[actix_web::test]
async fn a_live_refresh_token_has_no_expiry() {
    let answer = send(&state_with_refresh_token(), post_form("/oauth/introspect", right_form())).await;
    let expected = serde_json::json!({
        "active": true,
        "scope": "profile sleep",
        "client_id": MemoryStore::APP,
        "iat": crate::tests::NOW.timestamp(),
        "sub": MemoryStore::USER,
        "iss": "http://restwell.example",
    });
    assert_eq!(answer.json(), expected);
}

#[actix_web::test]
async fn an_unknown_token_is_only_reported_as_inactive() {
    let form = format!("token=nonsense&{}", credentials());
    let answer = send(&state_with_refresh_token(), post_form("/oauth/introspect", form.clone())).await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, r#"{"active":false}"#));
    assert_done("/oauth/revoke", &send(&state_with_refresh_token(), post_form("/oauth/revoke", form)).await);
}

#[actix_web::test]
async fn revocation_ignores_the_hint() {
    for hint in ["", "&token_type_hint=refresh_token", "&token_type_hint=access_token", "&token_type_hint=x"]
    {
        let form = format!("{}{hint}", form_without_hint());
        assert_done(
            "/oauth/revoke",
            &send(&state_with_refresh_token(), post_form("/oauth/revoke", form)).await,
        );
    }
}

#[actix_web::test]
async fn introspection_reports_a_refresh_token_as_inactive_without_the_hint() {
    for hint in ["", "&token_type_hint=access_token", "&token_type_hint=Refresh_Token"] {
        let form = format!("{}{hint}", form_without_hint());
        let answer = send(&state_with_refresh_token(), post_form("/oauth/introspect", form)).await;
        assert_eq!((answer.status.as_u16(), answer.text()), (200, r#"{"active":false}"#), "{hint}");
    }
}

#[actix_web::test]
async fn known_parameters_are_rejected_in_the_query_string() {
    for path in PATHS {
        for name in ["token", "token_type_hint", "client_id", "client_secret"] {
            let answer =
                send(&state_with_refresh_token(), post_form(&format!("{path}?{name}=x"), right_form())).await;
            assert_error(&answer, 400, "invalid_request");
            assert_eq!(
                answer.member("error_description"),
                format!("{name}: must not be in the query string")
            );
        }
        assert_error(
            &send(&state_with_refresh_token(), post_form(&format!("{path}?x=%zz"), right_form())).await,
            400,
            "invalid_request",
        );
        assert_done(
            path,
            &send(&state_with_refresh_token(), post_form(&format!("{path}?x=1"), right_form())).await,
        );
    }
}

#[actix_web::test]
async fn absent_empty_and_repeated_parameters_are_rejected() {
    for path in PATHS {
        for form in [
            credentials(),
            format!("token=&{}", credentials()),
            format!("token=x&{}", right_form()),
            format!("token_type_hint=&{}", form_without_hint()),
            format!("token=x&client_id={}", MemoryStore::APP),
            String::new(),
        ] {
            assert_error(
                &send(&state_with_refresh_token(), post_form(path, form)).await,
                400,
                "invalid_request",
            );
        }
        assert_error(
            &send(&state_with_refresh_token(), post(path, "text/plain", "token=x")).await,
            415,
            "invalid_request",
        );
        let large = format!("{}&x={}", right_form(), "y".repeat(17 * 1024));
        assert_error(
            &send(&state_with_refresh_token(), post_form(path, large)).await,
            413,
            "invalid_request",
        );
    }
}

// T49
#[actix_web::test]
async fn wrong_authentication_is_refused_and_counted() {
    for path in PATHS {
        let state = state_with_refresh_token();
        let wrong = format!("token=x&client_id={}&client_secret=wrong", MemoryStore::APP);
        for _ in 0..2 {
            let answer = send(&state, post_form(path, wrong.clone())).await;
            assert_error(&answer, 401, "invalid_client");
            assert_eq!(answer.header("www-authenticate"), None);
        }
        let answer = send(&state, post_form(path, wrong)).await;
        assert_error(&answer, 429, "temporarily_unavailable");
        assert_done(path, &send(&state, post_form(path, right_form())).await);
    }
}

#[actix_web::test]
async fn only_post_is_served_whatever_the_size() {
    for path in ["/oauth/revoke", "/oauth/introspect", "/oauth/rev%6Fke"] {
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] {
            for query in ["token=x".to_owned(), "y".repeat(9000)] {
                let request =
                    TestRequest::with_uri(&format!("{path}?{query}")).method(method.parse().unwrap());
                let answer = send(&state_with_refresh_token(), request).await;
                assert_error(&answer, 405, "invalid_request");
                assert_eq!(answer.header("allow"), Some("POST"), "{method} {path}");
            }
        }
    }
}

#[actix_web::test]
async fn a_store_that_is_down_is_a_503() {
    for path in PATHS {
        let state = Parts { store: Arc::new(MemoryStore::down()), ..Parts::default() }.build();
        assert_error(&send(&state, post_form(path, right_form())).await, 503, "temporarily_unavailable");
    }
}

// T26
#[actix_web::test]
async fn the_metadata_has_the_public_url_and_is_cacheable_rfc_8414_section_3_2() {
    let answer = metadata("/.well-known/oauth-authorization-server").await;
    assert_eq!(answer.member("issuer"), "http://restwell.example");
    assert_eq!(answer.member("token_endpoint"), "http://restwell.example/api/token");
    assert_eq!(answer.json()["code_challenge_methods_supported"], serde_json::json!(["S256"]));
    assert_eq!(answer.member("authorization_endpoint"), "http://restwell.example/authorize");
    assert_eq!(answer.json()["authorization_response_iss_parameter_supported"], true);
}

/// RFC 9728 section 3.2.
#[actix_web::test]
async fn the_metadata_of_both_resources_is_json_without_empty_arrays() {
    for (suffix, resource) in [("", ""), ("/mcp", "/mcp")] {
        let answer = metadata(&format!("/.well-known/oauth-protected-resource{suffix}")).await;
        assert_eq!(answer.member("resource"), format!("http://restwell.example{resource}"));
    }
}

/// Reads metadata under false host names; checks that it is cacheable JSON without empty arrays or these
/// names.
async fn metadata(path: &str) -> TestResponse {
    let request = TestRequest::get()
        .uri(path)
        .insert_header(("host", "evil.example"))
        .insert_header(("x-forwarded-host", "evil.example"));
    let answer = send(&state_with_refresh_token(), request).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=3600"));
    let body = answer.json();
    let members = body.as_object().unwrap().iter();
    let empty: Vec<_> = members.filter(|(_, value)| value.as_array().is_some_and(Vec::is_empty)).collect();
    assert_eq!(empty, []);
    assert!(!answer.text().contains("evil"));
    answer
}
