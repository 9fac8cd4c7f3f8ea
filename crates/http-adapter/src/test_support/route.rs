//! Comparison of the table of endpoints with the routes that actix serves.

use super::{TestResponse, send_to};
use crate::problem::Dialect;
use crate::route::Endpoint;
use actix_web::http::Method;
use actix_web::test::TestRequest;
use actix_web::web::ServiceConfig;
use std::collections::BTreeSet;

/// Returns whether `page-adapter` serves an endpoint.
pub fn is_page(endpoint: Endpoint) -> bool {
    endpoint.dialect() == Dialect::Page
        || matches!(endpoint, Endpoint::StyleSheet | Endpoint::Icon | Endpoint::PasskeyScript)
}

/// Checks that an application serves an endpoint with the methods of its row and no others.
pub async fn assert_serves_exactly<C: FnOnce(&mut ServiceConfig)>(
    endpoint: Endpoint,
    configure: impl Fn() -> C,
) {
    let row = endpoint.row();
    let rows =
        row.methods().map(|(method, audience)| (method.parse::<Method>().unwrap(), audience.is_some()));
    let mut allowed: BTreeSet<_> =
        rows.iter().filter(|(_, served)| *served).map(|(method, _)| method.to_string()).collect();
    let unserved = rows.iter().filter(|(_, served)| !*served).map(|(method, _)| method.clone());
    let head = if endpoint.serves_head() { None } else { Some(Method::HEAD) };
    let unserved: Vec<_> = unserved.chain([Method::PATCH, Method::TRACE]).chain(head).collect();
    allowed.extend(endpoint.serves_head().then(|| "HEAD".to_owned()));
    assert!(!allowed.is_empty(), "{endpoint:?} has no methods");
    for (method, served) in rows {
        if served {
            let status = ask(endpoint, method.clone(), configure()).await.status.as_u16();
            // Sign-up is closed by default and no email is sent: the handler itself responds with 404.
            let may_be_absent = matches!(endpoint, Endpoint::SignUp | Endpoint::ForgotPassword);
            assert!(status != 405, "{method} {endpoint:?}");
            assert!(status != 404 || may_be_absent, "{method} {endpoint:?}");
        }
    }
    if endpoint.serves_head() {
        assert_head_is_get_without_body(endpoint, &configure).await;
    }
    // No row has both of these methods, so the response of the router lists every method that it serves.
    for method in unserved {
        let answer = ask(endpoint, method.clone(), configure()).await;
        assert_eq!(answer.status, 405, "{method} {endpoint:?}");
        let named = answer.header("allow").unwrap_or_default().split(',').map(str::trim);
        let named: BTreeSet<_> = named.map(str::to_owned).collect();
        assert_eq!(named, allowed, "{method} {endpoint:?}");
    }
}

/// Checks that `HEAD` returns the status and the headers of `GET`, and no body.
async fn assert_head_is_get_without_body<C: FnOnce(&mut ServiceConfig)>(
    endpoint: Endpoint,
    configure: &impl Fn() -> C,
) {
    let get = ask(endpoint, Method::GET, configure()).await;
    let head = ask(endpoint, Method::HEAD, configure()).await;
    assert_eq!(head.status, get.status, "{endpoint:?}");
    assert!(head.body.is_empty(), "{endpoint:?}");
    assert_eq!(head.size, get.size, "{endpoint:?}");
    let names =
        |answer: &TestResponse| answer.headers.keys().map(ToString::to_string).collect::<BTreeSet<_>>();
    assert_eq!(names(&head), names(&get), "{endpoint:?}");
    assert_eq!(head.header("content-type"), get.header("content-type"), "{endpoint:?}");
}

/// Sends a request to an endpoint, with a valid value for each pattern in the path.
async fn ask(endpoint: Endpoint, method: Method, configure: impl FnOnce(&mut ServiceConfig)) -> TestResponse {
    let path = endpoint.path().replace("{user_id}", "4b1c5d6e-0000-4000-8000-000000000001");
    let path = path
        .replace("{file}", "index.css")
        .replace("{session_id}", "1")
        .replace("{log_id}", "1")
        .replace("{import_id}", "1");
    send_to(configure, TestRequest::default().method(method).uri(&path)).await
}
