//! `/errors`: the reference of error codes, to which the `type` of a problem links.

use crate::HttpState;
use crate::problem::{ErrorList, Fault, Problem, ServerErrors, error_reference};
use crate::route::Endpoint;
use actix_web::http::header::{Accept, CACHE_CONTROL, CONTENT_TYPE, Header as _, HeaderValue, Quality, VARY};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};

/// `OpenAPI` operations of this module.
#[derive(utoipa::OpenApi)]
#[openapi(paths(show))]
pub(crate) struct ErrorsApi;

/// Format of the reference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Html,
    Json,
    Markdown,
}

fn example() -> Value {
    let row = Fault::NotFound.row();
    json!({"errors": [{
        "code": row.code,
        "status": row.status,
        "oauth_error": null,
        "title": row.title,
        "meaning": row.meaning,
    }]})
}

/// What each error code means
#[utoipa::path(
    get, path = Endpoint::Errors.path(), tag = "server", operation_id = "readErrors",
    responses(
        (
            status = 200,
            description = "The reference: a page with an anchor for each code, JSON or Markdown",
            content(
                (ErrorList = "application/json", example = example),
                (String = "text/html"),
                (String = "text/markdown"),
            ),
        ),
        ServerErrors,
    ),
)]
pub(crate) async fn show(state: Data<HttpState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut response = match preferred(&request) {
        Form::Html => (state.error_pages.reference)(ErrorList::new().errors)?,
        Form::Json => HttpResponse::Ok().json(ErrorList::new()),
        Form::Markdown => HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, "text/markdown; charset=utf-8"))
            .body(error_reference()),
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    headers.insert(VARY, HeaderValue::from_static("Accept, Accept-Encoding"));
    Ok(response)
}

/// Returns the format that `Accept` ranks highest; HTML if the header is absent, malformed or contains none
/// of them.
fn preferred(request: &HttpRequest) -> Form {
    let Ok(Accept(ranges)) = Accept::parse(request) else { return Form::Html };
    let accepted = ranges.into_iter().filter(|range| range.quality > Quality::ZERO).collect();
    let known = Accept(accepted).ranked().into_iter().find_map(|range| match range.essence_str() {
        "text/html" | "application/xhtml+xml" | "text/*" | "*/*" => Some(Form::Html),
        "application/json" | "application/*" => Some(Form::Json),
        "text/markdown" | "text/plain" => Some(Form::Markdown),
        _ => None,
    });
    known.unwrap_or(Form::Html)
}

#[cfg(test)]
mod tests {
    use crate::problem::{ErrorPages, Fault};
    use crate::test_support::http_state;
    use crate::tests::{Parts, TestResponse, send};
    use crate::{HttpSettings, HttpState};
    use actix_web::HttpResponse;
    use actix_web::test::TestRequest;
    use std::sync::Arc;

    async fn ask(accept: Option<&str>) -> TestResponse {
        let request = TestRequest::get().uri("/errors");
        let request = match accept {
            Some(accept) => request.insert_header(("accept", accept)),
            None => request,
        };
        let http = HttpState {
            error_pages: ErrorPages {
                reference: |_| Ok(HttpResponse::Ok().body("the page")),
                ..ErrorPages::default()
            },
            ..http_state(HttpSettings::default())
        };
        let mut state = Parts::default().build();
        Arc::get_mut(&mut state).unwrap().http = Arc::new(http);
        let answer = send(&state, request).await;
        assert_eq!(answer.status, 200, "{accept:?}");
        assert_eq!(answer.header("vary"), Some("Accept, Accept-Encoding"));
        assert_eq!(answer.header("cache-control"), Some("public, max-age=3600"));
        answer
    }

    #[actix_web::test]
    async fn people_and_clients_without_a_preference_get_the_page() {
        let firefox = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for accept in [
            None,
            Some(firefox),
            Some("*/*"),
            Some("text/*"),
            Some("image/png"),
            Some(""),
            Some("a/"),
            Some(";;"),
        ] {
            let answer = ask(accept).await;
            assert_eq!(answer.text(), "the page", "{accept:?}");
        }
    }

    #[actix_web::test]
    async fn json_and_markdown_are_served_to_those_who_prefer_them() {
        for (accept, kind) in [
            ("application/json", "application/json"),
            ("text/html;q=0.5, application/json", "application/json"),
            ("text/html;q=0, application/*", "application/json"),
            ("text/markdown", "text/markdown; charset=utf-8"),
            ("text/plain, */*;q=0.1", "text/markdown; charset=utf-8"),
            ("application/json;q=0.2, text/markdown;q=0.7", "text/markdown; charset=utf-8"),
        ] {
            assert_eq!(ask(Some(accept)).await.header("content-type"), Some(kind), "{accept}");
        }
        assert_eq!(ask(Some("text/markdown")).await.text(), crate::error_reference());
        let list = ask(Some("application/json")).await.json();
        let entries = list["errors"].as_array().unwrap();
        assert_eq!(entries.len(), Fault::ALL.len());
        assert_eq!(entries[0]["code"], "invalid_request");
        assert_eq!(
            (&entries[0]["status"], &entries[0]["oauth_error"]),
            (&400.into(), &"invalid_request".into())
        );
        assert!(entries.iter().any(|entry| entry["code"] == "not_found" && entry["oauth_error"].is_null()));
    }

    #[actix_web::test]
    async fn no_form_names_the_log_level_of_a_code() {
        for accept in ["application/json", "text/markdown"] {
            let text = ask(Some(accept)).await.text().to_owned();
            for word in ["Debug", "Warn", "log level", "\"level\""] {
                assert!(!text.contains(word), "{word} for {accept}");
            }
        }
    }
}
