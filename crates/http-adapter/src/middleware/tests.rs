//! Common properties of all responses, on paths of every kind.
#![expect(clippy::disallowed_methods, reason = "the middleware is tested with routes that no server has")]

mod cors;
mod record;
mod unnamed_proxy;
mod wire;

use crate::problem::{Fault, Problem};
use crate::request_context::RequestContext;
use crate::route::Endpoint;
use crate::tests::{Parts, REQUEST_ID, TestResponse, send, send_to};
use crate::{ApiState, HttpSettings};
use actix_web::test::TestRequest;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Route, Scope};
use std::sync::Arc;
use std::time::Duration;

/// Wraps routes of a test in the middleware.
fn around(state: Arc<ApiState>, routes: Scope) -> impl FnOnce(&mut ServiceConfig) {
    move |app| {
        app.app_data(web::Data::from(state.http.clone())).service(super::wrap(routes));
    }
}

/// Wraps a handler of a test in the middleware of an endpoint.
fn endpoint(state: Arc<ApiState>, endpoint: Endpoint, handler: Route) -> impl FnOnce(&mut ServiceConfig) {
    move |app| {
        app.app_data(web::Data::from(state.http.clone())).service(endpoint.resource().route(handler));
    }
}

#[track_caller]
fn assert_problem(answer: &TestResponse, status: u16, code: &str) {
    assert_eq!((answer.status.as_u16(), answer.member("code").as_str()), (status, code), "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.json()["status"], status);
    assert_eq!(answer.member("type"), format!("http://restwell.example/errors#{code}"));
    assert_eq!(answer.member("request_id"), REQUEST_ID);
    assert_eq!(answer.header("x-request-id"), Some(REQUEST_ID));
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    assert_eq!(answer.header("vary"), Some("Origin, Accept-Encoding"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[actix_web::test]
async fn an_unknown_route_is_a_404_problem() {
    for path in [
        "/",
        "/api",
        "/api/v1",
        "/api/v2/profile/x",
        "/api/v1/profile",
        "/favicon.ico",
        "/livez/",
        "/%00",
        "/..",
    ] {
        for method in
            [TestRequest::get(), TestRequest::post(), TestRequest::default().method("HEAD".parse().unwrap())]
        {
            let answer = send(&Parts::default().build(), method.uri(path)).await;
            assert_problem(&answer, 404, "not_found");
        }
    }
}

#[actix_web::test]
async fn an_unknown_route_is_a_page_for_a_browser_except_below_api() {
    for (path, kind) in [("/nowhere", None), ("/api/nowhere", Some("application/problem+json"))] {
        let request = TestRequest::get().uri(path).insert_header(("accept", "text/html"));
        let answer = send(&Parts::default().build(), request).await;
        assert_eq!((answer.status.as_u16(), answer.header("content-type")), (404, kind), "{path}");
    }
}

#[actix_web::test]
async fn a_wrong_method_is_a_405_problem_that_lists_the_right_ones() {
    for (path, allowed) in [
        ("/livez", "GET, HEAD"),
        ("/readyz", "GET, HEAD"),
        ("/.well-known/jwks.json", "GET, HEAD"),
        ("/errors", "GET, HEAD"),
    ] {
        for method in
            ["PUT", "POST", "DELETE", "OPTIONS"].into_iter().filter(|method| !allowed.contains(method))
        {
            let request = TestRequest::default().method(method.parse().unwrap()).uri(path);
            let answer = send(&Parts::default().build(), request).await;
            assert_problem(&answer, 405, "method_not_allowed");
            assert_eq!(answer.header("allow"), Some(allowed));
        }
    }
}

#[actix_web::test]
async fn oversized_addresses_and_headers_are_rejected() {
    let state = Parts::default().build();
    let long = "y".repeat(8 * 1024 + 1);
    for uri in [format!("/nowhere?{long}"), format!("/{long}")] {
        assert_problem(&send(&state, TestRequest::get().uri(&uri)).await, 414, "uri_too_long");
    }
    let request = TestRequest::get().uri("/livez").insert_header(("cookie", "y".repeat(16 * 1024)));
    assert_problem(&send(&state, request).await, 431, "headers_too_large");
    let post = TestRequest::post().uri(&format!("/api/%74oken?{long}"));
    assert_eq!(send(&state, post).await.status.as_u16(), 414);
}

// Decisions 2: the method is checked before the size.
#[actix_web::test]
async fn a_method_that_is_not_served_is_a_405_whatever_the_size() {
    let state = Parts::default().build();
    let (long, cookie) = ("y".repeat(9000), "y".repeat(17 * 1024));
    for (method, path, allowed) in [
        ("PUT", "/api/token", "GET, POST"),
        ("HEAD", "/api/refresh", "GET, POST"),
        ("DELETE", "/api/v1/sleep/x", "GET, HEAD, POST"),
        ("POST", "/api/v1/supplements/x", "GET, HEAD"),
        ("DELETE", "/livez", "GET, HEAD"),
    ] {
        let request = |uri: &str| TestRequest::default().method(method.parse().unwrap()).uri(uri);
        let long = send(&state, request(&format!("{path}?x={long}"))).await;
        let wide = send(&state, request(path).insert_header(("cookie", cookie.as_str()))).await;
        for answer in [long, wide] {
            assert_eq!(
                (answer.status.as_u16(), answer.header("allow")),
                (405, Some(allowed)),
                "{method} {path}"
            );
        }
    }
}

// T103
#[actix_web::test]
async fn a_panic_is_a_500_in_the_paths_format_without_details() {
    async fn panics() -> HttpResponse {
        panic!("LEAKME123")
    }
    for path in [Endpoint::Token, Endpoint::Profile] {
        let routes = endpoint(Parts::default().build(), path, web::to(panics));
        let answer = send_to(routes, TestRequest::get().uri(path.path())).await;
        assert!(!answer.text().contains("LEAKME123"));
        if path == Endpoint::Profile {
            assert_problem(&answer, 500, "internal_error");
        } else {
            assert_eq!((answer.status.as_u16(), answer.member("error").as_str()), (500, "server_error"));
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
    }
}

// T103
#[actix_web::test]
async fn a_handler_that_never_returns_times_out() {
    async fn waits() -> HttpResponse {
        std::future::pending().await
    }
    for path in [Endpoint::Token, Endpoint::Profile] {
        let settings = HttpSettings { answer_timeout: Duration::from_millis(20), ..HttpSettings::default() };
        let state = Parts { settings, ..Parts::default() }.build();
        let request = TestRequest::get().uri(path.path());
        let answer = send_to(endpoint(state, path, web::to(waits)), request).await;
        let (member, code) = if path == Endpoint::Profile {
            ("code", "storage_unavailable")
        } else {
            ("error", "temporarily_unavailable")
        };
        assert_eq!((answer.status.as_u16(), answer.member(member).as_str()), (503, code));
        assert_eq!(answer.header("retry-after"), Some("5"));
    }
}

#[actix_web::test]
async fn an_error_response_of_a_library_becomes_a_problem() {
    async fn library() -> HttpResponse {
        HttpResponse::NotFound().body("LEAKME123")
    }
    let routes = web::scope("").service(web::resource("/docs/x").to(library));
    let answer = send_to(around(Parts::default().build(), routes), TestRequest::get().uri("/docs/x")).await;
    assert_problem(&answer, 404, "not_found");
    assert!(!answer.text().contains("LEAKME123"));
}

#[actix_web::test]
async fn the_cause_of_a_500_is_not_disclosed() {
    async fn leaky() -> Result<HttpResponse, Problem> {
        Err(Problem::internal("LEAKME123"))
    }
    let routes = web::scope("").service(web::resource("/x").to(leaky));
    let answer = send_to(around(Parts::default().build(), routes), TestRequest::get().uri("/x")).await;
    assert_problem(&answer, 500, "internal_error");
    assert!(!answer.text().contains("LEAKME123"));
}

#[actix_web::test]
async fn a_problem_has_its_fields_counter_and_retry_after() {
    use domain::rate_limit::RateStatus;
    const RATE: RateStatus = RateStatus { limit: 1000, remaining: 0, reset: 1_780_012_800, allowed: false };
    async fn limited() -> Result<HttpResponse, Problem> {
        Err(Problem::rate_limited(RATE, 77))
    }
    async fn wrong(request: HttpRequest) -> Result<HttpResponse, Problem> {
        RequestContext::of(&request).rate = Some(RATE);
        Err(Problem::invalid_parameter("page", "must be greater than 0"))
    }
    let routes = || {
        web::scope("")
            .service(web::resource("/limited").to(limited))
            .service(web::resource("/wrong").to(wrong))
    };
    let state = Parts::default().build();
    let limited = send_to(around(state.clone(), routes()), TestRequest::get().uri("/limited")).await;
    assert_problem(&limited, 429, "rate_limited");
    assert_eq!(limited.header("retry-after"), Some("77"));
    let wrong = send_to(around(state, routes()), TestRequest::get().uri("/wrong")).await;
    assert_problem(&wrong, 400, "invalid_parameter");
    assert_eq!(wrong.header("retry-after"), None);
    for answer in [&limited, &wrong] {
        assert_eq!(answer.header("x-ratelimit-limit"), Some("1000"));
        assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
        assert_eq!(answer.header("x-ratelimit-reset"), Some("1780012800"));
    }
    insta::assert_snapshot!(limited.text(), @r#"{"type":"http://restwell.example/errors#rate_limited","title":"The daily limit is reached","status":429,"detail":"The client has reached its limit of requests per UTC day for this user and endpoint: wait for Retry-After.","code":"rate_limited","request_id":"00000000-0000-4000-8000-0000000000aa","limit":{"X-RateLimit-Limit":1000,"X-RateLimit-Remaining":0,"X-RateLimit-Reset":1780012800}}"#);
    insta::assert_snapshot!(wrong.text(), @r#"{"type":"http://restwell.example/errors#invalid_parameter","title":"Invalid parameter","status":400,"detail":"page: must be greater than 0","code":"invalid_parameter","request_id":"00000000-0000-4000-8000-0000000000aa","errors":[{"field":"page","message":"must be greater than 0"}]}"#);
}

// T68
#[actix_web::test]
async fn each_fault_about_tokens_has_its_challenge() {
    use domain::scope::Scope;
    async fn answer(path: web::Path<String>) -> Result<HttpResponse, Problem> {
        Err(match path.as_str() {
            "missing" => Problem::new(Fault::MissingToken),
            "bad" => Problem::new(Fault::InvalidToken),
            "scope" => Problem::insufficient_scope([Scope::Sleep].into_iter().collect()),
            _ => Problem::new(Fault::OtherUser),
        })
    }
    for (path, status, challenge) in [
        ("missing", 401, Some("Bearer realm=\"restwell\"")),
        ("bad", 401, Some("Bearer realm=\"restwell\", error=\"invalid_token\"")),
        ("scope", 403, Some("Bearer realm=\"restwell\", error=\"insufficient_scope\", scope=\"sleep\"")),
        ("other", 403, None),
    ] {
        let routes = web::scope("").service(web::resource("/{x}").to(answer));
        let request = TestRequest::get().uri(&format!("/{path}"));
        let answer = send_to(around(Parts::default().build(), routes), request).await;
        assert_eq!(answer.status.as_u16(), status);
        assert_eq!(answer.header("www-authenticate"), challenge);
    }
}

#[actix_web::test]
async fn hsts_is_sent_exactly_when_the_public_url_is_https() {
    for (public_url, expected) in
        [("https://restwell.example", Some("max-age=31536000")), ("http://127.0.0.1:8080", None)]
    {
        let settings = HttpSettings { public_url: public_url.to_owned(), ..HttpSettings::default() };
        let state = Parts { settings, ..Parts::default() }.build();
        for path in ["/livez", "/nowhere", "/api/token"] {
            let answer = send(&state, TestRequest::get().uri(path)).await;
            assert_eq!(answer.header("strict-transport-security"), expected);
        }
    }
}

#[actix_web::test]
async fn liveness_and_readiness_are_separate() {
    let ready = Parts::default().build();
    let starting = Parts { is_ready: false, ..Parts::default() }.build();
    for (state, path) in [(&ready, "/livez"), (&starting, "/livez"), (&ready, "/readyz")] {
        let answer = send(state, TestRequest::get().uri(path)).await;
        assert_eq!(answer.status.as_u16(), 200);
        assert!(answer.text().starts_with(r#"{"status":"ok""#), "{}", answer.text());
    }
    let answer = send(&starting, TestRequest::get().uri("/readyz")).await;
    assert_problem(&answer, 503, "not_ready");
    assert_eq!(answer.header("retry-after"), Some("5"));
}

#[actix_web::test]
async fn the_key_set_is_public_and_cacheable_for_a_minute() {
    let answer = send(&Parts::default().build(), TestRequest::get().uri("/.well-known/jwks.json")).await;
    assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
    assert_eq!(answer.header("pragma"), None);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    insta::assert_snapshot!(answer.text(), @r#"{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","use":"sig","kid":"00000000-0000-0000-0000-000000000000","x":"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"}]}"#);
}
