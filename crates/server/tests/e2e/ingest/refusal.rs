use super::backend::{Backend, LINES, night};
use crate::e2e::response::ReceivedResponse;
use crate::e2e::world::World;
use reqwest::{Body, Method};
use serde_json::json;

const NOBODY: &str = "4b1c5d6e-0000-4000-8000-00000000dead";
const MEBIBYTE: usize = 1024 * 1024;

on_sqlite! {
    async fn a_malformed_body_stores_nothing(world: World) {
        let world = world.in_processes();
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let path = format!("sleep/{}", backend.person("sam@example.org").await);
        let whole = json!([night(1), night(2)]).to_string();
        let (cut, _) = whole.split_at(whole.len() - 1);
        for (kind, body, status, code) in [
            ("application/json", cut, 400, "invalid_request"),
            ("application/json", "7", 400, "invalid_request"),
            ("application/json", "{\"secretname\": secretvalue}", 400, "invalid_request"),
            (LINES, "{}\n{\"secretname\"", 400, "invalid_request"),
            ("text/plain", &whole, 415, "unsupported_media_type"),
            ("application/x-www-form-urlencoded", &whole, 415, "unsupported_media_type"),
            ("application/json; charset=latin1", &whole, 400, "invalid_request"),
        ] {
            let answer = backend.post_text(&path, kind, body.to_owned()).await;
            assert_eq!(answer.refusal(status), code, "{kind} {body}");
            assert!(answer.headers.contains_key("x-ratelimit-remaining"));
            assert!(!answer.text.contains("secret"), "{}", answer.text);
        }
        for kind in ["application/json", LINES] {
            assert!(backend.post_text(&path, kind, String::new()).await.results().is_empty(), "no items are no error");
        }
        let coded = backend.request(Method::POST, &path).header("content-encoding", "gzip").json(&night(1));
        assert_eq!(ReceivedResponse::send(coded).await.refusal(415), "unsupported_media_type");
        assert_eq!(backend.post(&path, &json!([night(1), night(2)])).await.outcomes(), ["created", "created"]);
        assert!(!server.log().contains("secret"), "{}", server.log());
    }

    async fn writing_records_creates_no_person(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        assert_eq!(backend.post(&format!("sleep/{NOBODY}"), &night(1)).await.refusal(404), "unknown_user");
        assert_eq!(backend.post("sleep/7", &night(1)).await.refusal(400), "invalid_user_id");
        let logs = format!("supplements/{NOBODY}/logs");
        assert_eq!(backend.post(&logs, &json!([])).await.refusal(404), "unknown_user");
        let profile = backend.request(Method::PUT, &format!("profile/{NOBODY}")).json(&json!({}));
        assert_eq!(ReceivedResponse::send(profile).await.refusal(404), "unknown_user");
    }

    async fn requests_beyond_the_daily_limit_are_rejected(world: World) {
        let world = world.with("RESTWELL__RATE_LIMITS__INGEST", "2");
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        for left in ["1", "0"] {
            let answer = backend.post("users", &json!([])).await;
            assert!(answer.results().is_empty() && answer.headers["x-ratelimit-remaining"] == left);
        }
        assert_eq!(backend.post("users", &json!([])).await.refusal(429), "rate_limited");
    }

    async fn a_body_above_64_mib_is_rejected_before_anything_is_stored(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let path = format!("sleep/{}", backend.person("sam@example.org").await);
        // With a declared length: rejected before a byte of it is sent.
        let announced = backend.announce(&path, 64 * MEBIBYTE + 1).await;
        assert!(announced.starts_with("HTTP/1.1 413 ") && announced.contains("payload_too_large"), "{announced}");
        // In chunks: rejected at the first excess byte.
        let first = format!("{}\n", night(1));
        let blank = " ".repeat(MEBIBYTE - 1) + "\n";
        let chunks = std::iter::once(first.clone()).chain(std::iter::repeat_n(blank.clone(), 64));
        let stream = futures_util::stream::iter(chunks.map(Ok::<_, std::io::Error>));
        let request = backend.request(Method::POST, &path).header("content-type", LINES);
        // The connection may be closed while the rest is still being sent.
        if let Ok(answer) = request.body(Body::wrap_stream(stream)).send().await {
            assert_eq!(answer.status(), 413);
        }
        // A body of the maximum length is accepted and is the first to be stored.
        let mut longest = first + &blank.repeat(64);
        longest.truncate(64 * MEBIBYTE);
        assert_eq!(backend.post_text(&path, LINES, longest).await.outcomes(), ["created"]);
    }
}
