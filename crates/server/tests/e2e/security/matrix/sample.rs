//! A valid request for each endpoint, without the credential.

use super::attempt::SCOPE_OF_ANY;
use super::cast::{Cast, Cookies};
use crate::e2e::app::{REDIRECT_URI, SCOPES, code};
use crate::e2e::person::PASSWORD;
use crate::e2e::security::account::people::person_without_password;
use crate::e2e::security::caller::Form;
use application::ports::system::Entropy as _;
use http_adapter::{Audience, Endpoint};
use reqwest::Method;
use serde_json::{Value, json};
use system_adapter::SystemEntropy;

/// Id of a request that does not exist.
const UNKNOWN_REQUEST: &str = "11111111-2222-4333-8444-555555555555";

/// Single-use inputs of a request.
#[derive(Clone, Debug)]
pub(super) struct SingleUseInputs {
    /// Browser in which the owner is signed in.
    pub(super) browser: Cookies,
    /// A code, a refresh token, a link, the id of a form, a request or a personal token, depending on the
    /// endpoint.
    thing: String,
}

impl SingleUseInputs {
    /// Creates the sample, with a separate browser if a session is needed, because some requests end it.
    pub(super) async fn make(cast: &Cast, endpoint: Endpoint, audience: Audience) -> Self {
        let counts = !matches!(
            audience,
            Audience::Anyone
                | Audience::Reader(_)
                | Audience::ReaderOfAny
                | Audience::Assistant
                | Audience::Writer(_)
        );
        let browser = if counts { cast.fresh_browser().await } else { cast.owners.clone() };
        let thing = match endpoint {
            Endpoint::Token => code(&cast.world, &cast.app, &SCOPES),
            Endpoint::Refresh | Endpoint::Revoke | Endpoint::Introspect => cast.grant().await,
            Endpoint::SetPassword => cast.link(),
            Endpoint::Consent => cast.begin(Form(authorization(cast)), &browser).await,
            Endpoint::Tokens => SystemEntropy.uuid().to_string(),
            Endpoint::RevokePersonalToken => cast.personal_token().await.1,
            Endpoint::Import | Endpoint::UndoImport | Endpoint::ApplyProfile => cast.uploaded().await,
            Endpoint::User => person_without_password(&cast.world, "leaver@example.org"),
            Endpoint::SleepSession | Endpoint::Night | Endpoint::DeleteNight => {
                cast.stored(Endpoint::Sleep, &session()).await
            }
            Endpoint::App
            | Endpoint::ChangeApp
            | Endpoint::RetireOwnSecret
            | Endpoint::DeleteApp
            | Endpoint::DeveloperWebhooks
            | Endpoint::CreateOwnWebhook => cast.own_app().await,
            Endpoint::RotateOwnSecret => cast.own_secret().await,
            Endpoint::CreateSandboxCode => cast.sandbox_person().await,
            Endpoint::TestOwnWebhook
            | Endpoint::RotateOwnWebhook
            | Endpoint::ReplayOwnWebhook
            | Endpoint::DeleteOwnWebhook => cast.own_webhook().await,
            Endpoint::IntakeLog => cast.stored(Endpoint::IntakeLogs, &intake_log()).await,
            Endpoint::AddIntake | Endpoint::DeleteOwnProduct => cast.own_product().await,
            Endpoint::ChangeIntake | Endpoint::DeleteIntake => cast.own_entry().await,
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
pub(super) fn request_for(
    cast: &Cast,
    endpoint: Endpoint,
    method: &Method,
    material: &SingleUseInputs,
) -> Sample {
    // The owner must not be erased: the other requests need the data.
    if endpoint == Endpoint::User {
        let path = endpoint.path().replace("{user_id}", &material.thing);
        return Sample { path, fields: Vec::new(), items: None, good: Good::Status(200) };
    }
    let path =
        path(cast, endpoint).replace("{session_id}", &material.thing).replace("{log_id}", &material.thing);
    let path = path.replace("{import_id}", &material.thing).replace("{night_id}", &material.thing);
    let path = path.replace("{client_id}", &material.thing);
    if let Some(items) = sample_items(endpoint, method) {
        return Sample { path, fields: Vec::new(), items: Some(items), good: Good::Status(200) };
    }
    if *method == Method::DELETE {
        return Sample { path, fields: Vec::new(), items: None, good: Good::Status(204) };
    }
    let (fields, good) =
        if method.is_safe() { by_get(cast, endpoint, material) } else { by_post(cast, endpoint, material) };
    Sample { path, fields, items: None, good }
}

/// Returns the body of a backend's request.
fn sample_items(endpoint: Endpoint, method: &Method) -> Option<Value> {
    match (endpoint, method) {
        (Endpoint::Users, &Method::POST) => {
            Some(json!({ "email": "newcomer@example.org", "home_timezone": "Europe/Berlin" }))
        }
        (Endpoint::Profile, &Method::PUT) => Some(json!({ "height_cm": 172 })),
        (Endpoint::Sleep, &Method::POST) => Some(session()),
        (Endpoint::Catalogue, &Method::POST) => Some(label()),
        (Endpoint::IntakeLogs, &Method::POST) => Some(intake_log()),
        (Endpoint::Mcp, &Method::POST) => Some(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })),
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

/// Returns the fields of an own app.
fn app_fields() -> Vec<(&'static str, String)> {
    let fields =
        [("name", "Owl"), ("contact", "dev@owl.example"), ("redirect_uri", REDIRECT_URI), ("scope", "sleep")];
    fields.map(|(name, value)| (name, value.to_owned())).to_vec()
}

/// Returns the fields of a form about an app and something else, from the ids of both.
fn app_and(ids: &str, other: &'static str) -> Vec<(&'static str, String)> {
    let (client, id) = ids.split_once(' ').expect("two ids");
    vec![("client", client.to_owned()), (other, id.to_owned())]
}

/// Returns the fields of a form about a webhook endpoint, from the ids of the app, the endpoint and its
/// secret.
fn webhook_fields(ids: &str) -> Vec<(&'static str, String)> {
    let values = ids.split(' ').chain(["1"]).map(str::to_owned);
    ["client", "endpoint", "newest", "days"].into_iter().zip(values).collect()
}

/// Id of a form.
const FORM: &str = "aaaaaaaa-2222-4333-8444-555555555555";

/// Returns the fields of an intake.
fn intake_fields(entry: &str, supplement: Option<String>) -> Vec<(&'static str, String)> {
    let fields = [("entry", entry), ("servings", "2"), ("date", "2020-01-10"), ("time", "22:00")];
    let mut fields = fields.map(|(name, value)| (name, value.to_owned())).to_vec();
    fields.extend(supplement.map(|id| ("supplement", id)));
    fields
}

type Parts = (Vec<(&'static str, String)>, Good);

fn by_get(cast: &Cast, endpoint: Endpoint, material: &SingleUseInputs) -> Parts {
    match endpoint {
        Endpoint::Token | Endpoint::Refresh => of_token_endpoint(cast, endpoint, material),
        Endpoint::Authorize => {
            (authorization(cast), Good::SeeOther(&["/sign-in?request=", "/consent?request="]))
        }
        // With a request id; otherwise a signed-in browser would be redirected.
        Endpoint::SignIn => (vec![("request", UNKNOWN_REQUEST.to_owned())], Good::Status(200)),
        Endpoint::SetPassword => (vec![("link", material.thing.clone())], Good::Status(200)),
        // A link of another kind.
        Endpoint::ConfirmEmail => (vec![("link", "rwl_".to_owned())], Good::Status(400)),
        Endpoint::Consent => (vec![("request", material.thing.clone())], Good::Status(200)),
        Endpoint::ReferenceFolder => (Vec::new(), Good::Status(308)),
        Endpoint::Changes | Endpoint::Export => {
            (vec![("types", SCOPE_OF_ANY.as_str().to_owned())], Good::Status(200))
        }
        Endpoint::SignInSecondStep => (Vec::new(), Good::SeeOther(&["/sign-in"])),
        // No form is kept.
        Endpoint::ContinueForm => (Vec::new(), Good::SeeOther(&["/"])),
        Endpoint::ChangeIntake => (vec![("entry", material.thing.clone())], Good::Status(200)),
        _ => (Vec::new(), Good::Status(200)),
    }
}

#[expect(clippy::match_same_arms, reason = "the arms are grouped by subject")]
#[expect(clippy::too_many_lines, reason = "one arm for each endpoint")]
fn by_post(cast: &Cast, endpoint: Endpoint, material: &SingleUseInputs) -> Parts {
    let thing = || material.thing.clone();
    let ok = Good::Status(200);
    let email = |person: &crate::e2e::person::Person| ("email", person.email.clone());
    let password = |name: &'static str| (name, PASSWORD.to_owned());
    match endpoint {
        Endpoint::Token | Endpoint::Refresh => of_token_endpoint(cast, endpoint, material),
        Endpoint::Revoke | Endpoint::Introspect => (vec![("token", thing())], ok),
        Endpoint::SignIn => (vec![email(&cast.owner), password("password")], Good::SeeOther(&["/"])),
        // Below the limit per address: each endpoint has a separate counter.
        // Nothing is pending in this browser.
        Endpoint::SignInSecondStep => (vec![("code", "123456".to_owned())], Good::Status(422)),
        Endpoint::SecondFactor => (vec![("code", "123456".to_owned())], Good::Status(422)),
        Endpoint::TurnOffSecondFactor | Endpoint::RecoveryCodes => {
            (Vec::new(), Good::SeeOther(&["/account/second-factor"]))
        }
        Endpoint::SignOutBrowser => {
            (vec![("session", UNKNOWN_REQUEST.to_owned())], Good::SeeOther(&["/account?done="]))
        }
        Endpoint::SignOutOthers => (Vec::new(), Good::SeeOther(&["/account?done="])),
        Endpoint::ForgotPassword => (vec![email(&cast.forgetful)], ok),
        Endpoint::SignUp => (vec![("email", "somebody-new@example.org".to_owned())], ok),
        Endpoint::SetPassword => (vec![("link", thing()), password("password")], ok),
        Endpoint::ConfirmEmail => (vec![("link", "rwl_".to_owned())], Good::Status(400)),
        Endpoint::ChangeEmail => (vec![("email", "somewhere-else@example.org".to_owned())], ok),
        Endpoint::Consent => {
            let fields =
                vec![("request", thing()), ("scope", "sleep".to_owned()), ("decision", "allow".to_owned())];
            (fields, Good::SeeOther(&["https://app.example.org/callback?code="]))
        }
        Endpoint::DisconnectApps => {
            (vec![("client", cast.other_app.client_id.clone())], Good::SeeOther(&["/apps?done="]))
        }
        Endpoint::Developer => ([app_fields(), vec![("kind", "confidential".to_owned())]].concat(), ok),
        Endpoint::CreateSandbox => (vec![("x", String::new())], Good::SeeOther(&["/developer?done="])),
        // Without the confirmation, so that the people stay.
        Endpoint::EraseSandbox => (vec![("x", String::new())], Good::Status(422)),
        Endpoint::CreateSandboxCode => (app_and(&thing(), "person"), ok),
        Endpoint::CreateOwnWebhook => {
            (vec![("client", thing()), ("url", "https://hooks.example/x".to_owned())], ok)
        }
        Endpoint::TestOwnWebhook | Endpoint::ReplayOwnWebhook | Endpoint::DeleteOwnWebhook => {
            (webhook_fields(&thing()), Good::SeeOther(&["/developer/webhooks/"]))
        }
        Endpoint::RotateOwnWebhook => (webhook_fields(&thing()), ok),
        Endpoint::ChangeApp => {
            ([app_fields(), vec![("client", thing())]].concat(), Good::SeeOther(&["/developer/"]))
        }
        Endpoint::RotateOwnSecret => (app_and(&thing(), "newest"), ok),
        // Not a secret of the app.
        Endpoint::RetireOwnSecret => {
            let fields = vec![("client", thing()), ("secret", UNKNOWN_REQUEST.to_owned())];
            (fields, Good::SeeOther(&["/developer/"]))
        }
        Endpoint::DeleteApp => (vec![("client", thing())], Good::SeeOther(&["/developer?done="])),
        Endpoint::Tokens => {
            (vec![("entry", thing()), ("name", "Script".to_owned()), ("scope", "sleep".to_owned())], ok)
        }
        Endpoint::RevokePersonalToken => (vec![("token", thing())], Good::SeeOther(&["/tokens?done="])),
        Endpoint::ChangePassword => {
            let fields = vec![password("current_password"), password("new_password")];
            (fields, Good::SeeOther(&["/account?done="]))
        }
        // Browsers offer no passkeys at the address of this server.
        Endpoint::BeginPasskeySignIn
        | Endpoint::PasskeySignIn
        | Endpoint::BeginPasskey
        | Endpoint::AddPasskey => (vec![("name", String::new())], Good::Status(400)),
        Endpoint::RenamePasskey | Endpoint::RemovePasskey => {
            let fields = vec![("passkey", UNKNOWN_REQUEST.to_owned()), ("name", "Phone".to_owned())];
            (fields, Good::SeeOther(&["/account"]))
        }
        // An empty field, because an empty body is not a form.
        Endpoint::SignOut | Endpoint::SignOutEverywhere => (vec![("request", String::new())], ok),
        Endpoint::DownloadExport => (vec![("format", "zip".to_owned())], ok),
        // Not the owner's address: the form is shown again, and the owner stays.
        Endpoint::Erase => (vec![("email", cast.forgetful.email.clone())], Good::Status(422)),
        Endpoint::DeleteNight => (vec![("night", thing())], Good::SeeOther(&["/nights?to="])),
        Endpoint::ProfilePage => (vec![("weight_kg", "64".to_owned())], ok),
        Endpoint::SearchSupplements => (vec![("query", "zinc".to_owned())], ok),
        Endpoint::AddIntake => {
            let fields = intake_fields(FORM, Some(thing()));
            (fields, Good::SeeOther(&["/supplements?day=2020-01-10&done=added"]))
        }
        Endpoint::ChangeIntake => {
            (intake_fields(&thing(), None), Good::SeeOther(&["/supplements?day=2020-01-10&done=changed"]))
        }
        Endpoint::DeleteIntake => (vec![("entry", thing())], Good::SeeOther(&["/supplements?done=deleted"])),
        Endpoint::OwnProduct => {
            let fields = vec![("entry", FORM.to_owned()), ("name", "Tea".to_owned())];
            (fields, Good::SeeOther(&["/supplements/add?supplement="]))
        }
        Endpoint::DeleteOwnProduct => {
            (vec![("product", thing())], Good::SeeOther(&["/supplements?done=product-deleted"]))
        }
        // The attempt adds the file.
        Endpoint::Imports => (Vec::new(), Good::SeeOther(&["/imports/"])),
        Endpoint::UndoImport | Endpoint::ApplyProfile => {
            (vec![("import", thing())], Good::SeeOther(&["/imports/"]))
        }
        _ => unserved(endpoint),
    }
}

fn of_token_endpoint(cast: &Cast, endpoint: Endpoint, material: &SingleUseInputs) -> Parts {
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
