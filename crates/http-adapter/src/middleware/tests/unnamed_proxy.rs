//! The warning about an unnamed proxy.

use super::*;
use crate::{ClientAddressHeader, TrustedProxies};
use std::sync::atomic::{AtomicU64, Ordering};

const WARNING: &str = "its peer is not in server.trusted_proxies";

/// Returns the state of a server that trusts 10.0.0.1 alone, and its clock in seconds.
fn trusting_one() -> (Arc<ApiState>, Arc<AtomicU64>) {
    let proxies =
        TrustedProxies::parse(&["10.0.0.1".to_owned()], ClientAddressHeader::XForwardedFor).unwrap();
    let settings = HttpSettings { proxies, ..HttpSettings::default() };
    let mut state = Parts { settings, ..Parts::default() }.build();
    let seconds = Arc::new(AtomicU64::new(0));
    let clock = seconds.clone();
    let http = &mut Arc::get_mut(&mut state).unwrap().http;
    Arc::get_mut(http).unwrap().elapsed_time =
        Arc::new(move || Duration::from_secs(clock.load(Ordering::Relaxed)));
    (state, seconds)
}

fn from_peer(peer: &str) -> TestRequest {
    TestRequest::get().uri("/livez").peer_addr(format!("{peer}:4711").parse().unwrap())
}

async fn warnings(state: &Arc<ApiState>, request: TestRequest) -> Vec<String> {
    let log = crate::tests::log_of(async {
        assert_eq!(send(state, request).await.status.as_u16(), 200);
    })
    .await;
    assert!(!log.contains("LEAKME123"), "{log}");
    log.lines().filter(|line| line.contains(WARNING)).map(str::to_owned).collect()
}

#[actix_web::test]
async fn a_header_from_an_unknown_proxy_causes_a_warning_once_an_hour() {
    let (state, seconds) = trusting_one();
    for (second, expected) in [(5, 1), (6, 0), (3604, 0), (3605, 1), (3606, 0)] {
        seconds.store(second, Ordering::Relaxed);
        let request = from_peer("10.0.0.2").insert_header(("x-forwarded-for", "LEAKME123, 203.0.113.7"));
        let warnings = warnings(&state, request).await;
        assert_eq!(warnings.len(), expected, "{second}: {warnings:?}");
        assert!(
            warnings.iter().all(|line| line.contains("WARN") && line.contains("peer=10.0.0.2")),
            "{warnings:?}"
        );
        assert!(warnings.iter().all(|line| !line.contains("203.0.113.7")), "{warnings:?}");
    }
}

#[actix_web::test]
async fn a_trusted_proxy_and_a_caller_without_the_header_cause_no_warning() {
    let (state, _) = trusting_one();
    let named = from_peer("10.0.0.1").insert_header(("x-forwarded-for", "203.0.113.7"));
    let mapped = from_peer("[::ffff:10.0.0.1]").insert_header(("x-forwarded-for", "203.0.113.7"));
    // Only the configured header is read.
    let other = from_peer("10.0.0.2").insert_header(("forwarded", "for=203.0.113.7"));
    for request in [named, mapped, other, from_peer("10.0.0.2")] {
        assert_eq!(warnings(&state, request).await, Vec::<String>::new());
    }
}
