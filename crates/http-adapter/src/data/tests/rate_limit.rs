//! Daily limits from a client's view (decisions 4 and 7).

use super::world::{ENDPOINTS, USER, World, assert_problem, parts, paths, rate_headers};
use crate::tests::{NOW, Parts};
use actix_web::http::Method;
use domain::data_kind::DataKind;

fn limited(limit: u32) -> World {
    let daily_limits = DataKind::ALL.into_iter().map(|kind| (kind, limit)).collect();
    World::new(Parts { daily_limits, ..parts() })
}

/// Returns the member `limit` in the order of the headers.
fn limit_of_body(body: &serde_json::Value) -> [i64; 3] {
    ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]
        .map(|name| body["limit"][name].as_i64().unwrap_or_else(|| panic!("no {name} in {body}")))
}

#[actix_web::test]
async fn body_and_headers_agree_and_both_paths_share_a_counter() {
    let world = World::empty();
    for (endpoint, limit) in ENDPOINTS.into_iter().zip([1_000, 10_000, 10_000]) {
        for (path, used) in paths(endpoint, USER).iter().zip(1..) {
            let answer = world.get(path).await;
            let midnight = (NOW.timestamp() / 86_400 + 1) * 86_400;
            assert_eq!(rate_headers(&answer), [limit, limit - used, midnight]);
            assert_eq!(limit_of_body(&answer.json()), rate_headers(&answer));
        }
    }
}

#[actix_web::test]
async fn a_head_request_counts_like_a_get_and_has_no_body() {
    let world = World::empty();
    for endpoint in ENDPOINTS {
        for (path, used) in paths(endpoint, USER).iter().zip([1, 3]) {
            let [get, head] = [world.get(path).await, world.ask(Method::HEAD, path).await];
            assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
            assert_eq!(head.header("content-type"), get.header("content-type"));
            let [limit, remaining, _] = rate_headers(&head);
            assert_eq!(limit - remaining, used + 1, "{path}");
        }
    }
    let limited = limited(1);
    let [path, _] = paths("sleep", USER);
    assert_eq!(limited.ask(Method::HEAD, &path).await.status, 200);
    assert_eq!(limited.ask(Method::HEAD, &path).await.status, 429);
}

#[actix_web::test]
async fn a_request_beyond_the_limit_gets_retry_after_and_does_not_count() {
    let world = limited(1);
    for endpoint in ENDPOINTS {
        let [path, alias] = paths(endpoint, USER);
        assert_eq!(world.get(&path).await.status, 200);
        for refused in [&alias, &path, &format!("{path}?page=0&x=%zz")] {
            let answer = world.get(refused).await;
            assert_problem(&answer, 429, "rate_limited");
            let [limit, remaining, reset] = rate_headers(&answer);
            assert_eq!((limit, remaining), (1, 0));
            assert_eq!(limit_of_body(&answer.json()), [limit, remaining, reset]);
            let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
            assert_eq!(wait, reset - NOW.timestamp());
        }
    }
}

#[actix_web::test]
async fn an_invalid_parameter_counts_and_returns_the_counter() {
    let world = limited(3);
    for endpoint in ENDPOINTS {
        let path = &paths(endpoint, USER)[0];
        let malformed = world.get(&format!("{path}?x=%zz")).await;
        assert_problem(&malformed, 400, "invalid_request");
        assert_eq!(rate_headers(&malformed)[..2], [3, 2]);
        assert!(malformed.json().get("limit").is_none());
        if endpoint != "profile" {
            let wrong = world.get(&format!("{path}?page=0")).await;
            assert_problem(&wrong, 400, "invalid_parameter");
            assert_eq!(rate_headers(&wrong)[..2], [3, 1]);
        }
    }
}
