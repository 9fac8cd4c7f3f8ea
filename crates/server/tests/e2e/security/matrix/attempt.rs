//! One request: an endpoint, and what is shown to be let in.

use super::cast::{Cast, Cookies};
use super::sample::{Material, Sample};
use crate::e2e::browser::{FILE_FORM, file_form};
use crate::e2e::security::caller::basic;
use domain::scope::Scope;
use http_adapter::{Audience, Credential, Endpoint};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE};
use reqwest::{Method, RequestBuilder};

/// What a sample request asks for where it may be any of several: another scope does not do.
pub(super) const SCOPE_OF_ANY: Scope = Scope::Sleep;

/// One request.
pub(super) struct Attempt {
    pub(super) endpoint: Endpoint,
    pub(super) method: Method,
    pub(super) audience: Audience,
    pub(super) credential: Credential,
}

impl Attempt {
    /// Writes it as it is sent.
    pub(super) fn request(&self, cast: &Cast, sample: &Sample, material: &Material) -> RequestBuilder {
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
            (None, &Method::GET) => request.query(&fields),
            (None, _) => request.form(&fields),
        };
        self.authorized(cast, material, request)
    }

    fn authorized(&self, cast: &Cast, material: &Material, request: RequestBuilder) -> RequestBuilder {
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

    /// The scope that the endpoint needs, or any.
    fn scope(&self) -> Scope {
        match self.audience {
            Audience::Reader(scope) | Audience::Writer(scope) => scope,
            Audience::ReaderOfAny => SCOPE_OF_ANY,
            _ => Scope::Profile,
        }
    }

    /// The token of the form, with credentials that hold one, where a form is sent.
    fn form_token(&self, cast: &Cast, material: &Material) -> Option<String> {
        let of = |cookies: &Cookies| match self.audience {
            Audience::AnyForm => Some(cookies.token_of_visit()),
            Audience::PersonsForm => Some(cookies.token_of_session()),
            Audience::Anybody
            | Audience::Client
            | Audience::Reader(_)
            | Audience::ReaderOfAny
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
