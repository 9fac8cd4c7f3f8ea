//! Methods, sizes and paths: rows T96, T97, T99 and T100.

use super::*;
use actix_web::http::Method;

// T97
#[actix_web::test]
async fn other_methods_than_get_and_post_are_405_and_consume_nothing() {
    for method in ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "LEAKME"] {
        for (path, query) in [("/api/token", code_query()), ("/api/refresh", refresh_query())] {
            let request = get(path, &query)
                .method(Method::from_bytes(method.as_bytes()).unwrap())
                .insert_header(("origin", "https://app.example"))
                .insert_header(("access-control-request-method", "POST"));
            let answer = assert_refused(request, 405, "invalid_request").await;
            assert_eq!(answer.header("allow"), Some("GET, POST"), "{method}");
        }
    }
}

// T96
#[actix_web::test]
async fn a_query_has_at_most_8_kib() {
    let (_, state) = fresh();
    let filled = |size: usize| {
        let query = format!("{}&x=", code_query());
        format!("{query}{}", "y".repeat(size - query.len()))
    };
    assert_token(&send(&state, get("/api/token", &filled(8 * 1024))).await);
    assert_refused(get("/api/token", &filled(8 * 1024 + 1)), 414, "invalid_request").await;
}

// T96
#[actix_web::test]
async fn headers_have_at_most_16_kib() {
    let request = get("/api/token", &code_query()).insert_header(("x-filler", "y".repeat(17 * 1024)));
    assert_refused(request, 431, "invalid_request").await;
    let (_, state) = fresh();
    let request = get("/api/token", &code_query()).insert_header(("x-filler", "y".repeat(15 * 1024)));
    assert_token(&send(&state, request).await);
}

// T99
#[actix_web::test]
async fn headers_that_override_method_host_or_path_are_ignored() {
    let (_, state) = fresh();
    let request = get("/api/token", &code_query())
        .insert_header(("x-http-method-override", "DELETE"))
        .insert_header(("x-original-url", "/livez"))
        .insert_header(("x-forwarded-host", "evil.example"))
        .insert_header(("x-request-id", "chosen-by-the-caller"));
    let answer = send(&state, request).await;
    assert_token(&answer);
    assert_eq!(answer.header("x-request-id"), Some(crate::tests::REQUEST_ID));
}

// T100
#[actix_web::test]
async fn an_escaped_spelling_of_the_path_is_the_token_endpoint_in_every_respect() {
    let (_, state) = fresh();
    let answer = send(&state, get("/api/%74oken", "code=a")).await;
    assert_error(&answer, 400, "invalid_request");
    assert_token(&send(&state, get("/api/%74oken", &code_query())).await);
}

// T100, T02
#[actix_web::test]
async fn other_spellings_of_the_path_are_not_found_and_have_the_same_headers() {
    for path in [
        "/api/token/",
        "//api/token",
        "/api//token",
        "/api/Token",
        "/api/token/x",
        "/api/token%2F",
        "/API/token",
    ] {
        let (store, state) = fresh();
        let answer = send(&state, get(path, &code_query())).await;
        assert_eq!(answer.status.as_u16(), 404, "{path}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        assert_eq!(answer.member("code"), "not_found");
        assert_eq!(answer.header("cache-control"), Some("private, no-store"));
        assert_eq!(answer.header("pragma"), Some("no-cache"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert!(store.code_is_unused());
    }
}
