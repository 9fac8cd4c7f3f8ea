//! A valid request for each endpoint, without the credential.

use super::attempt::SCOPE_OF_ANY;
use super::cast::{Cast, Cookies};
use crate::e2e::app::{REDIRECT_URI, SCOPES, code};
use crate::e2e::person::PASSWORD;
use crate::e2e::security::account::people::person_without_password;
use crate::e2e::security::caller::Form;
use http_adapter::{Audience, Endpoint};
use reqwest::Method;
use serde_json::{Value, json};

/// Id of a request that does not exist.
const UNKNOWN_REQUEST: &str = "11111111-2222-4333-8444-555555555555";

/// Single-use inputs of a request.
#[derive(Clone, Debug)]
pub(super) struct Material {
    /// Browser in which the owner is signed in.
    pub(super) browser: Cookies,
    /// A code, a refresh token, a link, the id of a request or of a personal token, depending on the
    /// endpoint.
    thing: String,
}

impl Material {
    /// Creates it, with a separate browser if a session is needed: some requests end it.
    pub(super) async fn make(cast: &Cast, endpoint: Endpoint, audience: Audience) -> Self {
        let counts = !matches!(
            audience,
            Audience::Anybody | Audience::Reader(_) | Audience::ReaderOfAny | Audience::Writer(_)
        );
        let browser = if counts { cast.fresh_browser().await } else { cast.owners.clone() };
        let thing = match endpoint {
            Endpoint::Token => code(&cast.world, &cast.app, &SCOPES),
            Endpoint::Refresh | Endpoint::Revoke | Endpoint::Introspect => cast.grant().await,
            Endpoint::SetPassword => cast.link(),
            Endpoint::Consent => cast.begin(Form(authorization(cast)), &browser).await,
            Endpoint::RevokePersonalToken => cast.personal_token().await.1,
            Endpoint::Import | Endpoint::UndoImport | Endpoint::ApplyProfile => cast.uploaded().await,
            Endpoint::User => person_without_password(&cast.world, "leaver@example.org"),
            Endpoint::SleepSession => cast.stored(Endpoint::Sleep, &session()).await,
            Endpoint::IntakeLog => cast.stored(Endpoint::IntakeLogs, &intake_log()).await,
            _ => String::new(),
        };
        Self { browser, thing }
    }
}

/// Request and the expected response if it is served.
pub(super) struct Sample {
    pub(super) path: String,
    pub(super) fields: Vec<(&'static str, String)>,
    /// JSON body, instead of the fields.
    pub(super) items: Option<Value>,
    pub(super) good: Good,
}

/// Successful response.
#[derive(Clone, Copy, Debug)]
pub(super) enum Good {
    /// Response with this status.
    Status(u16),
    /// Redirect to a path with one of these prefixes.
    SeeOther(&'static [&'static str]),
}

/// Returns the path of an endpoint.
pub(super) fn path(cast: &Cast, endpoint: Endpoint) -> String {
    endpoint.path().replace("{user_id}", &cast.owner.user_id).replace("{file}", "swagger-ui.css")
}

/// Returns the request.
pub(super) fn request_for(cast: &Cast, endpoint: Endpoint, method: &Method, material: &Material) -> Sample {
    // The owner must not be erased: the other requests need the data.
    if endpoint == Endpoint::User {
        let path = endpoint.path().replace("{user_id}", &material.thing);
        return Sample { path, fields: Vec::new(), items: None, good: Good::Status(200) };
    }
    let path =
        path(cast, endpoint).replace("{session_id}", &material.thing).replace("{log_id}", &material.thing);
    let path = path.replace("{import_id}", &material.thing);
    if let Some(items) = written(endpoint, method) {
        return Sample { path, fields: Vec::new(), items: Some(items), good: Good::Status(200) };
    }
    if *method == Method::DELETE {
        return Sample { path, fields: Vec::new(), items: None, good: Good::Status(204) };
    }
    let (fields, good) = if *method == Method::GET {
        by_get(cast, endpoint, material)
    } else {
        by_post(cast, endpoint, material)
    };
    Sample { path, fields, items: None, good }
}

/// Returns the body of a backend's request.
fn written(endpoint: Endpoint, method: &Method) -> Option<Value> {
    match (endpoint, method) {
        (Endpoint::Users, &Method::POST) => {
            Some(json!({ "email": "newcomer@example.org", "home_timezone": "Europe/Berlin" }))
        }
        (Endpoint::Profile, &Method::PUT) => Some(json!({ "height_cm": 172 })),
        (Endpoint::Sleep, &Method::POST) => Some(session()),
        (Endpoint::Catalogue, &Method::POST) => Some(label()),
        (Endpoint::IntakeLogs, &Method::POST) => Some(intake_log()),
        _ => None,
    }
}

fn session() -> Value {
    json!({ "time_in_bed_start": "2026-01-10T23:00:00+01:00", "time_in_bed_end": "2026-01-11T07:00:00+01:00" })
}

/// Returns a label with the product code of the log.
pub(super) fn label() -> Value {
    json!({ "name": "Evening Capsule", "upc": "0 12345 67890 5" })
}

fn intake_log() -> Value {
    json!({ "created_at": "2026-01-10T22:00:00Z", "upc": "012345678905", "servings": 1 })
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
        // With a request id; otherwise a signed-in browser would be redirected.
        Endpoint::SignIn => (vec![("request", UNKNOWN_REQUEST.to_owned())], ok),
        Endpoint::SetPassword => (vec![("link", material.thing.clone())], ok),
        Endpoint::Consent => (vec![("request", material.thing.clone())], ok),
        Endpoint::ReferenceFolder => (Vec::new(), Good::Status(308)),
        Endpoint::Profile | Endpoint::Sleep | Endpoint::Supplements => (Vec::new(), ok),
        Endpoint::Users | Endpoint::Catalogue | Endpoint::IntakeLogs => unserved(endpoint),
        Endpoint::SleepSession | Endpoint::IntakeLog => unserved(endpoint),
        Endpoint::Changes | Endpoint::Export => (vec![("types", SCOPE_OF_ANY.as_str().to_owned())], ok),
        Endpoint::User | Endpoint::DownloadExport => unserved(endpoint),
        Endpoint::Erase => (Vec::new(), ok),
        Endpoint::UnversionedProfile | Endpoint::UnversionedSleep => (Vec::new(), ok),
        Endpoint::UnversionedSupplements => (Vec::new(), ok),
        Endpoint::ForgotPassword | Endpoint::SignUp => (Vec::new(), ok),
        Endpoint::Apps | Endpoint::Tokens | Endpoint::Activity | Endpoint::Account => (Vec::new(), ok),
        Endpoint::Imports | Endpoint::Import => (Vec::new(), ok),
        Endpoint::UndoImport | Endpoint::ApplyProfile => unserved(endpoint),
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
        // Below the limit per address: each endpoint has a separate counter.
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
        // An empty field, because an empty body is not a form.
        Endpoint::SignOut | Endpoint::SignOutEverywhere => (vec![("request", String::new())], ok),
        Endpoint::Profile | Endpoint::Sleep | Endpoint::Supplements => unserved(endpoint),
        Endpoint::Users | Endpoint::Catalogue | Endpoint::IntakeLogs => unserved(endpoint),
        Endpoint::SleepSession | Endpoint::IntakeLog => unserved(endpoint),
        Endpoint::Changes | Endpoint::Export | Endpoint::User => unserved(endpoint),
        Endpoint::DownloadExport => (vec![("format", "zip".to_owned())], ok),
        // Not the owner's address: the form is shown again, and the owner stays.
        Endpoint::Erase => (vec![("email", cast.forgetful.email.clone())], Good::Status(422)),
        Endpoint::UnversionedProfile | Endpoint::UnversionedSleep => unserved(endpoint),
        Endpoint::UnversionedSupplements => unserved(endpoint),
        Endpoint::Authorize | Endpoint::Apps | Endpoint::Activity | Endpoint::Account => unserved(endpoint),
        // The attempt adds the file.
        Endpoint::Imports => (Vec::new(), Good::SeeOther(&["/imports/"])),
        Endpoint::UndoImport | Endpoint::ApplyProfile => {
            (vec![("import", thing())], Good::SeeOther(&["/imports/"]))
        }
        Endpoint::Import => unserved(endpoint),
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

/// Returns the parameters of an authorization request.
fn authorization(cast: &Cast) -> Vec<(&'static str, String)> {
    vec![
        ("response_type", "code".to_owned()),
        ("client_id", cast.app.client_id.clone()),
        ("redirect_uri", REDIRECT_URI.to_owned()),
        ("scope", "sleep".to_owned()),
    ]
}
