//! Sandbox people of a developer: created, erased, and issued codes for their apps.

use super::app::AppPage;
use super::request::{DeveloperForm, Rejection};
use super::view::{AppFields, NewCode};
use super::{NewApp, apps_page};
use crate::answer::redirect_with_notice;
use crate::moment;
use crate::view::FormErrors;
use actix_web::HttpResponse;
use application::StorageError;
use application::code::{CodeError, SandboxCode};
use application::sandbox::CreateSandboxError;
use domain::client::Client;
use domain::code::CodeVerifier;
use domain::id::UserId;
use domain::sandbox::{MAX_PER_OWNER, Story};
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use url::form_urlencoded::Serializer;
use zeroize::Zeroizing;

/// Creates a person of every story.
pub(super) async fn create(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let owner = sent.developer.person.user_id;
    match sent.developer.use_cases.people.create(Some(owner), &Story::ALL).await {
        Ok(_) => Ok(redirect_with_notice(Endpoint::Developer, "people-created")),
        Err(error) => rejected(sent, correctable(error)?).await,
    }
}

/// Returns the errors of the form for new people that the person can correct, or the rejection.
fn correctable(error: CreateSandboxError) -> Result<FormErrors, Rejection> {
    let problem = match error {
        CreateSandboxError::TooMany => {
            return Ok(FormErrors::form(format!(
                "You can have at most {MAX_PER_OWNER} sandbox people. Erase yours to create new ones."
            )));
        }
        CreateSandboxError::UnknownOwner => Problem::new(Fault::ForeignForm),
        CreateSandboxError::Invalid => StorageError::Internal(error.into()).into(),
        CreateSandboxError::Storage(error) => error.into(),
    };
    Err(problem.into())
}

/// Erases all of them after a confirmation.
pub(super) async fn erase(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    if !sent.form.is_ticked("confirm")? {
        return rejected(sent, FormErrors::field("confirm", "Tick the box to erase your sandbox people."))
            .await;
    }
    let owner = sent.developer.person.user_id;
    sent.developer.use_cases.people.erase_all(Some(owner)).await.map_err(Problem::from)?;
    Ok(redirect_with_notice(Endpoint::Developer, "people-erased"))
}

/// Issues a code for an app and shows it once.
pub(super) async fn issue_code(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let app = sent.app_developer()?.app;
    let person = sent.form.parse("person", |id| UserId::parse(id).ok())?;
    let owner = sent.developer.person.user_id;
    let found = sent.developer.use_cases.codes.issue_for_sandbox(owner, app, person).await;
    let sandbox = found.map_err(problem)?.ok_or_else(|| Problem::new(Fault::NotFound))?;
    let curl = curl(&sent.developer.state.http.settings.public_url, &sandbox);
    let code = NewCode {
        user_id: person.to_string(),
        expires: moment::time_of_day(sandbox.issued.expires_at, sent.developer.person.home_timezone),
        needs_secret: !sandbox.client.kind.is_public(),
        code: sandbox.issued.code,
        curl,
    };
    let contents = AppPage { code: Some(code), ..AppPage::default() };
    Ok(contents.answer(&sent.developer, app).await?)
}

/// Returns the problem of a code that was not issued: the person is not the developer's, or the app cannot
/// receive codes.
fn problem(error: CodeError) -> Problem {
    match error {
        CodeError::UnknownUser | CodeError::UserLocked => Problem::new(Fault::NotFound),
        CodeError::UnknownClient
        | CodeError::ServiceClient
        | CodeError::PkceRequired
        | CodeError::UnknownRedirectUri
        | CodeError::ScopeNotAllowed
        | CodeError::DraftFull => Problem::new(Fault::InvalidForm),
        CodeError::Storage(error) => error.into(),
    }
}

/// Returns the command that redeems a code. The URL-encoded fields contain no quotation mark.
fn curl(public_url: &str, sandbox: &SandboxCode) -> Zeroizing<String> {
    let SandboxCode { issued, verifier, redirect_uri, client } = sandbox;
    let Client { id, kind, .. } = client;
    let mut fields = Serializer::new(String::new());
    fields.append_pair("grant_type", "authorization_code").append_pair("code", issued.code.expose());
    fields.append_pair("redirect_uri", redirect_uri.as_str());
    if let Some(verifier) = verifier {
        fields.append_pair("code_verifier", CodeVerifier::expose(verifier));
    }
    let user = if kind.is_public() {
        fields.append_pair("client_id", &id.to_string());
        String::new()
    } else {
        format!("-u \"{id}:$CLIENT_SECRET\" ")
    };
    let fields = Zeroizing::new(fields.finish());
    let token = Endpoint::Token.path();
    Zeroizing::new(format!("curl {user}{}{token} -d '{}'", public_url.trim_end_matches('/'), *fields))
}

async fn rejected(sent: &DeveloperForm<'_>, errors: FormErrors) -> Result<HttpResponse, Rejection> {
    let new = NewApp { fields: AppFields { errors, ..AppFields::default() }, is_public: false };
    Ok(apps_page(&sent.developer, None, new).await?)
}
