//! Errors for people: the page of a problem, and the reference of error codes.

use super::answer::{page, write_policy};
use super::view::{self, View as _};
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, HttpResponseBuilder};
use http_adapter::problem::{ErrorEntry, ErrorPages, ErrorText, Problem};

/// Renders errors as pages.
pub const ERROR_PAGES: ErrorPages = ErrorPages { problem, reference };

/// Completes the response to a problem with a page, or with plain text if rendering fails.
fn problem(mut response: HttpResponseBuilder, text: ErrorText<'_>) -> HttpResponse {
    let message = view::Message {
        title: text.title.to_owned(),
        text: text.detail.to_owned(),
        advice: None,
        link: None,
        request_id: Some(text.request_id.to_owned()),
    };
    let html = message.render().unwrap_or_else(|_| text.title.to_owned());
    let mut response = response.insert_header((CONTENT_TYPE, "text/html; charset=utf-8")).body(html);
    write_policy(response.headers_mut(), None);
    response
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
