//! Cookies of a browser, and the tokens of its forms (security.md T27, T30, T31).
//!
//! There are five cookies. The visit is a random value set with the first page; it is not stored, and binds
//! the forms of signed-out people. The session is set at sign-in; the store has its hash. The third outlives
//! the session: it distinguishes the owner's browsers from those of password guessers, and grants no access.
//! The fourth is set by a correct password whose second factor is missing: the store has its hash, and only
//! with it the sign-in continues. The fifth holds a form for the minutes of a sign-in.

use crate::PageState;
use actix_web::HttpRequest;
use actix_web::http::header::{COOKIE, HeaderValue};
use application::session::SignedIn;
use domain::form_token::FormToken;
use domain::pending_sign_in::SecondStep;
use domain::secret::{Secret, SecretKind};
use http_adapter::HttpSettings;

const SESSION: &str = "restwell_session";
const VISIT: &str = "restwell_visit";
const KNOWN_BROWSER: &str = "restwell_known_browser";
const PENDING_SIGN_IN: &str = "restwell_pending_sign_in";
const KEPT_FORM: &str = "restwell_kept_form";
/// Prefix that restricts a cookie to this host, https and all paths (RFC 6265bis).
const HOST_PREFIX: &str = "__Host-";

/// Lifetime of the visit cookie in seconds: longer than that of any pending request.
const VISIT_SECONDS: u32 = 86_400;

/// Lifetime of the cookie of a pending sign-in in seconds: that of the longest second step.
const PENDING_SIGN_IN_SECONDS: i64 = SecondStep::SetUp.lifetime().num_seconds();

/// Lifetime of the known-browser cookie after a sign-in, in seconds: a year. Browsers may shorten it.
const KNOWN_BROWSER_SECONDS: u32 = 365 * 86_400;

/// Lifetime of the cookie of a kept form, in seconds: enough to sign in with a second factor.
const KEPT_FORM_SECONDS: u32 = 15 * 60;

/// Cookies of a request; malformed ones are treated as absent.
#[derive(Debug, Default)]
pub(crate) struct Browser {
    session: Option<Secret>,
    visit: Option<Secret>,
    known: Option<Secret>,
    pending: Option<Secret>,
}

impl Browser {
    /// Parses the cookies of a request.
    pub(crate) fn from_request(request: &HttpRequest, settings: &HttpSettings) -> Self {
        Self {
            session: cookie(request, &name_of(SESSION, settings), SecretKind::Session),
            visit: cookie(request, &name_of(VISIT, settings), SecretKind::Visit),
            known: cookie(request, &name_of(KNOWN_BROWSER, settings), SecretKind::KnownBrowser),
            pending: cookie(request, &name_of(PENDING_SIGN_IN, settings), SecretKind::PendingSignIn),
        }
    }

    /// Returns the session cookie, live or not.
    pub(crate) const fn session(&self) -> Option<&Secret> {
        self.session.as_ref()
    }

    /// Returns the visit cookie.
    pub(crate) const fn visit(&self) -> Option<&Secret> {
        self.visit.as_ref()
    }

    /// Returns the known-browser cookie.
    pub(crate) const fn known_browser(&self) -> Option<&Secret> {
        self.known.as_ref()
    }

    /// Returns the cookie of a sign-in that waits for its second step.
    pub(crate) const fn pending(&self) -> Option<&Secret> {
        self.pending.as_ref()
    }
}

/// Returns the form token for a browser with this cookie.
pub(crate) fn form_token(cookie: &Secret) -> String {
    FormToken::derive(cookie).expose().to_owned()
}

/// Returns the header that sets the visit cookie.
pub(crate) fn set_visit(visit: &Secret, settings: &HttpSettings) -> Option<HeaderValue> {
    set(VISIT, visit.expose(), &format!("; Max-Age={VISIT_SECONDS}"), settings)
}

/// Returns the header that sets the session cookie, until the browser closes.
fn set_session(session: &Secret, settings: &HttpSettings) -> Option<HeaderValue> {
    set(SESSION, session.expose(), "", settings)
}

/// Returns the headers that set the cookies of a sign-in.
pub(crate) fn set_signed_in(new: &SignedIn, settings: &HttpSettings) -> [Option<HeaderValue>; 2] {
    let life = format!("; Max-Age={KNOWN_BROWSER_SECONDS}");
    let known = new.known_browser.as_ref();
    let known = known.and_then(|known| set(KNOWN_BROWSER, known.expose(), &life, settings));
    [set_session(&new.cookie, settings), known]
}

/// Returns the header that sets the cookie of a pending sign-in.
pub(crate) fn set_pending(pending: &Secret, settings: &HttpSettings) -> Option<HeaderValue> {
    let life = format!("; Max-Age={PENDING_SIGN_IN_SECONDS}");
    set(PENDING_SIGN_IN, pending.expose(), &life, settings)
}

/// Returns the header that deletes the cookie of a pending sign-in.
pub(crate) fn clear_pending(settings: &HttpSettings) -> Option<HeaderValue> {
    set(PENDING_SIGN_IN, "", "; Max-Age=0", settings)
}

/// Returns the header that sets the cookie of a kept form, which is encrypted.
pub(crate) fn set_kept_form(sealed: &str, settings: &HttpSettings) -> Option<HeaderValue> {
    set(KEPT_FORM, sealed, &format!("; Max-Age={KEPT_FORM_SECONDS}"), settings)
}

/// Returns the header that deletes the cookie of a kept form.
pub(crate) fn clear_kept_form(settings: &HttpSettings) -> Option<HeaderValue> {
    set(KEPT_FORM, "", "; Max-Age=0", settings)
}

/// Returns the kept form of a browser, which is encrypted.
pub(crate) fn kept_form(request: &HttpRequest, settings: &HttpSettings) -> Option<String> {
    only_cookie(request, &name_of(KEPT_FORM, settings), |value| Some(value.to_owned()))
}

/// Returns the headers that delete the cookies of a session.
pub(crate) fn clear_session(settings: &HttpSettings) -> [Option<HeaderValue>; 2] {
    [SESSION, KEPT_FORM].map(|name| set(name, "", "; Max-Age=0", settings))
}

/// Returns the headers that delete every cookie, for an erased person.
pub(crate) fn clear_all(settings: &HttpSettings) -> [Option<HeaderValue>; 5] {
    [SESSION, VISIT, KNOWN_BROWSER, PENDING_SIGN_IN, KEPT_FORM]
        .map(|name| set(name, "", "; Max-Age=0", settings))
}

fn set(name: &str, value: &str, life: &str, settings: &HttpSettings) -> Option<HeaderValue> {
    let secure = if settings.is_https() { "; Secure" } else { "" };
    let name = name_of(name, settings);
    HeaderValue::from_str(&format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{life}{secure}")).ok()
}

/// Returns a cookie's name: with the prefix over https, which browsers require for it.
fn name_of(name: &str, settings: &HttpSettings) -> String {
    let prefix = if settings.is_https() { HOST_PREFIX } else { "" };
    format!("{prefix}{name}")
}

fn cookie(request: &HttpRequest, name: &str, kind: SecretKind) -> Option<Secret> {
    only_cookie(request, name, |value| Secret::parse(kind, value).ok())
}

/// Parses a cookie. A repeated cookie is ambiguous, and treated as absent.
fn only_cookie<T>(request: &HttpRequest, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let lines = request.headers().get_all(COOKIE).filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(given, _)| *given == name).map(|(_, value)| value);
    match (values.next(), values.next()) {
        (Some(only), None) => parse(only),
        _ => None,
    }
}

/// Returns the visit of a browser, and the header that sets its cookie if it is new.
pub(crate) fn get_or_create_visit(request: &HttpRequest, state: &PageState) -> (Secret, Option<HeaderValue>) {
    if let Some(visit) = Browser::from_request(request, &state.http.settings).visit() {
        return (visit.clone(), None);
    }
    let visit = state.store.new_secret(SecretKind::Visit);
    let cookie = set_visit(&visit, &state.http.settings);
    (visit, cookie)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use domain::secret::SecretBytes;
    use proptest::prelude::*;

    fn secret(kind: SecretKind) -> Secret {
        Secret::from_bytes(kind, &SecretBytes::new([5; 32]))
    }

    fn https() -> HttpSettings {
        HttpSettings { public_url: "https://id.example".to_owned(), ..HttpSettings::default() }
    }

    fn browser(cookies: &str, settings: &HttpSettings) -> Browser {
        Browser::from_request(
            &TestRequest::default().insert_header((COOKIE, cookies)).to_http_request(),
            settings,
        )
    }

    // T31
    #[test]
    fn a_session_cookie_is_bound_to_the_host_and_hidden_from_scripts() {
        let session = secret(SecretKind::Session);
        let header = set_session(&session, &https()).unwrap();
        let expected =
            format!("__Host-restwell_session={}; Path=/; HttpOnly; SameSite=Lax; Secure", session.expose());
        assert_eq!(header.to_str().unwrap(), expected);
    }

    // T31
    #[test]
    fn on_http_loopback_the_cookie_has_neither_prefix_nor_secure() {
        let session = secret(SecretKind::Session);
        let header = set_session(&session, &HttpSettings::default()).unwrap();
        let expected = format!("restwell_session={}; Path=/; HttpOnly; SameSite=Lax", session.expose());
        assert_eq!(header.to_str().unwrap(), expected);
    }

    #[test]
    fn a_cookie_without_a_required_prefix_is_ignored() {
        let session = secret(SecretKind::Session);
        assert!(browser(&format!("restwell_session={}", session.expose()), &https()).session().is_none());
        let cookies = format!("a=b; __Host-restwell_session={}; c=d", session.expose());
        assert!(browser(&cookies, &https()).session().is_some());
    }

    #[test]
    fn a_repeated_or_invalid_cookie_counts_as_absent() {
        let (session, visit) = (secret(SecretKind::Session), secret(SecretKind::Visit));
        let settings = HttpSettings::default();
        let (session, visit) = (session.expose(), visit.expose());
        for cookies in [
            format!("restwell_session={session}; restwell_session={session}"),
            format!("restwell_session={visit}"),
            format!("restwell_session={session}x"),
            "restwell_session".to_owned(),
            String::new(),
        ] {
            assert!(browser(&cookies, &settings).session().is_none(), "{cookies}");
        }
        assert!(browser(&format!("restwell_visit={visit}"), &settings).visit().is_some());
    }

    proptest! {
        #[test]
        fn no_cookies_make_the_reader_panic_or_find_a_missing_cookie(text in "(restwell_(session|visit)|[ -~]){0,30}") {
            let found = browser(&text, &HttpSettings::default());
            prop_assert!(found.session().is_none() && found.visit().is_none());
        }

        #[test]
        fn a_cookie_is_found_among_others_but_not_if_it_occurs_twice(
            before in "([a-z]{1,4}=[!-:<-~]{0,9}; ?){0,3}",
            after in "(; ?[a-z]{1,4}=[!-:<-~]{0,9}){0,3}",
            second in "[!-:<-~]{0,9}",
        ) {
            let secret = secret(SecretKind::Session);
            let cookies = format!("{before}restwell_session={}{after}", secret.expose());
            let settings = HttpSettings::default();
            let found = browser(&cookies, &settings);
            prop_assert_eq!(found.session().map(Secret::expose), Some(secret.expose()));
            let two = format!("{cookies}; restwell_session={second}");
            prop_assert!(browser(&two, &settings).session().is_none());
        }
    }
}
