//! The pages in a signed-out browser.

mod state;
mod store;

pub(crate) use http_adapter::test_support::TestResponse;
pub(crate) use state::page_state;
pub(crate) use store::NOW;

use crate::PageState;
use actix_web::http::StatusCode;
use actix_web::test::TestRequest;
use actix_web::web::{Data, ServiceConfig};
use domain::form_token::FormToken;
use domain::secret::{Secret, SecretBytes, SecretKind};
use http_adapter::openapi::openapi_json;
use http_adapter::test_support::{assert_serves_exactly, is_page, send_to};
use http_adapter::{Endpoint, HttpSettings};
use serde_json::Value;
use std::sync::Arc;

const PUBLIC_PAGES: [&str; 4] = ["/sign-in", "/forgot-password", "/sign-up", "/authorize"];
const PERSONAL_PAGES: [&str; 9] = [
    "/apps",
    "/tokens",
    "/developer",
    "/activity",
    "/account",
    "/imports",
    "/nights",
    "/supplements",
    "/profile",
];

/// Lists the paths of all forms.
fn forms() -> impl Iterator<Item = &'static str> {
    let forms = Endpoint::ALL.iter().filter(|endpoint| is_page(**endpoint) && endpoint.row().post.is_some());
    forms.map(|endpoint| endpoint.path())
}

/// Returns the configuration of an application that serves the pages alone.
fn configure(state: Arc<PageState>) -> impl FnOnce(&mut ServiceConfig) {
    move |app| {
        app.app_data(Data::from(state.http.clone())).configure(crate::configure(state));
    }
}

/// Sends a request without a session to the pages of a server.
pub(crate) async fn send(request: TestRequest) -> TestResponse {
    send_to(configure(Arc::new(page_state(HttpSettings::default()))), request).await
}

#[actix_web::test]
async fn every_row_of_a_page_is_served_with_its_methods_and_no_others() {
    let state = Arc::new(page_state(HttpSettings::default()));
    for endpoint in Endpoint::ALL.iter().filter(|endpoint| is_page(**endpoint)) {
        assert_serves_exactly(*endpoint, || configure(state.clone())).await;
    }
}

async fn get(path: &str) -> TestResponse {
    send(TestRequest::get().uri(path)).await
}

async fn post(path: &str, cookie: Option<&str>, form: &'static str) -> TestResponse {
    let request = TestRequest::post()
        .uri(path)
        .insert_header(("content-type", "application/x-www-form-urlencoded"))
        .set_payload(form);
    let request = match cookie {
        Some(cookie) => request.insert_header(("cookie", cookie)),
        None => request,
    };
    send(request).await
}

/// Checks the common properties of every page (security.md T02, T28).
fn assert_is_a_guarded_page(answer: &TestResponse, path: &str) {
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
    let policy = answer.header("content-security-policy").unwrap_or_default();
    for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
        assert!(policy.contains(rule), "{path}: {rule} in {policy}");
    }
    assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
    assert_is_private(answer, path);
}

fn assert_is_private(answer: &TestResponse, path: &str) {
    assert!(answer.header("cache-control").is_some_and(|policy| policy.contains("no-store")), "{path}");
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
    assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
}

// T02, T28
#[actix_web::test]
async fn every_page_is_private_and_cannot_be_framed_errors_included() {
    for path in PUBLIC_PAGES {
        assert_is_a_guarded_page(&get(path).await, path);
    }
    for path in forms() {
        assert_is_a_guarded_page(&post(path, None, "").await, path);
    }
}

#[actix_web::test]
async fn the_root_is_a_landing_page_for_browsers_and_a_list_of_links_for_programs() {
    let page = send(TestRequest::get().uri("/").insert_header(("accept", "text/html"))).await;
    assert_eq!(page.status, StatusCode::OK);
    assert_is_a_guarded_page(&page, "/");
    assert!(page.text().contains("href=\"/sign-in\""), "{}", page.text());
    for accept in ["application/json", "*/*"] {
        let document = send(TestRequest::get().uri("/").insert_header(("accept", accept))).await;
        assert_eq!(document.header("content-type"), Some("application/json"), "{accept}");
        assert_eq!(document.json()["links"]["openapi"], "http://127.0.0.1:8080/openapi.json");
        assert_is_private(&document, "/");
    }
}

#[actix_web::test]
async fn a_personal_page_redirects_to_sign_in_with_its_name_instead_of_a_url() {
    for path in PERSONAL_PAGES {
        let answer = get(path).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{path}");
        let expected = format!("/sign-in?to={}", path.trim_start_matches('/'));
        assert_eq!(answer.header("location"), Some(expected.as_str()));
        assert_is_private(&answer, path);
    }
}

// T27
#[actix_web::test]
async fn a_form_without_the_cookie_or_with_anothers_token_is_refused() {
    let visit = "restwell_visit=rwv_0000000000000000000000000000000000000000000000000";
    for path in forms() {
        for (cookie, form) in [(None, ""), (None, "form_token=x"), (Some(visit), "form_token=x")] {
            let answer = post(path, cookie, form).await;
            let gone = matches!(path, "/sign-up" | "/forgot-password");
            let expected = if gone { StatusCode::NOT_FOUND } else { StatusCode::FORBIDDEN };
            assert_eq!(answer.status, expected, "{path} {cookie:?} {form}");
        }
    }
}

// T22, T33
#[actix_web::test]
async fn the_error_page_for_an_unknown_app_repeats_no_input() {
    let answer =
        get("/authorize?client_id=LEAKME123&redirect_uri=https%3A%2F%2Fevil.example%2FLEAKME123").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(answer.header("location"), None);
    assert!(!answer.text().contains("LEAKME123") && !answer.text().contains("evil"), "{}", answer.text());
}

#[actix_web::test]
async fn errors_of_authorization_are_pages_as_documented() {
    let document: Value = serde_json::from_str(&openapi_json()).unwrap();
    let responses = &document["paths"]["/authorize"]["get"]["responses"];
    let delete = TestRequest::delete().uri("/authorize");
    for answer in [get("/authorize").await, get("/authorize?client_id=%ff").await, send(delete).await] {
        let reference = responses[answer.status.as_str()]["$ref"].as_str().unwrap();
        let documented = document.pointer(reference.trim_start_matches('#')).unwrap();
        assert!(documented["content"]["text/html"].is_object(), "{}", answer.status);
        assert_is_a_guarded_page(&answer, "/authorize");
    }
}

#[actix_web::test]
async fn another_method_is_a_405_that_names_the_right_ones() {
    for (path, allowed) in [("/authorize", "GET"), ("/sign-in", "GET, HEAD, POST"), ("/sign-out", "POST")] {
        let request = TestRequest::delete().uri(path);
        let answer = send(request).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(answer.header("allow"), Some(allowed), "{path}");
        assert_is_a_guarded_page(&answer, path);
    }
}

#[actix_web::test]
async fn a_wrong_password_shows_the_form_again_with_an_error() {
    let visit = Secret::from_bytes(SecretKind::Visit, &SecretBytes::new([9; 32]));
    let fields = format!(
        "form_token={}&email=robin%40example.org&password=a+wrong+password",
        FormToken::derive(&visit).expose()
    );
    let request = TestRequest::post()
        .uri("/sign-in")
        .insert_header(("content-type", "application/x-www-form-urlencoded"))
        .insert_header(("cookie", format!("restwell_visit={}", visit.expose())))
        .set_payload(fields);
    let answer = send(request).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.text().contains("role=\"alert\""), "{}", answer.text());
    assert!(!answer.text().contains("a wrong password"), "{}", answer.text());
    assert_is_a_guarded_page(&answer, "/sign-in");
}

#[actix_web::test]
async fn only_the_first_page_sets_a_visit_cookie() {
    let answer = get("/sign-in").await;
    let cookie = answer.header("set-cookie").unwrap().to_owned();
    assert!(cookie.starts_with("restwell_visit=rwv_") && cookie.contains("HttpOnly"), "{cookie}");
    let sent = cookie.split(';').next().unwrap().to_owned();
    let request = TestRequest::get().uri("/sign-in").insert_header(("cookie", sent));
    assert_eq!(send(request).await.header("set-cookie"), None);
}

#[actix_web::test]
async fn without_email_the_sign_in_page_explains_who_resets_passwords() {
    let sign_in = async |sends_mail| {
        let state = page_state(HttpSettings { sends_mail, ..HttpSettings::default() });
        send_to(configure(Arc::new(state)), TestRequest::get().uri("/sign-in")).await.text().to_owned()
    };
    let (ask, link) = ("Ask the operator of this server for a link to choose a new one.", "/forgot-password");
    let page = sign_in(false).await;
    assert!(page.contains(ask) && !page.contains(link), "{page}");
    let page = sign_in(true).await;
    assert!(!page.contains(ask) && page.contains(link), "{page}");
}

const OWN_APP: &str = "/developer/8e4d1a20-5f0a-4d65-9c4e-2d6b7a0c1f33";
const OWN_WEBHOOKS: &str = "/developer/webhooks/8e4d1a20-5f0a-4d65-9c4e-2d6b7a0c1f33";

#[actix_web::test]
async fn without_self_service_there_is_no_developer_page_and_no_link_to_it() {
    let state = Arc::new(PageState { developer: None, ..page_state(HttpSettings::default()) });
    for path in ["/developer", OWN_APP, OWN_WEBHOOKS] {
        let answer = send_to(configure(state.clone()), TestRequest::get().uri(path)).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
    for path in forms().filter(|path| path.starts_with("/developer")) {
        let answer = send_to(configure(state.clone()), TestRequest::post().uri(path)).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[actix_web::test]
async fn the_pages_of_an_app_redirect_to_sign_in_without_its_id() {
    for path in [OWN_APP, OWN_WEBHOOKS] {
        assert_eq!(get(path).await.header("location"), Some("/sign-in?to=developer"), "{path}");
    }
}
