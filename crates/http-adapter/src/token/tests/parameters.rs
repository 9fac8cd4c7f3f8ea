//! Requests that are rejected before authentication: rows T90 to T93, T102 and the order of checks.

use super::*;

// T90
#[actix_web::test]
async fn a_repeated_known_parameter_is_rejected_in_query_and_body() {
    let twice = format!("{}&code={}", code_query(), MemoryStore::code());
    let answer = assert_refused(get("/api/token", &twice), 400, "invalid_request").await;
    assert_eq!(answer.member("error_description"), "code: must be given at most once");
    assert_refused(post_form("/api/token", twice), 400, "invalid_request").await;
    let split = post_form(&format!("/api/token?client_id={}", MemoryStore::APP), code_query());
    assert_refused(split, 400, "invalid_request").await;
    // Known to the other endpoint only, but still known.
    let odd = format!("{}&user_id=a&user_id=b", code_query());
    assert_refused(get("/api/token", &odd), 400, "invalid_request").await;
}

// T90
#[actix_web::test]
async fn unknown_parameters_are_ignored_and_names_are_exact() {
    let (_, state) = fresh();
    let query = format!("{}&x=1&x=2&y=&audience=https%3A%2F%2Fa", code_query());
    assert_token(&send(&state, get("/api/token", &query)).await);
    for name in ["code[]=", "Code=", "code%20="] {
        let query = code_query().replacen("code=", name, 1);
        let answer = assert_refused(get("/api/token", &query), 400, "invalid_request").await;
        assert_eq!(answer.member("error_description"), "code: is required");
    }
}

#[actix_web::test]
async fn query_and_body_are_read_together() {
    let (_, state) = fresh();
    let (code, rest) = code_query().split_once('&').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let request = post_form(&format!("/api/token?{rest}"), code);
    assert_token(&send(&state, request).await);
}

#[actix_web::test]
async fn a_get_may_have_a_body() {
    for kind in ["form", "json"] {
        let (_, state) = fresh();
        let request = TestRequest::get().uri("/api/token");
        let request = if kind == "form" {
            request
                .insert_header(("content-type", "application/x-www-form-urlencoded"))
                .set_payload(code_query())
        } else {
            request.set_json(serde_json::json!({
                "code": MemoryStore::code(),
                "client_id": MemoryStore::APP,
                "client_secret": MemoryStore::client_secret(),
                "redirect_uri": MemoryStore::REDIRECT_URI,
            }))
        };
        assert_token(&send(&state, request).await);
    }
}

// T91
#[actix_web::test]
async fn an_empty_value_is_refused() {
    for query in [
        code_query().replace(&MemoryStore::code(), ""),
        code_query().replace(&MemoryStore::client_secret(), ""),
        format!("{}&grant_type=", code_query()),
        format!("{}&scope", code_query()),
    ] {
        assert_refused(get("/api/token", &query), 400, "invalid_request").await;
        assert_refused(post_form("/api/token", query), 400, "invalid_request").await;
    }
}

// T92
#[actix_web::test]
async fn control_characters_are_refused() {
    for control in ["%00", "%01", "%0A", "%0d%0a", "%1f", "%09"] {
        let query = format!("{}&scope=a{control}b", code_query());
        assert_refused(get("/api/token", &query), 400, "invalid_request").await;
        assert_refused(post_form("/api/token", query), 400, "invalid_request").await;
    }
}

// T93
#[actix_web::test]
async fn broken_encoding_is_refused_even_in_an_unknown_parameter() {
    for bad in ["scope=%ff%fe", "x=%ff", "scope=%2", "x=%zz", "%=1"] {
        let query = format!("{}&{bad}", code_query());
        assert_refused(get("/api/token", &query), 400, "invalid_request").await;
        assert_refused(post_form("/api/token", query), 400, "invalid_request").await;
    }
}

#[actix_web::test]
async fn each_missing_parameter_is_named() {
    for (path, query, names) in [
        ("/api/token", code_query(), ["code", "client_id", "client_secret", "redirect_uri"]),
        ("/api/refresh", refresh_query(), ["refresh_token", "client_id", "client_secret", "user_id"]),
    ] {
        for name in names {
            let without: Vec<_> =
                query.split('&').filter(|pair| !pair.starts_with(&format!("{name}="))).collect();
            let answer = assert_refused(get(path, &without.join("&")), 400, "invalid_request").await;
            assert_eq!(answer.member("error_description"), format!("{name}: is required"));
        }
    }
    assert_refused(TestRequest::get().uri("/api/token"), 400, "invalid_request").await;
    assert_refused(TestRequest::post().uri("/api/refresh"), 400, "invalid_request").await;
}

#[actix_web::test]
async fn the_checks_have_a_fixed_order() {
    // Duplicate and missing: duplicate. Missing and a wrong secret: missing. A wrong secret and an invalid
    // code: the secret.
    let query = "code=a&code=b";
    let answer = assert_refused(get("/api/token", query), 400, "invalid_request").await;
    assert_eq!(answer.member("error_description"), "code: must be given at most once");
    let query = format!("code=a&client_id={}&client_secret=wrong", MemoryStore::APP);
    assert_refused(get("/api/token", &query), 400, "invalid_request").await;
    let query = format!("{query}&redirect_uri=x");
    assert_refused(get("/api/token", &query), 401, "invalid_client").await;
    let query = code_query().replace(&MemoryStore::code(), "a").replace("app.example", "evil.example");
    assert_refused(get("/api/token", &query), 400, "invalid_grant").await;
}

// T01, T102
#[actix_web::test]
async fn no_response_repeats_input() {
    let mark = "LEAKME123";
    for query in [
        format!("code={mark}&code={mark}"),
        format!("code={mark}%00"),
        format!("{mark}=%zz"),
        format!("grant_type={mark}"),
        format!("code={mark}&client_id={mark}&client_secret={mark}&redirect_uri={mark}"),
    ] {
        for request in [get("/api/token", &query), post_form("/api/token", query.clone())] {
            let (_, state) = fresh();
            let answer = send(&state, request).await;
            assert!(answer.status.is_client_error());
            assert!(!answer.text().contains(mark) && !format!("{:?}", answer.headers).contains(mark));
        }
    }
    let answer =
        assert_refused(post_json("/api/token", format!("{{\"{mark}\":[]}}")), 400, "invalid_request").await;
    assert!(!answer.text().contains(mark));
}
