use super::backend::{Backend, LINES, night};
use crate::e2e::response::ReceivedResponse;
use crate::e2e::world::World;
use serde_json::{Value, json};

on_all_stores! {
    async fn only_one_of_two_processes_with_the_same_key_does_the_work(world: World) {
        // Behind a load balancer all replicas share one address, which is the issuer of their tokens.
        let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:4711");
        let (first, second) = (world.serve_as("first"), world.serve_as("second"));
        let here = Backend::new(&world, &first).await;
        let there = here.at(&second);
        let path = format!("sleep/{}", here.person("sam@example.org").await);
        for round in 0..5_u32 {
            let items: Vec<Value> = (0..200).map(|number| night(round * 200 + number)).collect();
            let (items, key) = (json!(items), format!("round-{round}"));
            let (one, other) = tokio::join!(here.post_once(&path, &key, &items), there.post_once(&path, &key, &items));
            let works: Vec<_> = [&one, &other].into_iter().filter(|answer| answer.status == 200).collect();
            assert!(!works.is_empty(), "{} {}", one.text, other.text);
            // Later requests wait, or get the response of the first.
            assert!(works.iter().all(|answer| answer.text == works[0].text && answer.json()["created"] == 200));
            for answer in [&one, &other].into_iter().filter(|answer| answer.status != 200) {
                assert_eq!(answer.refusal(409), "request_in_progress");
                assert!(answer.headers.contains_key("retry-after"));
            }
        }
    }
}

on_sqlite! {
    async fn a_repeated_request_gets_the_same_response_byte_for_byte(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let path = format!("sleep/{}", backend.person("sam@example.org").await);
        let items = json!([night(1), {}]);
        let first = backend.post_once(&path, "first", &items).await;
        assert_eq!(first.outcomes(), ["created", "missing_member time_in_bed_start"]);
        let again = backend.post_once(&path, "first", &items).await;
        assert_eq!((again.status, &again.text), (first.status, &first.text));
        // Another key or none is a new request; another body, path or type with the same key is rejected.
        assert_eq!(backend.post_once(&path, "second", &items).await.outcomes()[0], "unchanged");
        let reused = "idempotency_key_reused";
        assert_eq!(backend.post_once(&path, "first", &night(2)).await.refusal(422), reused);
        assert_eq!(backend.post_once("users", "first", &items).await.refusal(422), reused);
        let lines = backend.request(reqwest::Method::POST, &path).header("idempotency-key", "first");
        let lines = lines.header("content-type", LINES).body(items.to_string());
        assert_eq!(ReceivedResponse::send(lines).await.refusal(422), reused);
        // Keys are per client.
        let other = Backend::new(&world, &server).await;
        assert_eq!(other.post_once(&path, "first", &night(2)).await.outcomes(), ["created"]);
    }

    async fn a_rejected_request_releases_its_key(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let path = format!("sleep/{}", backend.person("sam@example.org").await);
        assert_eq!(backend.post_once(&path, "key", &json!(7)).await.refusal(400), "invalid_request");
        assert_eq!(backend.post_once(&path, "key", &night(1)).await.outcomes(), ["created"]);
        for key in ["a b", &"x".repeat(256), ""] {
            assert_eq!(backend.post_once(&path, key, &night(1)).await.refusal(400), "invalid_request", "{key}");
        }
    }
}
