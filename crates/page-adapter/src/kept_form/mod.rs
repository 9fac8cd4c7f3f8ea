//! `/continue`: a form that is kept in a cookie while the person signs in again, so that nothing typed is
//! lost.
//!
//! The cookie lasts minutes, is as protected as that of the session, and is encrypted for the person who saw
//! the form: nobody else who signs in with this browser sees it. Forms with a password are not kept. Of those
//! that delete or disconnect something, only those for an app or a webhook endpoint of a developer are kept
//! ([`Endpoint::kept_form`]).

pub(crate) mod view;

use crate::answer::{page, see_other, with_cookies};
use crate::form::Form;
use crate::person::{self, Destination};
use crate::{PageState, browser};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use http_adapter::Endpoint;
use http_adapter::parameter::parse;
use http_adapter::problem::Problem;
use url::form_urlencoded::Serializer;

/// Maximum size of the fields. Encrypted, and with the other headers of the response, they fit into 4096
/// bytes: the limit of browsers for a cookie, and the default of nginx for the headers of a response.
const MAX_BYTES: usize = 2400;
/// Field with the path of the form, before the person's fields.
const ACTION: &str = "action";

/// Returns the endpoint with this path if its forms are kept.
pub(crate) fn endpoint(path: &str) -> Option<Endpoint> {
    Endpoint::ALL.iter().copied().find(|endpoint| endpoint.kept_form().is_some() && endpoint.path() == path)
}

/// Keeps a form, and redirects to the sign-in page.
pub(crate) fn sign_in(form: &Form, endpoint: Endpoint, state: &PageState) -> Result<HttpResponse, Problem> {
    let mut text = Serializer::new(String::new());
    // The person ticks a confirmation again.
    let fields = form.fields().filter(|(name, _)| *name != "confirm");
    text.append_pair(ACTION, endpoint.path()).extend_pairs(fields);
    let text = text.finish();
    if text.len() > MAX_BYTES {
        return page(StatusCode::FORBIDDEN, &TOO_LONG);
    }
    let sealed = form.shown_to().and_then(|user_id| state.sign_ins.seal_form(user_id, &text));
    let kept = sealed.and_then(|sealed| browser::set_kept_form(&sealed, &state.http.settings));
    Ok(with_cookies(see_other(&Destination::KeptForm.sign_in()), [kept]))
}

const TOO_LONG: crate::view::Message<'static> = crate::view::Message {
    title: "Sign in again to save this",
    text: "Your sign-in has expired, and the form is too long to be kept. Nothing was saved.",
    advice: Some("Go back to the form and copy what you typed. Then sign in and enter it again."),
    link: None,
    request_id: None,
    contact: None,
};

/// Shows what the person entered, with a button that sends it. Without a kept form of this person, redirects
/// home. The cookie is deleted in either case.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::KeptForm.sign_in()));
    };
    let settings = &state.http.settings;
    let sealed = browser::kept_form(&request, settings);
    let text = sealed.and_then(|sealed| state.sign_ins.open_form(person.user_id, &sealed));
    let answer = match text.as_deref().and_then(parse_kept) {
        Some((endpoint, fields)) => {
            let view = view::KeptForm {
                person: person::to_view(&person),
                action: endpoint.path(),
                what: endpoint.kept_form().unwrap_or_default(),
                fields,
            };
            page(StatusCode::OK, &view)?
        }
        None => see_other(Endpoint::Home.path()),
    };
    Ok(with_cookies(answer, [browser::clear_kept_form(settings)]))
}

/// Returns the endpoint and the fields; `None` if the cookie was not set by [`sign_in`].
fn parse_kept(text: &str) -> Option<(Endpoint, Vec<(String, String)>)> {
    let pairs = parse(text).ok()?;
    let mut pairs = pairs.into_iter().map(|pair| (pair.name.into_owned(), pair.value.into_owned()));
    let (name, path) = pairs.next()?;
    let endpoint = endpoint(&path).filter(|_| name == ACTION)?;
    Some((endpoint, pairs.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn only_a_form_that_may_be_kept_is_shown_again() {
        let (endpoint, fields) = parse_kept("action=%2Ftokens&name=a+b&scope=sleep&scope=profile").unwrap();
        assert_eq!((endpoint, endpoint.kept_form()), (Endpoint::Tokens, Some("creating an access token")));
        let expected = [("name", "a b"), ("scope", "sleep"), ("scope", "profile")];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        for text in [
            "",
            "name=x",
            "action=%2Faccount%2Ferase&email=x",
            "action=%2Faccount%2Fpassword",
            "action=https%3A%2F%2Fevil.example%2Ftokens",
            "name=%2Ftokens",
            "name=x&action=%2Ftokens",
            "action=%2Ftokens&name=%ff",
        ] {
            assert!(parse_kept(text).is_none(), "{text}");
        }
    }

    #[test]
    fn kept_forms_have_descriptions_and_no_password() {
        let purposes: BTreeSet<_> =
            Endpoint::ALL.iter().filter_map(|endpoint| endpoint.kept_form()).collect();
        let kept = Endpoint::ALL.iter().filter(|endpoint| endpoint.kept_form().is_some()).count();
        assert_eq!((purposes.len(), purposes.contains("")), (kept, false));
        for endpoint in [Endpoint::SignIn, Endpoint::SetPassword, Endpoint::ChangePassword, Endpoint::Erase] {
            assert_eq!(endpoint.kept_form(), None);
        }
    }

    proptest! {
        #[test]
        fn no_cookie_makes_parsing_panic(text in "(action=%2Ftokens)?[ -~]{0,40}") {
            let _ = parse_kept(&text);
        }
    }
}
