//! `/`: redirects browsers to the account.

use crate::route::Endpoint;
use actix_web::http::Method;
use actix_web::http::header::{ACCEPT, HeaderMap, LOCATION, VARY};
use actix_web::{HttpRequest, HttpResponse};

/// Redirects a browser that requests `/` to the account. For other clients `/` does not exist (decisions 5:
/// an unknown route is a 404 problem), so it has no row in the table of endpoints.
pub(crate) fn redirect(request: &HttpRequest) -> Option<HttpResponse> {
    let is_asked = request.method() == Method::GET && request.path() == "/" && is_browser(request.headers());
    is_asked.then(|| {
        HttpResponse::SeeOther()
            .insert_header((LOCATION, Endpoint::Account.path()))
            .insert_header((VARY, "Accept"))
            .finish()
    })
}

/// Returns whether `Accept` contains HTML explicitly; `*/*`, which programs send, is not enough.
fn is_browser(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|range| {
        range.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn location(request: TestRequest) -> Option<String> {
        let answer = redirect(&request.to_http_request())?;
        assert_eq!(answer.status().as_u16(), 303);
        Some(answer.headers().get(LOCATION)?.to_str().ok()?.to_owned())
    }

    #[test]
    fn a_browser_is_redirected_to_the_account() {
        for accept in ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8", "image/png, Text/HTML;q=0.9"]
        {
            let request = TestRequest::get().uri("/").insert_header((ACCEPT, accept));
            assert_eq!(location(request).as_deref(), Some("/account"), "{accept}");
        }
    }

    #[test]
    fn other_clients_are_not_redirected() {
        assert_eq!(location(TestRequest::get().uri("/")), None);
        for accept in ["*/*", "application/json", "text/*", "text/htmlx", ""] {
            assert_eq!(
                location(TestRequest::get().uri("/").insert_header((ACCEPT, accept))),
                None,
                "{accept}"
            );
        }
        let html = (ACCEPT, "text/html");
        assert_eq!(location(TestRequest::get().uri("/nowhere").insert_header(html.clone())), None);
        assert_eq!(location(TestRequest::post().uri("/").insert_header(html)), None);
    }
}
