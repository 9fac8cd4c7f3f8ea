//! The document and the interactive reference as they are served.

use crate::example::PUBLIC_URL;
use crate::openapi::openapi_json;
use crate::openapi::reference::{PACKAGE_FILES, START_FILE};
use crate::tests::{Parts, TestResponse, send};
use actix_web::test::TestRequest;

async fn get(path: &str) -> TestResponse {
    send(&Parts::default().build(), TestRequest::get().uri(path)).await
}

#[actix_web::test]
async fn the_document_is_served_as_it_is_committed_with_the_public_url_of_the_server() {
    let answer = get("/openapi.json").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.text(), openapi_json().replace(PUBLIC_URL, "http://restwell.example"));
}

#[actix_web::test]
async fn servers_and_flows_have_the_public_url_of_the_server() {
    let document = get("/openapi.json").await.json();
    assert_eq!(document["servers"][0]["url"], "http://restwell.example");
    let flow = &document["components"]["securitySchemes"]["oauth2"]["flows"]["authorizationCode"];
    assert_eq!(flow["authorizationUrl"], "http://restwell.example/authorize");
    assert_eq!(flow["tokenUrl"], "http://restwell.example/api/token");
}

#[actix_web::test]
async fn the_reference_loads_nothing_from_elsewhere() {
    let page = get("/docs").await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let start = get(&format!("/docs/{START_FILE}")).await;
    for answer in [&page, &start] {
        assert!(!answer.text().contains("http"), "{}", answer.text());
        assert!(!answer.text().contains("\"//"), "{}", answer.text());
    }
    assert!(start.text().contains("url: \"openapi.json\""), "{}", start.text());
    assert!(start.text().contains("validatorUrl: \"none\""), "{}", start.text());
}

#[actix_web::test]
async fn all_resources_of_the_page_exist_under_a_policy_that_allows_only_the_server() {
    let page = get("/docs").await;
    let text = page.text();
    let loaded: Vec<_> = text.split('"').filter_map(|part| part.strip_prefix("docs/")).collect();
    let mut served = PACKAGE_FILES.map(|(file, _)| file).to_vec();
    served.push(START_FILE);
    for file in &loaded {
        let answer = get(&format!("/docs/{file}")).await;
        assert_eq!(answer.status, 200, "{file}");
        assert!(answer.body.len() > 100, "{file}");
        let expected = match file.rsplit('.').next() {
            Some("css") => "text/css",
            Some("js") => "text/javascript",
            _ => "image/png",
        };
        assert_eq!(answer.header("content-type"), Some(expected), "{file}");
        served.retain(|name| name != file);
        assert_policy(&answer);
    }
    assert_eq!(served, Vec::<&str>::new(), "served, and not loaded");
    assert_policy(&page);
}

#[track_caller]
fn assert_policy(answer: &TestResponse) {
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("http") && !policy.contains('*') && !policy.contains("unsafe-eval"), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[actix_web::test]
async fn nothing_else_of_the_package_is_served() {
    for file in [
        "index.html",
        "oauth2-redirect.html",
        "..%2Fopenapi.json",
        "swagger-ui.js",
        "swagger-initializer.js",
        "swagger-ui-standalone-preset.js",
    ] {
        assert_eq!(get(&format!("/docs/{file}")).await.status, 404, "{file}");
    }
}

#[actix_web::test]
async fn the_page_is_found_with_a_slash_too() {
    let answer = get("/docs/").await;
    assert_eq!(answer.status, 308);
    assert_eq!(answer.header("location"), Some("../docs"));
}
