//! Contents of the log, and values that must not be in it: row T01.

use super::*;

/// Returns the log of these requests.
async fn log_of(requests: Vec<TestRequest>) -> String {
    crate::tests::log_of(async {
        for request in requests {
            send(&Parts::default().build(), request).await;
        }
    })
    .await
}

#[actix_web::test]
async fn a_request_is_one_line_with_its_route_and_its_id() {
    let log = log_of(vec![TestRequest::get().uri("/livez")]).await;
    let line = log.lines().find(|line| line.contains("request served")).unwrap();
    for part in ["method=\"GET\"", "route=\"/livez\"", "status=200", "duration_us=", REQUEST_ID] {
        assert!(line.contains(part), "{part} in {line}");
    }
}

#[actix_web::test]
async fn an_unknown_path_is_not_logged() {
    let log = log_of(vec![TestRequest::get().uri("/LEAKME123")]).await;
    assert!(log.contains("route=\"unmatched\"") && log.contains("status=404"));
    assert!(!log.contains("LEAKME123"));
}

#[actix_web::test]
async fn an_error_without_a_cause_is_logged_without_one() {
    let log = log_of(vec![TestRequest::get().uri("/api/v1/profile/x")]).await;
    let line = log.lines().find(|line| line.contains("request rejected")).unwrap();
    assert!(line.contains("code=") && !line.contains("cause"), "{line}");
}

// T01
#[actix_web::test]
async fn no_input_of_a_caller_is_logged() {
    const MARK: &str = "LEAKME123";
    let everywhere = |request: TestRequest| {
        request
            .insert_header(("authorization", format!("Bearer {MARK}")))
            .insert_header(("cookie", format!("session={MARK}")))
            .insert_header(("x-request-id", MARK))
            .insert_header(("user-agent", MARK))
            .insert_header(("content-type", "application/x-www-form-urlencoded"))
            .set_payload(format!("client_secret={MARK}&code={MARK}"))
    };
    let mut requests = Vec::new();
    for path in [
        "/api/token",
        "/api/refresh",
        "/oauth/revoke",
        "/oauth/introspect",
        "/api/v1/profile/",
        "/api/sleep/",
        "/nowhere/",
        "/livez",
    ] {
        for method in ["GET", "POST", "HEAD", "LEAKME123"] {
            for query in [format!("code={MARK}"), format!("x={MARK}%00%"), MARK.repeat(1000)] {
                let uri = if path.ends_with('/') {
                    format!("{path}{MARK}?{query}")
                } else {
                    format!("{path}?{query}")
                };
                let method = actix_web::http::Method::from_bytes(method.as_bytes()).unwrap();
                requests.push(everywhere(TestRequest::default().method(method).uri(&uri)));
            }
        }
    }
    let sent = requests.len();
    let log = log_of(requests).await;
    assert_eq!(log.matches("request served").count(), sent);
    assert!(!log.contains(MARK), "{log}");
}
