//! `/errors`: the reference of error codes, to which the `type` of a problem links.

use super::answer::page;
use super::view;
use crate::openapi::{ServerErrors, example};
use crate::problem::{ErrorList, Problem, error_reference};
use crate::route::Endpoint;
use actix_web::http::StatusCode;
use actix_web::http::header::{Accept, CACHE_CONTROL, CONTENT_TYPE, Header as _, HeaderValue, Quality, VARY};
use actix_web::{HttpRequest, HttpResponse};

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

/// What each error code means
#[utoipa::path(
    get, path = Endpoint::Errors.path(), tag = "server", operation_id = "readErrors",
    responses(
        (
            status = 200,
            description = "The reference: a page with an anchor for each code, JSON or Markdown",
            content(
                (ErrorList = "application/json", example = example::error_list),
                (String = "text/html"),
                (String = "text/markdown"),
            ),
        ),
        ServerErrors,
    ),
)]
pub(super) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut response = match preferred(&request) {
        Form::Html => page(StatusCode::OK, &view::Errors { errors: ErrorList::new().errors })?,
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
    use crate::problem::Fault;
    use crate::tests::{Answer, Parts, send};
    use actix_web::test::TestRequest;

    async fn ask(accept: Option<&str>) -> Answer {
        let request = TestRequest::get().uri("/errors");
        let request = match accept {
            Some(accept) => request.insert_header(("accept", accept)),
            None => request,
        };
        let answer = send(&Parts::default().build(), request).await;
        assert_eq!(answer.status, 200, "{accept:?}");
        assert_eq!(answer.header("vary"), Some("Accept, Accept-Encoding"));
        assert_eq!(answer.header("cache-control"), Some("public, max-age=3600"));
        answer
    }

    #[actix_web::test]
    async fn the_type_of_every_problem_is_the_address_of_an_anchor_on_the_page() {
        let problem = send(&Parts::default().build(), TestRequest::get().uri("/nowhere")).await;
        assert_eq!(problem.member("type"), "http://restwell.example/errors#not_found");
        let page = ask(None).await;
        for fault in Fault::ALL {
            let anchor = format!(" id=\"{}\"", fault.row().code);
            assert_eq!(page.text().matches(&anchor).count(), 1, "{anchor}");
        }
    }

    #[actix_web::test]
    async fn people_and_clients_without_a_preference_get_a_page() {
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
            assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{accept:?}");
            assert!(answer.header("content-security-policy").is_some(), "{accept:?}");
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
        for accept in ["text/html", "application/json", "text/markdown"] {
            let text = ask(Some(accept)).await.text().to_owned();
            for word in ["Debug", "Warn", "log level", "\"level\""] {
                assert!(!text.contains(word), "{word} for {accept}");
            }
        }
    }
}
