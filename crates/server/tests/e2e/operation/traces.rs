//! Spans sent to a collector of traces.

use super::reader::Reader;
use super::tls::authority::Authority;
use crate::e2e::app::register;
use crate::e2e::collector::Collector;
use crate::e2e::world::{StoreKind, World};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn traces_go_to_an_encrypted_collector_only_if_its_certificate_is_trusted() {
    let (known, other) = (Authority::new(), Authority::new());
    let collector = Collector::start_encrypted(known.server());
    let lost = "the collector does not accept traces";
    for (authority, is_taken) in [(&other, false), (&known, true)] {
        let world = collector.watching(World::new(StoreKind::Sqlite).await.in_processes());
        let authorities = world.file("collector-ca.pem", &authority.pem());
        let world = world.with("RESTWELL__TRACES__OTLP_CERTIFICATES_FILE", &authorities);
        assert!(world.ok(&["check-config"]).contains("traces: sent to https://localhost:"));
        let mut server = world.serve();
        let url = format!("{}/api/v1/profile/{}", server.base_url, uuid::Uuid::nil());
        assert_eq!(reqwest::get(url).await.expect("answer").status(), 401);
        assert_eq!(server.terminate(), Some(0));
        assert_eq!(collector.has(b"GET /api/v1/profile/{user_id}"), is_taken, "{}", server.log());
        assert_eq!(server.log().contains(lost), !is_taken, "{}", server.log());
    }
}

#[tokio::test]
async fn an_untrusted_collector_is_rejected_in_one_sentence() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let nothing = world.file("collector-ca.pem", "nothing");
    let world = world
        .with("RESTWELL__TRACES__OTLP_ENDPOINT", "https://collector.example.org:4318")
        .with("RESTWELL__TRACES__OTLP_CERTIFICATES_FILE", &nothing);
    let message = world.run(&["check-config"]).stderr;
    let message = String::from_utf8_lossy(&message);
    assert!(
        message.contains("traces.otlp_certificates_file cannot be used") && message.contains(&nothing),
        "{message}"
    );
}

on_sqlite! {
    async fn a_request_continues_its_callers_trace_with_its_steps(world: World) {
        let world = world.in_processes();
        let collector = Collector::start();
        let world = collector.watching(world);
        let registration = register(&world);
        let mut server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let http = reqwest::Client::new();
        let trace = [0x5a_u8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0x5b];
        let parent = [0x6a_u8, 9, 8, 7, 6, 5, 4, 0x6b];
        let (trace_hex, parent_hex) = (u128::from_be_bytes(trace), u64::from_be_bytes(parent));
        let url = format!("{}/api/v1/sleep/{}?startDate=2026-02-03", server.base_url, reader.user_id);
        let answer = http.get(&url).bearer_auth("LEAKME123")
            .header("traceparent", format!("00-{trace_hex:032x}-{parent_hex:016x}-01"))
            .header("tracestate", "vendor=LEAKME123").header("baggage", "user=LEAKME123");
        assert_eq!(answer.send().await.expect("answer").status(), 401);
        reader.read("sleep", "startDate=2026-02-03").await;
        let request_id = reader.ask("profile", "").await.header("x-request-id").to_owned();
        // The last spans are sent at shutdown.
        assert_eq!(server.terminate(), Some(0));
        assert!(collector.has(b"POST /v1/traces"), "{}", server.log());
        assert!(collector.has(&trace) && collector.has(&parent), "the caller's trace is not gone on with");
        for reported in ["GET /api/v1/sleep/{user_id}", "token check", "rate limit", "store", "http.response.status_code", &request_id] {
            assert!(collector.has(reported.as_bytes()), "{reported} is not reported");
        }
        for hidden in ["LEAKME123", "2026-02-03", &registration.user_id, &registration.client_id, &registration.client_secret] {
            assert!(!collector.has(hidden.as_bytes()), "{hidden} is reported");
        }
    }

    async fn an_unavailable_collector_affects_no_request_and_is_logged_once(world: World) {
        let world = world.in_processes();
        let world = world.with("RESTWELL__TRACES__OTLP_ENDPOINT", "http://127.0.0.1:9").with("RESTWELL__TRACES__SAMPLE_RATIO", "1.0");
        let mut server = world.serve();
        for _ in 0..50 {
            assert_eq!(reqwest::get(format!("{}/livez", server.base_url)).await.expect("answer").status(), 200);
        }
        assert_eq!(server.terminate(), Some(0));
        assert_eq!(server.log().matches("the collector does not accept traces").count(), 1, "{}", server.log());
    }
}
