//! A request: an endpoint and a credential.

use super::cast::{Cast, Cookies};
use super::sample::{Sample, SingleUseInputs};
use crate::e2e::browser::{FILE_FORM, file_form};
use crate::e2e::security::caller::basic;
use domain::scope::Scope;
use http_adapter::{Audience, Credential, Endpoint};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE};
use reqwest::{Method, RequestBuilder};

/// Requested scope at endpoints that accept any of several: a token with another scope is rejected.
pub(super) const SCOPE_OF_ANY: Scope = Scope::Sleep;

/// Request to an endpoint with a credential.
pub(super) struct Attempt {
    pub(super) endpoint: Endpoint,
    pub(super) method: Method,
    pub(super) audience: Audience,
    pub(super) credential: Credential,
}

impl Attempt {
    /// Builds the request.
    pub(super) fn request(&self, cast: &Cast, sample: &Sample, material: &SingleUseInputs) -> RequestBuilder {
        let mut fields = sample.fields.clone();
        fields.extend(self.form_token(cast, material).map(|token| ("form_token", token)));
        let request = cast.request(self.method.clone(), &sample.path);
        if self.endpoint == Endpoint::Imports && self.method == Method::POST {
            let token =
                fields.iter().find(|(name, _)| *name == "form_token").map(|(_, token)| token.as_str());
            let body = file_form(token, "export.txt", b"no export at all");
            return self.authorized(cast, material, request.header(CONTENT_TYPE, FILE_FORM).body(body));
        }
        let request = match (&sample.items, &self.method) {
            (Some(items), _) => request.json(items),
            (None, method) if method.is_safe() => request.query(&fields),
            (None, _) => request.form(&fields),
        };
        self.authorized(cast, material, request)
    }

    fn authorized(&self, cast: &Cast, material: &SingleUseInputs, request: RequestBuilder) -> RequestBuilder {
        let client = &cast.app;
        match self.credential {
            Credential::Nothing => request,
            Credential::ClientSecret => {
                request.header(AUTHORIZATION, basic((&client.client_id, &client.client_secret)))
            }
            Credential::WrongSecret => {
                request.header(AUTHORIZATION, basic((&client.client_id, &cast.other_app.client_secret)))
            }
            Credential::Cookies | Credential::Form | Credential::FormOfAnother => {
                request.header(COOKIE, material.browser.header())
            }
            Credential::FormOfEndedSession => request.header(COOKIE, cast.ended.header()),
            Credential::VisitorsForm => request.header(COOKIE, cast.visitors.header()),
            credential => request.bearer_auth(cast.bearer(credential, self.scope()).expect("a token")),
        }
    }

    /// Returns the required scope of the endpoint, or any.
    fn scope(&self) -> Scope {
        match self.audience {
            Audience::Reader(scope) | Audience::Writer(scope) => scope,
            Audience::ReaderOfAny => SCOPE_OF_ANY,
            _ => Scope::Profile,
        }
    }

    /// Returns the form token, for credentials that include one.
    fn form_token(&self, cast: &Cast, material: &SingleUseInputs) -> Option<String> {
        let of = |cookies: &Cookies| match self.audience {
            Audience::AnyForm => Some(cookies.token_of_visit()),
            Audience::PersonsForm | Audience::PersonsKeptForm(_) => Some(cookies.token_of_session()),
            Audience::Anyone
            | Audience::Client
            | Audience::Reader(_)
            | Audience::ReaderOfAny
            | Audience::Assistant
            | Audience::Writer(_)
            | Audience::Person => None,
        };
        match self.credential {
            Credential::Form => of(&material.browser),
            Credential::FormOfAnother => of(&cast.strangers),
            Credential::FormOfEndedSession => of(&cast.ended),
            Credential::VisitorsForm => of(&cast.visitors),
            _ => None,
        }
    }
}
