//! Strict parsing of submitted forms, and protection against cross-site request forgery.

use crate::PageState;
use crate::browser::Browser;
use actix_web::HttpRequest;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, ORIGIN};
use actix_web::web::Payload;
use domain::form_token::FormToken;
use domain::id::UserId;
use domain::secret::Secret;
use http_adapter::HttpSettings;
use http_adapter::body::{BodyKind, read_body};
use http_adapter::parameter::{ParameterError, parse};
use http_adapter::problem::{Fault, Problem};
use url::Url;
use zeroize::Zeroizing;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Hidden field with the token bound to the browser's cookie.
pub(crate) const FORM_TOKEN: &str = "form_token";

/// Fields of a form. No `Debug`: passwords are among them.
pub(crate) struct Form(Vec<(String, Zeroizing<String>)>);

impl Form {
    /// Parses a form from a page shown to a browser with this cookie.
    ///
    /// Rejects forms of other sites (security.md T27): by `Sec-Fetch-Site` and `Origin` if the browser sends
    /// them, and always by the token.
    pub(crate) async fn read(
        request: &HttpRequest,
        body: Payload,
        settings: &HttpSettings,
        cookie: &Secret,
    ) -> Result<Self, Problem> {
        if !is_same_site(request.headers(), settings) {
            return Err(Problem::new(Fault::ForeignForm));
        }
        let form = Self::read_fields(request, body).await?;
        if FormToken::belongs(cookie, form.find(FORM_TOKEN)?.unwrap_or_default()) {
            Ok(form)
        } else {
            Err(Problem::new(Fault::ForeignForm))
        }
    }

    /// Parses a form that needs no sign-in; one from a browser without a visit is foreign.
    pub(crate) async fn read_with_visit(
        request: &HttpRequest,
        body: Payload,
        state: &PageState,
    ) -> Result<(Secret, Self), Problem> {
        let settings = &state.http.settings;
        let visit = Browser::from_request(request, settings).visit().cloned();
        let visit = visit.ok_or_else(|| Problem::new(Fault::ForeignForm))?;
        let form = Self::read(request, body, settings, &visit).await?;
        Ok((visit, form))
    }

    async fn read_fields(request: &HttpRequest, body: Payload) -> Result<Self, Problem> {
        let Some(body) = read_body(request, body).await.map_err(unreadable)? else {
            // A form without fields has no token, and is rejected because of that.
            return Ok(Self(Vec::new()));
        };
        if body.kind != BodyKind::Form {
            return Err(Problem::new(Fault::InvalidForm));
        }
        let text = Zeroizing::new(body.text);
        let pairs = parse(&text).map_err(|error| Problem::from(ParameterError::Malformed(error)))?;
        let fields =
            pairs.into_iter().map(|pair| (pair.name.into_owned(), Zeroizing::new(pair.value.into_owned())));
        Ok(Self(fields.collect()))
    }

    /// Returns a field that may occur once. An empty one counts as absent: browsers send unfilled fields.
    pub(crate) fn find(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Problem::new(Fault::InvalidForm)),
            (value, None) => Ok(value.filter(|value| !value.is_empty())),
        }
    }

    /// Returns a required single-line field, which may be empty.
    pub(crate) fn line(&self, name: &str) -> Result<&str, Problem> {
        let value = self.find(name)?.unwrap_or_default();
        let is_clean = !value.chars().any(char::is_control);
        is_clean.then_some(value).ok_or_else(|| Problem::new(Fault::InvalidForm))
    }

    /// Returns the person who saw the form.
    pub(crate) fn shown_to(&self) -> Option<UserId> {
        FormToken::named_person(self.find(FORM_TOKEN).ok()??)
    }

    /// Lists the fields that the person sees or chose: all but the form token.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        all.filter(|(name, _)| *name != FORM_TOKEN)
    }

    /// Parses a required field that pages of the server always fill in, such as an id.
    pub(crate) fn parse<T>(&self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, Problem> {
        self.find(name)?.and_then(parse).ok_or_else(|| Problem::new(Fault::InvalidForm))
    }

    /// Returns whether a checkbox is ticked.
    pub(crate) fn is_ticked(&self, name: &str) -> Result<bool, Problem> {
        Ok(self.find(name)?.is_some_and(|value| value == "yes"))
    }

    /// Lists the values of a repeatable field.
    pub(crate) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// A form that is too large or malformed is a 400: no page of the server sends one (security.md T84).
fn unreadable(problem: Problem) -> Problem {
    match problem.fault() {
        Fault::PayloadTooLarge | Fault::UnsupportedMediaType | Fault::InvalidRequest => {
            Problem::new(Fault::InvalidForm)
        }
        _ => problem,
    }
}

/// Returns false if the headers show that another site sent the request. Programs that are not browsers send
/// neither header.
///
/// `Origin: null` is accepted: pages under `Referrer-Policy: no-referrer` send it.
pub(crate) fn is_same_site(headers: &HeaderMap, settings: &HttpSettings) -> bool {
    let site = headers.get(&SEC_FETCH_SITE).map(HeaderValue::as_bytes);
    let origin = headers.get(ORIGIN).map(HeaderValue::as_bytes).filter(|origin| *origin != b"null");
    let ours = Url::parse(&settings.public_url).map(|url| url.origin().ascii_serialization());
    let site_fits = site.is_none_or(|site| site == b"same-origin" || site == b"none");
    let origin_fits = origin.is_none_or(|origin| ours.is_ok_and(|ours| ours.as_bytes() == origin));
    site_fits && origin_fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(headers: &[(HeaderName, &'static str)]) -> bool {
        let map = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        is_same_site(&map.collect(), &HttpSettings::default())
    }

    // T27
    #[test]
    fn a_form_of_another_site_is_recognized_by_its_headers() {
        assert!(!fits(&[(ORIGIN, "https://evil.example")]));
        assert!(!fits(&[(ORIGIN, "http://127.0.0.1:8081")]));
        for origin in ["http://evil-127.0.0.1:8080", "http://127.0.0.1:8080.evil.example", "127.0.0.1:8080"] {
            assert!(!fits(&[(ORIGIN, origin)]), "{origin}");
        }
        assert!(!fits(&[(SEC_FETCH_SITE, "cross-site")]));
        assert!(!fits(&[(SEC_FETCH_SITE, "same-site"), (ORIGIN, "http://127.0.0.1:8080")]));
        assert!(!fits(&[(SEC_FETCH_SITE, "cross-site"), (ORIGIN, "null")]));
    }

    // T27
    #[test]
    fn an_own_form_is_accepted_with_and_without_the_headers() {
        assert!(fits(&[]));
        assert!(fits(&[(ORIGIN, "http://127.0.0.1:8080")]));
        assert!(fits(&[(ORIGIN, "null"), (SEC_FETCH_SITE, "same-origin")]));
        assert!(fits(&[(SEC_FETCH_SITE, "none")]));
    }

    fn form(text: &str) -> Form {
        let pairs = parse(text).unwrap();
        Form(pairs.into_iter().map(|p| (p.name.into_owned(), Zeroizing::new(p.value.into_owned()))).collect())
    }

    #[test]
    fn a_repeated_field_is_rejected_if_it_may_occur_once() {
        assert!(form("email=a&email=b").find("email").is_err());
        assert_eq!(form("email=").find("email").unwrap(), None);
        assert_eq!(form("scope=a&scope=b").all("scope").collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn a_line_has_no_control_characters() {
        assert!(form("name=a%0ab").line("name").is_err());
        assert_eq!(form("x=1").line("name").unwrap(), "");
    }

    #[test]
    fn only_yes_ticks_a_box() {
        assert!(form("remember=yes").is_ticked("remember").unwrap());
        assert!(!form("remember=on").is_ticked("remember").unwrap());
        assert!(!form("").is_ticked("remember").unwrap());
    }
}
