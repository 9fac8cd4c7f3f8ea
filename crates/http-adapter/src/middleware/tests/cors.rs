//! Row T35.

use super::*;

const DATA: [&str; 4] = ["/api/v1/sleep/x", "/api/supplements/x", "/api/v1/sl%65ep/x", "/%61pi/profile/%78"];

fn with_origins(origins: &[&str]) -> Arc<ApiState> {
    let cors_allowed_origins = origins.iter().map(ToString::to_string).collect();
    let settings = HttpSettings { cors_allowed_origins, ..HttpSettings::default() };
    Parts { settings, ..Parts::default() }.build()
}

fn from_page(uri: &str) -> TestRequest {
    TestRequest::get().uri(uri).insert_header(("origin", "https://page.example"))
}

fn preflight(uri: &str) -> TestRequest {
    from_page(uri).method("OPTIONS".parse().unwrap()).insert_header(("access-control-request-method", "GET"))
}

#[track_caller]
fn assert_no_cors(answer: &TestResponse) {
    assert!(answer.headers.keys().all(|name| !name.as_str().starts_with("access-control-")));
}

#[actix_web::test]
async fn by_default_no_page_may_read_anything() {
    for uri in DATA {
        assert_no_cors(&send(&with_origins(&[]), from_page(uri)).await);
        let answer = send(&with_origins(&[]), preflight(uri)).await;
        assert_no_cors(&answer);
        assert_eq!(answer.status.as_u16(), 405);
    }
}

#[actix_web::test]
async fn a_listed_origin_may_read_data_and_errors_without_credentials() {
    let state = with_origins(&["https://other.example", "https://page.example"]);
    for uri in DATA {
        let answer = send(&state, from_page(uri)).await;
        assert_eq!(answer.status.as_u16(), 401);
        assert_eq!(answer.header("access-control-allow-origin"), Some("https://page.example"));
        assert!(answer.header("access-control-expose-headers").unwrap().contains("X-RateLimit-Remaining"));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        let answer = send(&state, preflight(uri)).await;
        assert_eq!(answer.status.as_u16(), 204);
        assert_eq!(answer.header("access-control-allow-origin"), Some("https://page.example"));
        assert_eq!(answer.header("access-control-allow-methods"), Some("GET"));
        assert_eq!(answer.header("access-control-allow-headers"), Some("Authorization"));
        assert_eq!(answer.header("vary"), Some("Origin, Accept-Encoding"));
    }
}

#[actix_web::test]
async fn origins_must_match_exactly() {
    for listed in
        ["https://page.example/", "http://page.example", "https://page.example:8443", "*", "page.example"]
    {
        assert_no_cors(&send(&with_origins(&[listed]), from_page(DATA[0])).await);
        assert_no_cors(&send(&with_origins(&[listed]), preflight(DATA[0])).await);
    }
}

/// Endpoints of an authorization server that an app in the browser needs, with the method and headers that it
/// may send.
const SIGN_IN: [(&str, &str, &str); 6] = [
    ("/api/token", "POST", "Authorization, Content-Type"),
    ("/api/refresh", "POST", "Authorization, Content-Type"),
    ("/oauth/revoke", "POST", "Authorization, Content-Type"),
    ("/.well-known/oauth-authorization-server", "GET", "MCP-Protocol-Version"),
    ("/.well-known/oauth-protected-resource/mcp", "GET", "MCP-Protocol-Version"),
    ("/.well-known/jwks.json", "GET", "MCP-Protocol-Version"),
];

#[actix_web::test]
async fn by_default_no_page_may_get_a_token() {
    for (uri, method, _) in SIGN_IN {
        let request = from_page(uri).method(method.parse().unwrap());
        assert_no_cors(&send(&with_origins(&[]), request).await);
        assert_no_cors(&send(&with_origins(&[]), preflight(uri)).await);
    }
}

#[actix_web::test]
async fn an_app_at_a_listed_origin_may_find_the_server_and_manage_its_tokens() {
    let state = with_origins(&["https://page.example"]);
    for (uri, method, headers) in SIGN_IN {
        let answer = send(&state, from_page(uri).method(method.parse().unwrap())).await;
        assert_eq!(answer.header("access-control-allow-origin"), Some("https://page.example"), "{uri}");
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        let answer = send(&state, preflight(uri)).await;
        assert_eq!(answer.status.as_u16(), 204, "{uri}");
        assert_eq!(answer.header("access-control-allow-methods"), Some(method));
        assert_eq!(answer.header("access-control-allow-headers"), Some(headers));
    }
}

#[actix_web::test]
async fn no_page_may_read_the_other_endpoints() {
    let state = with_origins(&["https://page.example"]);
    for uri in [
        "/authorize",
        "/sign-in",
        "/consent",
        "/oauth/introspect",
        "/livez",
        "/errors",
        "/nowhere",
        "/api%2Fsleep/x",
    ] {
        assert_no_cors(&send(&state, from_page(uri)).await);
        assert_no_cors(&send(&state, preflight(uri)).await);
    }
}
