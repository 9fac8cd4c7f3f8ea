//! Sandbox people of a developer: created, erased, and issued codes for their apps.

use super::own_app::OwnAppPage;
use super::request::{DeveloperForm, Refusal, correctable};
use super::{NewApp, apps_page};
use crate::answer::redirect_with_notice;
use crate::moment;
use crate::view::{AppFields, FormErrors, NewCode};
use actix_web::HttpResponse;
use application::developer::SandboxCode;
use application::sandbox::CreateSandboxCommand;
use domain::client::Client;
use domain::code::CodeVerifier;
use domain::id::UserId;
use domain::sandbox::Story;
use http_adapter::Endpoint;
use http_adapter::problem::Problem;
use url::form_urlencoded::Serializer;
use zeroize::Zeroizing;

/// Creates a person of every story.
pub(super) async fn create(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Refusal> {
    let (stories, owner) = (Story::ALL.to_vec(), Some(sent.developer.person.user_id));
    match sent.developer.use_cases.create_people.run(CreateSandboxCommand { stories, owner }).await {
        Ok(_) => Ok(redirect_with_notice(Endpoint::Developer, "people-created")),
        Err(error) => refused(sent, correctable(error.into())?).await,
    }
}

/// Erases all of them after a confirmation.
pub(super) async fn erase(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Refusal> {
    if !sent.form.is_ticked("confirm")? {
        return refused(sent, FormErrors::field("confirm", "Tick the box to erase your sandbox people."))
            .await;
    }
    let owner = sent.developer.person.user_id;
    sent.developer.use_cases.erase_people.run(Some(owner)).await.map_err(Problem::from)?;
    Ok(redirect_with_notice(Endpoint::Developer, "people-erased"))
}

/// Issues a code for an app and shows it once.
pub(super) async fn issue_code(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Refusal> {
    let app = sent.app()?;
    let person = sent.form.parse("person", |id| UserId::parse(id).ok())?;
    let issued = sent.developer.use_cases.sandbox_code.run(app, person).await?;
    let curl = curl(&sent.developer.state.http.settings.public_url, &issued);
    let code = NewCode {
        user_id: person.to_string(),
        expires: moment::time_of_day(issued.expires_at, sent.developer.person.home_timezone),
        needs_secret: !issued.client.kind.is_public(),
        code: issued.code,
        curl,
    };
    let contents = OwnAppPage { code: Some(code), ..OwnAppPage::default() };
    Ok(contents.answer(&sent.developer, app.id).await?)
}

/// Returns the command that redeems a code. The URL-encoded fields contain no quotation mark.
fn curl(public_url: &str, issued: &SandboxCode) -> Zeroizing<String> {
    let SandboxCode { code, verifier, redirect_uri, client, .. } = issued;
    let Client { id, kind, .. } = client;
    let mut fields = Serializer::new(String::new());
    fields.append_pair("grant_type", "authorization_code").append_pair("code", code.expose());
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

async fn refused(sent: &DeveloperForm<'_>, errors: FormErrors) -> Result<HttpResponse, Refusal> {
    let new = NewApp { fields: AppFields { errors, ..AppFields::default() }, is_public: false };
    Ok(apps_page(&sent.developer, None, new).await?)
}
