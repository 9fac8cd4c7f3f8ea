//! Errors for people: the page of a problem, and the reference of error codes.

use super::answer::{page, write_policy};
use super::view::{self, View as _};
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, HttpResponseBuilder};
use http_adapter::Endpoint;
use http_adapter::problem::{ErrorEntry, ErrorPages, ErrorText, Fault, Problem};

/// Renders errors as pages.
pub const ERROR_PAGES: ErrorPages = ErrorPages { problem, reference };

/// Completes the response to a problem with a page, or with plain text if rendering fails.
fn problem(mut response: HttpResponseBuilder, text: ErrorText<'_>) -> HttpResponse {
    let (title, detail) = words(text);
    let message = view::Message {
        title,
        text: detail,
        advice: None,
        link: matches!(text.fault, Fault::NotFound | Fault::InvalidForm).then_some(HOME),
        request_id: Some(text.request_id),
    };
    let html = message.render().unwrap_or_else(|_| text.title.to_owned());
    let mut response = response.insert_header((CONTENT_TYPE, "text/html; charset=utf-8")).body(html);
    write_policy(response.headers_mut(), None);
    response
}

const HOME: view::Link = view::Link { path: Endpoint::Home.path(), text: "Go to the home page" };

/// Returns the title and text of an error; errors that developers see too have other words here.
const fn words(text: ErrorText<'_>) -> (&str, &str) {
    match text.fault {
        Fault::NotFound => {
            ("Page not found", "There is no page at this address. Check the address for typos.")
        }
        Fault::InvalidForm => (
            "This link or form is not valid",
            "It contains a value that this page does not accept. Open the page again from the home page.",
        ),
        Fault::MethodNotAllowed => (
            "This page cannot be opened directly",
            "This address only accepts a submitted form. Go back and use the form.",
        ),
        Fault::StorageUnavailable | Fault::Busy => (
            "Please try again in a moment",
            "The server is busy or cannot reach its storage. What you sent may not have been saved.",
        ),
        _ => (text.title, text.detail),
    }
}

fn reference(errors: Vec<ErrorEntry>) -> Result<HttpResponse, Problem> {
    page(StatusCode::OK, &view::Errors { errors })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::to_bytes;
    use actix_web::http::header::CONTENT_SECURITY_POLICY;
    use http_adapter::problem::Fault;

    async fn page_of(fault: Fault) -> String {
        let row = fault.row();
        let text = ErrorText { fault, title: row.title, detail: row.meaning, request_id: "r1" };
        let response = problem(HttpResponseBuilder::new(StatusCode::NOT_FOUND), text);
        String::from_utf8(to_bytes(response.into_body()).await.unwrap_or_default().to_vec()).unwrap()
    }

    #[actix_web::test]
    async fn errors_of_developers_have_words_for_people_and_a_way_out() {
        let missing = page_of(Fault::NotFound).await;
        assert!(missing.contains("Page not found") && missing.contains("href=\"/\""), "{missing}");
        let invalid = page_of(Fault::InvalidForm).await;
        assert!(
            invalid.contains("This link or form is not valid") && invalid.contains("href=\"/\""),
            "{invalid}"
        );
        let method = page_of(Fault::MethodNotAllowed).await;
        assert!(!method.contains("Allow header") && method.contains("use the form"), "{method}");
        let storage = page_of(Fault::StorageUnavailable).await;
        assert!(!storage.contains("Retry-After") && storage.contains("try again"), "{storage}");
        assert!(page_of(Fault::ForeignForm).await.contains(Fault::ForeignForm.row().meaning));
    }

    #[actix_web::test]
    async fn the_reference_is_a_page_with_an_anchor_for_every_code_and_without_log_levels() {
        let entries = Fault::ALL.iter().map(|fault| ErrorEntry::from(fault.row())).collect();
        let response = reference(entries).unwrap();
        assert_eq!(response.headers().get(CONTENT_TYPE).unwrap(), "text/html; charset=utf-8");
        assert!(response.headers().contains_key(CONTENT_SECURITY_POLICY));
        let body = to_bytes(response.into_body()).await.unwrap_or_default();
        let html = std::str::from_utf8(&body).unwrap();
        for fault in Fault::ALL {
            let anchor = format!(" id=\"{}\"", fault.row().code);
            assert_eq!(html.matches(&anchor).count(), 1, "{anchor}");
        }
        for word in ["Debug", "Warn", "log level", "\"level\""] {
            assert!(!html.contains(word), "{word}");
        }
    }
}
