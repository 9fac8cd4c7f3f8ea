//! Access checks, in their order (decisions 4).

use super::world::{
    ENDPOINTS, NOBODY, OTHER, REVOKED, SERVICE, TOKEN, UNREADABLE, USER, World, assert_problem,
    assert_uncounted, paths, rate_headers,
};
use actix_web::http::Method;

/// Lists all six paths of a person.
fn all_paths(user_id: &str) -> Vec<String> {
    ENDPOINTS.iter().flat_map(|endpoint| paths(endpoint, user_id)).collect()
}

// T06, T68
#[actix_web::test]
async fn a_request_without_a_bearer_token_is_challenged_without_an_error_code() {
    let world = World::empty();
    for path in all_paths(USER).into_iter().chain(all_paths("not-a-uuid")) {
        let in_query = format!("{path}?access_token={TOKEN}");
        let answers = [
            world.get_authorized(&path, &[]).await,
            world.get_authorized(&path, &[b"Basic c2FtOnNlY3JldA=="]).await,
            world.get_authorized(&path, &[b""]).await,
            world.get_authorized(&path, &[TOKEN.as_bytes()]).await,
            world.get_authorized(&in_query, &[]).await,
        ];
        for answer in answers {
            assert_problem(&answer, 401, "missing_token");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"restwell\""));
            assert_uncounted(&answer);
        }
    }
}

// T60, T67
#[actix_web::test]
async fn a_malformed_or_expired_token_is_rejected_before_any_other_check() {
    let world = World::empty();
    let long = format!("Bearer {}", "a".repeat(5_000));
    let values: [&[u8]; 12] = [
        b"Bearer",
        b"Bearer unknown",
        b"Bearer two words",
        b"Bearer\ttab",
        b"Bearer a,b",
        b"Bearer token=",
        b"Bearer \"quoted\"",
        b"Bearer t\xc3\xb6ken",
        b"Bearer \xff\xfe",
        b"Bearer a.b.c.d.e",
        b"Bearer token.of.revoked-grant",
        long.as_bytes(),
    ];
    for path in all_paths(USER).into_iter().chain(all_paths("not-a-uuid")) {
        for value in values {
            let answer = world.get_authorized(&path, &[value]).await;
            assert_problem(&answer, 401, "invalid_token");
            let challenge = answer.header("www-authenticate").unwrap();
            assert_eq!(challenge, "Bearer realm=\"restwell\", error=\"invalid_token\"");
            assert_uncounted(&answer);
        }
    }
    assert_problem(&world.get_with(&paths("sleep", USER)[0], REVOKED).await, 401, "invalid_token");
}

// T60
#[actix_web::test]
async fn the_scheme_is_read_in_any_case_and_with_more_than_one_space() {
    let world = World::empty();
    for value in
        ["bearer token.for.everything", "BEARER token.for.everything", "bEaReR   token.for.everything"]
    {
        for path in all_paths(USER) {
            assert_eq!(world.get_authorized(&path, &[value.as_bytes()]).await.status, 200, "{value}");
        }
    }
}

// T06, T68
#[actix_web::test]
async fn two_ways_of_authentication_at_once_are_a_malformed_request() {
    let world = World::empty();
    let good = format!("Bearer {TOKEN}");
    for path in all_paths(USER).into_iter().chain(all_paths("not-a-uuid")) {
        for query in ["access_token=x", "access_token", "x=1&access%5Ftoken=", "%zz=1&access_token=x"] {
            let both = format!("{path}?{query}");
            for value in [good.as_bytes(), b"Bearer bad", b"Basic x"] {
                let answer = world.get_authorized(&both, &[value]).await;
                assert_problem(&answer, 400, "invalid_request");
                assert_uncounted(&answer);
            }
        }
        for second in [good.as_bytes(), b"Bearer bad", b"Basic x", b""] {
            let answer = world.get_authorized(&path, &[good.as_bytes(), second]).await;
            assert_problem(&answer, 400, "invalid_request");
            assert_uncounted(&answer);
        }
    }
}

#[actix_web::test]
async fn a_user_id_that_is_no_uuid_in_its_long_form_is_refused_and_not_counted() {
    let world = World::empty();
    for user_id in [
        "1",
        "8c1a5e4f6b7d4e9a8f9c0d4b5a6f7e8d",
        "%7B8c1a5e4f-6b7d-4e9a-8f9c-0d4b5a6f7e8d%7D",
        "8c1a5e4f-6b7d-4e9a-8f9c-0d4b5a6f7e8g",
        "8c1a5e4f-6b7d-4e9a-8f9c-0d4b5a6f7e8d%20",
        "8c1a5e4f-6b7d-4e9a-8f9c-0d4b5a6f7e8d%00",
        "'%20OR%201=1--",
        "%2e%2e%2f",
    ] {
        for path in all_paths(user_id) {
            let answer = world.get(&path).await;
            assert_problem(&answer, 400, "invalid_user_id");
            assert_uncounted(&answer);
            assert_problem(&world.get_with(&path, "profile").await, 400, "invalid_user_id");
        }
    }
}

#[actix_web::test]
async fn a_user_id_is_read_in_any_case_and_answered_in_lower_case() {
    let world = World::empty();
    for path in all_paths(&USER.to_uppercase()) {
        assert_eq!(world.get(&path).await.status, 200, "{path}");
    }
    let answer = world.get(&paths("profile", &USER.to_uppercase())[0]).await;
    assert_eq!(answer.json()["data"]["user_id"], USER);
}

// T69
#[actix_web::test]
async fn the_response_about_another_person_is_the_same_whether_or_not_they_exist() {
    let world = World::empty();
    for endpoint in ENDPOINTS {
        let existing = world.get(&paths(endpoint, OTHER)[0]).await;
        let unknown = world.get(&paths(endpoint, NOBODY)[0]).await;
        for answer in [&existing, &unknown] {
            assert_problem(answer, 403, "other_user");
            assert_uncounted(answer);
        }
        // All requests of the tests have one id, so the bodies are equal byte for byte.
        assert_eq!(existing.body, unknown.body);
        let names = |answer: &crate::tests::TestResponse| {
            let mut headers: Vec<_> = answer.headers.iter().map(|(n, v)| (n.clone(), v.clone())).collect();
            headers.sort_by_key(|(name, _)| name.to_string());
            headers
        };
        assert_eq!(names(&existing), names(&unknown));
    }
}

// T69
#[actix_web::test]
async fn another_persons_data_is_rejected_before_scope_and_parameters_are_checked() {
    let world = World::empty();
    let path = format!("{}?page=0", paths("sleep", OTHER)[0]);
    assert_problem(&world.get_with(&path, "profile").await, 403, "other_user");
}

#[actix_web::test]
async fn a_service_token_reads_no_data() {
    let world = World::empty();
    for path in all_paths(USER) {
        let answer = world.get_with(&path, SERVICE).await;
        assert_eq!(answer.status, 403);
        assert_uncounted(&answer);
    }
}

// T68
#[actix_web::test]
async fn a_missing_scope_is_reported_before_the_parameters_are_checked() {
    let world = World::empty();
    for endpoint in ENDPOINTS {
        for (scope, path) in ENDPOINTS.iter().zip(std::iter::repeat(paths(endpoint, USER))) {
            let answer = world.get_with(&format!("{}?page=0&x=%zz", path[0]), scope).await;
            if *scope == endpoint {
                assert_eq!(answer.status, 400);
                continue;
            }
            assert_problem(&answer, 403, "insufficient_scope");
            let challenge = answer.header("www-authenticate").unwrap();
            assert!(challenge.contains("error=\"insufficient_scope\""), "{challenge}");
            assert!(challenge.contains(&format!("scope=\"{endpoint}\"")), "{challenge}");
            assert_uncounted(&answer);
        }
    }
}

// T97
#[actix_web::test]
async fn other_methods_than_get_are_refused_and_not_counted() {
    let world = World::empty();
    for path in all_paths(USER) {
        for method in
            [Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS, Method::TRACE]
        {
            let allowed = match path.split('?').next() {
                // Endpoints for backends share paths with the data endpoints.
                Some(path) if path.contains("/v1/profile/") => "GET, HEAD, PUT",
                Some(path) if path.contains("/v1/sleep/") => "GET, HEAD, POST",
                _ => "GET, HEAD",
            };
            if allowed.contains(method.as_str()) {
                continue;
            }
            let answer = world.ask(method.clone(), &path).await;
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.header("allow"), Some(allowed), "{method} {path}");
        }
        let [limit, remaining, _] = rate_headers(&world.get(&path).await);
        let times_asked = if path.contains("/v1/") { 1 } else { 2 };
        assert_eq!(limit - remaining, times_asked, "{path}");
    }
}

// T100
#[actix_web::test]
async fn only_the_decoded_path_of_a_data_endpoint_is_served() {
    let world = World::empty();
    assert_eq!(world.get(&format!("/api/v1/%73leep/{USER}")).await.status, 200);
    let without_token = world.get_authorized(&format!("/api/v1/%73leep/{USER}"), &[]).await;
    assert_problem(&without_token, 401, "missing_token");
    for path in [
        format!("/api/v1/sleep/{USER}/"),
        format!("//api/v1/sleep/{USER}"),
        format!("/api/v2/sleep/{USER}"),
        format!("/api/v1/Sleep/{USER}"),
        "/api/v1/sleep/".to_owned(),
        "/api/v1/sleep".to_owned(),
    ] {
        assert_problem(&world.get(&path).await, 404, "not_found");
    }
}

#[actix_web::test]
async fn a_store_failure_during_authorization_is_a_503_and_not_an_invalid_token() {
    let world = World::empty();
    for path in all_paths(USER) {
        let answer = world.get_with(&path, UNREADABLE).await;
        assert_problem(&answer, 503, "storage_unavailable");
        assert!(answer.header("retry-after").unwrap().parse::<u32>().unwrap() > 0);
        assert_eq!(answer.header("www-authenticate"), None);
        assert_uncounted(&answer);
    }
}
