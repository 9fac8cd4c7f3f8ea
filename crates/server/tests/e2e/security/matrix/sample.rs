//! A good request for each endpoint, to which only the credential is still missing.

use super::attempt::SCOPE_OF_ANY;
use super::cast::{Cast, Cookies};
use crate::e2e::app::REDIRECT_URI;
use crate::e2e::person::PASSWORD;
use crate::e2e::security::caller::Form;
use crate::e2e::security::operator::all_scopes;
use http_adapter::{Audience, Endpoint};
use reqwest::Method;

/// The id of a request that nobody made.
const UNKNOWN_REQUEST: &str = "11111111-2222-4333-8444-555555555555";

/// What a request uses up, or could.
#[derive(Clone, Debug)]
pub(super) struct Material {
    /// The browser in which the owner is signed in.
    pub(super) browser: Cookies,
    /// A code, a refresh token, a link, the id of a request or of a personal token, as the endpoint needs it.
    thing: String,
}

impl Material {
    /// Makes it anew, with a browser of its own wherever a session counts: some of these end it.
    pub(super) async fn make(cast: &Cast, endpoint: Endpoint, audience: Audience) -> Self {
        let counts = !matches!(audience, Audience::Anybody | Audience::Reader(_) | Audience::ReaderOfAny);
        let browser = if counts { cast.fresh_browser().await } else { cast.owners.clone() };
        let thing = match endpoint {
            Endpoint::Token => cast.operator.issue_code(&cast.app, &all_scopes()).await,
            Endpoint::Refresh | Endpoint::Revoke | Endpoint::Introspect => cast.grant().await,
            Endpoint::SetPassword => cast.operator.issue_link(&cast.forgetful.user_id).await,
            Endpoint::Consent => cast.begin(Form(authorization(cast)), &browser).await,
            Endpoint::RevokePersonalToken => {
                cast.operator.personal_token(&cast.owner.user_id, &all_scopes()).await.id
            }
            _ => String::new(),
        };
        Self { browser, thing }
    }
}

/// What is asked, and how it is answered when it is served.
pub(super) struct Sample {
    pub(super) path: String,
    pub(super) fields: Vec<(&'static str, String)>,
    pub(super) good: Good,
}

/// A good answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Good {
    /// With this status.
    Status(u16),
    /// A redirect to somewhere that begins with one of these.
    SeeOther(&'static [&'static str]),
}

/// Returns the path of an endpoint.
pub(super) fn path(cast: &Cast, endpoint: Endpoint) -> String {
    endpoint.path().replace("{user_id}", &cast.owner.user_id).replace("{file}", "swagger-ui.css")
}

/// Returns the request.
pub(super) fn of(cast: &Cast, endpoint: Endpoint, method: &Method, material: &Material) -> Sample {
    let (fields, good) = if *method == Method::GET {
        by_get(cast, endpoint, material)
    } else {
        by_post(cast, endpoint, material)
    };
    Sample { path: path(cast, endpoint), fields, good }
}

type Parts = (Vec<(&'static str, String)>, Good);

#[expect(clippy::match_same_arms, reason = "the arms group what belongs together")]
fn by_get(cast: &Cast, endpoint: Endpoint, material: &Material) -> Parts {
    let ok = Good::Status(200);
    match endpoint {
        Endpoint::Token | Endpoint::Refresh => of_token_endpoint(cast, endpoint, material),
        Endpoint::Authorize => {
            (authorization(cast), Good::SeeOther(&["/sign-in?request=", "/consent?request="]))
        }
        // With a request, or whoever is signed in would be sent on.
        Endpoint::SignIn => (vec![("request", UNKNOWN_REQUEST.to_owned())], ok),
        Endpoint::SetPassword => (vec![("link", material.thing.clone())], ok),
        Endpoint::Consent => (vec![("request", material.thing.clone())], ok),
        Endpoint::ReferenceFolder => (Vec::new(), Good::Status(308)),
        Endpoint::Profile | Endpoint::Sleep | Endpoint::Supplements => (Vec::new(), ok),
        Endpoint::Changes => (vec![("types", SCOPE_OF_ANY.as_str().to_owned())], ok),
        Endpoint::UnversionedProfile | Endpoint::UnversionedSleep => (Vec::new(), ok),
        Endpoint::UnversionedSupplements => (Vec::new(), ok),
        Endpoint::ForgotPassword | Endpoint::SignUp => (Vec::new(), ok),
        Endpoint::Apps | Endpoint::Tokens | Endpoint::Activity | Endpoint::Account => (Vec::new(), ok),
        Endpoint::StyleSheet | Endpoint::Icon | Endpoint::Metadata | Endpoint::KeySet => (Vec::new(), ok),
        Endpoint::Live | Endpoint::Ready | Endpoint::Errors | Endpoint::Document => (Vec::new(), ok),
        Endpoint::Reference | Endpoint::ReferenceFile => (Vec::new(), ok),
        Endpoint::Revoke | Endpoint::Introspect => unserved(endpoint),
        Endpoint::DisconnectApps | Endpoint::RevokePersonalToken | Endpoint::ChangePassword => {
            unserved(endpoint)
        }
        Endpoint::SignOut | Endpoint::SignOutEverywhere => unserved(endpoint),
    }
}

#[expect(clippy::match_same_arms, reason = "the arms group what belongs together")]
fn by_post(cast: &Cast, endpoint: Endpoint, material: &Material) -> Parts {
    let thing = || material.thing.clone();
    let ok = Good::Status(200);
    let email = |person: &crate::e2e::person::Person| ("email", person.email.clone());
    let password = |name: &'static str| (name, PASSWORD.to_owned());
    match endpoint {
        Endpoint::Token | Endpoint::Refresh => of_token_endpoint(cast, endpoint, material),
        Endpoint::Revoke | Endpoint::Introspect => (vec![("token", thing())], ok),
        Endpoint::SignIn => (vec![email(&cast.owner), password("password")], Good::SeeOther(&["/apps"])),
        // Not too often for one address: each endpoint counts for itself.
        Endpoint::ForgotPassword => (vec![email(&cast.forgetful)], ok),
        Endpoint::SignUp => (vec![("email", "somebody-new@example.org".to_owned())], ok),
        Endpoint::SetPassword => (vec![("link", thing()), password("password")], ok),
        Endpoint::Consent => {
            let fields =
                vec![("request", thing()), ("scope", "sleep".to_owned()), ("decision", "allow".to_owned())];
            (fields, Good::SeeOther(&["https://app.example.org/callback?code="]))
        }
        Endpoint::DisconnectApps => {
            (vec![("client", cast.other_app.client_id.clone())], Good::SeeOther(&["/apps?done="]))
        }
        Endpoint::Tokens => (vec![("name", "Script".to_owned()), ("scope", "sleep".to_owned())], ok),
        Endpoint::RevokePersonalToken => (vec![("token", thing())], Good::SeeOther(&["/tokens?done="])),
        Endpoint::ChangePassword => {
            let fields = vec![password("current_password"), password("new_password")];
            (fields, Good::SeeOther(&["/account?done="]))
        }
        // An empty field, because an empty body is no form.
        Endpoint::SignOut | Endpoint::SignOutEverywhere => (vec![("request", String::new())], ok),
        Endpoint::Profile | Endpoint::Sleep | Endpoint::Supplements => unserved(endpoint),
        Endpoint::Changes => unserved(endpoint),
        Endpoint::UnversionedProfile | Endpoint::UnversionedSleep => unserved(endpoint),
        Endpoint::UnversionedSupplements => unserved(endpoint),
        Endpoint::Authorize | Endpoint::Apps | Endpoint::Activity | Endpoint::Account => unserved(endpoint),
        Endpoint::StyleSheet | Endpoint::Icon | Endpoint::Metadata | Endpoint::KeySet => unserved(endpoint),
        Endpoint::Live | Endpoint::Ready | Endpoint::Errors | Endpoint::Document => unserved(endpoint),
        Endpoint::Reference | Endpoint::ReferenceFolder | Endpoint::ReferenceFile => unserved(endpoint),
    }
}

fn of_token_endpoint(cast: &Cast, endpoint: Endpoint, material: &Material) -> Parts {
    let thing = material.thing.clone();
    let fields = match endpoint {
        Endpoint::Token => vec![("code", thing), ("redirect_uri", REDIRECT_URI.to_owned())],
        _ => vec![("refresh_token", thing), ("user_id", cast.owner.user_id.clone())],
    };
    (fields, Good::Status(200))
}

fn unserved(endpoint: Endpoint) -> Parts {
    panic!("{endpoint:?} is served by a method for which there is no sample")
}

/// What an app asks for.
fn authorization(cast: &Cast) -> Vec<(&'static str, String)> {
    vec![
        ("response_type", "code".to_owned()),
        ("client_id", cast.app.client_id.clone()),
        ("redirect_uri", REDIRECT_URI.to_owned()),
        ("scope", "sleep".to_owned()),
    ]
}
