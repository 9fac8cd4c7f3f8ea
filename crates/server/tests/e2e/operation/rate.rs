//! Daily limits in headers and bodies.

use super::reader::{Answer, Reader};
use crate::e2e::app::register;
use crate::e2e::security::party::another_client;
use crate::e2e::world::World;
use reqwest::StatusCode;
use serde_json::{Value, json};

/// Returns the three counters of a response; headers and body must agree.
pub(super) fn counters(answer: &Answer) -> [i64; 3] {
    let header = |name: &str| answer.header(name).parse::<i64>().expect("number");
    let names = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
    let counters = names.map(header);
    let limit: Value = answer.json()["limit"].clone();
    assert_eq!(
        limit,
        json!({names[0]: counters[0], names[1]: counters[1], names[2]: counters[2]}),
        "{}",
        answer.text
    );
    counters
}

/// Waits if the UTC day ends within these seconds, so that no window ends during the test. Sends one request
/// to the endpoint.
pub(super) async fn away_from_midnight(reader: &Reader, endpoint: &str, seconds: i64) {
    let answer = reader.ask(endpoint, "").await;
    let [_, _, reset] = counters(&answer);
    let date = chrono::DateTime::parse_from_rfc2822(answer.header("date")).expect("date");
    let left = reset - date.timestamp();
    if left < seconds {
        tokio::time::sleep(std::time::Duration::from_secs(left.unsigned_abs() + 1)).await;
    }
}

on_sqlite! {
    async fn headers_and_body_count_down_together_and_the_aliases_share_the_counter(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        away_from_midnight(&reader, "profile", 15).await;
        let user = &reader.user_id;
        for (endpoint, limit) in [("profile", 1000), ("sleep", 10_000), ("supplements", 10_000)] {
            let first = counters(&reader.ask(endpoint, "").await);
            assert_eq!(first[0], limit);
            let mut left = first[1];
            for path in [format!("/api/{endpoint}/{user}"), format!("/api/v1/{endpoint}/{user}"), format!("/api/{endpoint}/{user}")] {
                let now = counters(&reader.get(&path).await);
                left -= 1;
                assert_eq!(now, [limit, left, first[2]], "{path}");
            }
            assert_eq!(first[2] % 86_400, 0, "the window ends at midnight");
        }
        // An invalid parameter counts and returns the counters; an invalid token or path does neither.
        let before = counters(&reader.ask("sleep", "").await)[1];
        let wrong = reader.ask("sleep", "page=0").await;
        assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
        assert_eq!(wrong.header("X-RateLimit-Remaining"), (before - 1).to_string());
        let stranger = Reader::new(&server, user, "no token");
        let malformed = reader.get("/api/v1/sleep/me").await;
        let refused = stranger.ask("sleep", "").await;
        assert_eq!((refused.status, malformed.status), (StatusCode::UNAUTHORIZED, StatusCode::BAD_REQUEST));
        assert!(refused.headers.get("X-RateLimit-Limit").or(malformed.headers.get("X-RateLimit-Limit")).is_none());
        assert_eq!(counters(&reader.ask("sleep", "").await)[1], before - 2);
    }

    async fn a_request_beyond_the_limit_is_a_429_with_retry_after(world: World) {
        let world = world.with("RESTWELL__RATE_LIMITS__SLEEP", "3");
        let registration = register(&world);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        away_from_midnight(&reader, "profile", 15).await;
        for left in [2, 1, 0] {
            assert_eq!(counters(&reader.ask("sleep", "").await)[..2], [3, left]);
        }
        for _ in 0..2 {
            let refused = reader.ask("sleep", "").await;
            assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
            assert_eq!(refused.header("content-type"), "application/problem+json");
            let [limit, left, reset] = counters(&refused);
            assert_eq!((limit, left), (3, 0));
            let retry: i64 = refused.header("retry-after").parse().expect("seconds");
            let date = chrono::DateTime::parse_from_rfc2822(refused.header("date")).expect("date").timestamp();
            assert!((reset - date - retry).abs() <= 1, "{retry} s after {date} is not {reset}");
            let problem = refused.json();
            assert_eq!((&problem["status"], problem["request_id"].as_str()), (&json!(429), Some(refused.header("x-request-id"))));
        }
        // Other endpoints and other clients of the same person have separate counters.
        assert_eq!(reader.ask("profile", "").await.status, StatusCode::OK);
        let other = another_client(&world, &registration);
        let other = Reader::authorized(&world, &server, &other).await;
        assert_eq!(counters(&other.ask("sleep", "").await)[..2], [3, 2]);
    }
}
