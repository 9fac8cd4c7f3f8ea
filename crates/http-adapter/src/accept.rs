//! Content negotiation: whether a caller is a browser that expects a page.

use actix_web::http::header::{ACCEPT, HeaderMap};

/// Returns whether `Accept` contains HTML explicitly; `*/*`, which programs send, is not enough.
pub fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|range| {
        range.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn wants(accept: &str) -> bool {
        wants_page(TestRequest::get().insert_header((ACCEPT, accept)).to_http_request().headers())
    }

    #[test]
    fn a_caller_that_accepts_html_explicitly_wants_a_page() {
        for accept in ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8", "image/png, Text/HTML;q=0.9"]
        {
            assert!(wants(accept), "{accept}");
        }
        for accept in ["*/*", "application/json", "text/*", "text/htmlx", ""] {
            assert!(!wants(accept), "{accept}");
        }
        assert!(!wants_page(TestRequest::get().to_http_request().headers()));
    }
}
