//! Responses of pages: HTML under a strict content security policy, and redirects that change POST to GET.

use crate::view::View;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, SET_COOKIE, X_FRAME_OPTIONS,
};
use http_adapter::Endpoint;
use http_adapter::problem::Problem;
use url::Url;

/// Content security policy: the page loads only the server's style sheet and images, and cannot be framed
/// (security.md T28).
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; \
frame-ancestors 'none'; form-action 'self'";

/// Renders a page.
pub(crate) fn page(status: StatusCode, view: &impl View) -> Result<HttpResponse, Problem> {
    page_with_redirect_form(status, view, None)
}

/// Additions to the policy of a page with the script for passkeys, which asks the server for challenges.
const SCRIPT_POLICY: &str = "; script-src 'self'; connect-src 'self'";

/// Requirements of a page beyond the basic policy.
#[derive(Clone, Copy, Default)]
pub(crate) struct PageNeeds<'a> {
    /// Redirect URI of the app to which its form redirects.
    pub(crate) redirect_uri: Option<&'a str>,
    /// Whether it runs the script for passkeys.
    pub(crate) passkey_script: bool,
}

/// Renders a page with these needs.
pub(crate) fn page_with(
    status: StatusCode,
    view: &impl View,
    needs: PageNeeds<'_>,
) -> Result<HttpResponse, Problem> {
    let mut response = page_with_redirect_form(status, view, needs.redirect_uri)?;
    if needs.passkey_script
        && let Some(policy) = response.headers_mut().get_mut(CONTENT_SECURITY_POLICY)
    {
        let with_script = policy.to_str().map(|policy| format!("{policy}{SCRIPT_POLICY}"));
        let with_script = with_script.map_err(Problem::internal)?;
        *policy = HeaderValue::from_str(&with_script).map_err(Problem::internal)?;
    }
    Ok(response)
}

/// Renders a page whose form redirects to an app. Chromium applies `form-action` also to the redirect after a
/// form, so the policy must contain the app's origin (security.md T28).
pub(crate) fn page_with_redirect_form(
    status: StatusCode,
    view: &impl View,
    redirect_uri: Option<&str>,
) -> Result<HttpResponse, Problem> {
    let html = view.render().map_err(Problem::internal)?;
    let mut response =
        HttpResponse::build(status).insert_header((CONTENT_TYPE, "text/html; charset=utf-8")).body(html);
    write_policy(response.headers_mut(), redirect_uri);
    Ok(response)
}

/// Adds the policy of a page, and its older equivalent.
pub(crate) fn write_policy(headers: &mut HeaderMap, redirect_uri: Option<&str>) {
    let origin = redirect_uri.and_then(|uri| Url::parse(uri).ok()).map(|uri| uri.origin());
    let policy = match origin {
        Some(origin) => HeaderValue::from_str(&format!("{POLICY} {}", origin.ascii_serialization())),
        None => Ok(HeaderValue::from_static(POLICY)),
    };
    headers.insert(CONTENT_SECURITY_POLICY, policy.unwrap_or(HeaderValue::from_static(POLICY)));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
}

/// Redirects the browser with 303 and GET; 307 would resend a password (security.md T32, RFC 9700 section
/// 4.12).
pub(crate) fn see_other(location: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, location)).finish()
}

/// Redirects to a page that shows a notice of what was done.
pub(crate) fn redirect_with_notice(endpoint: Endpoint, done: &str) -> HttpResponse {
    see_other(&format!("{}?done={done}", endpoint.path()))
}

/// Adds cookies to a response.
pub(crate) fn with_cookies(
    mut response: HttpResponse,
    cookies: impl IntoIterator<Item = Option<HeaderValue>>,
) -> HttpResponse {
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::sign_in::view::SignedOut;

    const VIEW: SignedOut = SignedOut { is_everywhere: false, is_switching: false };

    fn policy(redirect_uri: Option<&str>) -> String {
        let response = page_with_redirect_form(StatusCode::OK, &VIEW, redirect_uri).unwrap();
        response.headers().get(CONTENT_SECURITY_POLICY).unwrap().to_str().unwrap().to_owned()
    }

    // T28
    #[test]
    fn a_page_cannot_be_framed_and_loads_only_its_own_style() {
        let policy = policy(None);
        for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]
        {
            assert!(policy.split("; ").any(|part| part == rule), "{rule} in {policy}");
        }
        let response = page(StatusCode::OK, &VIEW).unwrap();
        assert_eq!(response.headers().get(X_FRAME_OPTIONS).unwrap(), "DENY");
    }

    // T28
    #[test]
    fn a_form_that_redirects_to_an_app_allows_only_the_origin_of_the_app() {
        let policy = policy(Some("https://owl.example:8443/callback?x=1"));
        assert!(policy.ends_with("form-action 'self' https://owl.example:8443"), "{policy}");
    }

    // T28
    #[test]
    fn only_a_page_that_needs_the_script_allows_it_and_its_connections() {
        assert!(!policy(None).contains("script-src") && !policy(None).contains("connect-src"));
        let needs = PageNeeds { redirect_uri: Some("https://owl.example/"), passkey_script: true };
        let response = page_with(StatusCode::OK, &VIEW, needs).unwrap();
        let policy = response.headers().get(CONTENT_SECURITY_POLICY).unwrap().to_str().unwrap();
        let rules: Vec<_> = policy.split("; ").collect();
        let expected = ["form-action 'self' https://owl.example", "script-src 'self'", "connect-src 'self'"];
        assert!(rules.ends_with(&expected), "{policy}");
        assert!(rules.contains(&"default-src 'none'"), "{policy}");
    }

    // T32
    #[test]
    fn a_redirect_is_a_303() {
        assert_eq!(see_other("/apps").status(), StatusCode::SEE_OTHER);
    }
}
