//! `/developer/{client_id}`: one app of the signed-in person.

use super::addresses::addresses;
use super::app_form::{SubmittedApp, fields_of};
use super::request::{Developer, DeveloperForm, Refusal, correctable};
use super::{people, usage};
use crate::answer::{page, redirect_with_notice, see_other};
use crate::view::{self, AppFields, NewCode, SecretLine};
use crate::{moment, person, query};
use actix_web::{HttpRequest, HttpResponse};
use application::client_usage::USAGE_DAYS;
use application::developer::{
    ChangeAppCommand, ChangedApp, DeveloperApp, DeveloperAppError, MAX_COUNTED_GRANTS,
};
use domain::client::{MAX_DRAFT_USERS, MAX_LIVE_SECRETS};
use domain::id::{ClientId, ClientSecretId};
use domain::secret::Secret;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};

/// Shows an app.
pub(super) async fn show(developer: &Developer<'_>, request: &HttpRequest) -> Result<HttpResponse, Problem> {
    let notice = match query::read(request, &["done"])?.get("done") {
        Some("changed") => Some("Your changes have been saved."),
        Some("draft") => {
            Some("Your changes have been saved. The app is a draft again until the operator approves them.")
        }
        Some("retired") => Some("The secret has been revoked."),
        _ => None,
    };
    let contents = OwnAppPage { notice: notice.map(str::to_owned), ..OwnAppPage::default() };
    contents.answer(developer, requested(request)?).await
}

/// Returns the app in the path of a page.
pub(super) fn requested(request: &HttpRequest) -> Result<ClientId, Problem> {
    let id = request.match_info().get("client_id").unwrap_or_default();
    ClientId::parse(id).map_err(|_| Problem::new(Fault::NotFound))
}

/// Changes an app.
pub(super) async fn change(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Refusal> {
    let (app, details) = (sent.app()?, SubmittedApp::read(&sent.form)?);
    let (id, form) = (app.id, details.form());
    let command = ChangeAppCommand {
        session: app.session,
        id,
        form,
        server: sent.developer.server(),
        address: app.address,
    };
    match sent.developer.use_cases.change.run(command).await {
        Ok(ChangedApp::SameReview) => Ok(see_other(&path_with_notice(id, "changed"))),
        Ok(ChangedApp::NeedsReview) => Ok(see_other(&path_with_notice(id, "draft"))),
        Err(error) => {
            let fields = Some(details.fields(correctable(error)?));
            Ok(OwnAppPage { fields, ..OwnAppPage::default() }.answer(&sent.developer, id).await?)
        }
    }
}

/// Creates a secret and shows it once.
pub(super) async fn rotate_secret(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Refusal> {
    let app = sent.app()?;
    let newest = ClientSecretId::parse(sent.form.line("newest")?).ok();
    match sent.developer.use_cases.rotate_secret.run(app, newest).await {
        Ok(secret) => {
            let contents = OwnAppPage { secret: Some(secret), ..OwnAppPage::default() };
            Ok(contents.answer(&sent.developer, app.id).await?)
        }
        // Sent again by a reload, or created in another window.
        Err(DeveloperAppError::SecretChanged) => Ok(see_other(&path(app.id))),
        Err(error) => Err(error.into()),
    }
}

/// Ends a secret.
pub(super) async fn retire_secret(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Refusal> {
    let app = sent.app()?;
    let secret = sent.form.parse("secret", |id| ClientSecretId::parse(id).ok())?;
    match sent.developer.use_cases.retire_secret.run(app, secret).await {
        Ok(()) => Ok(see_other(&path_with_notice(app.id, "retired"))),
        // Ended in another window.
        Err(DeveloperAppError::LastSecret) => Ok(see_other(&path(app.id))),
        Err(error) => Err(error.into()),
    }
}

/// Deletes an app.
pub(super) async fn delete(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Refusal> {
    sent.developer.use_cases.delete.run(sent.app()?).await?;
    Ok(redirect_with_notice(Endpoint::Developer, "deleted"))
}

fn path(id: ClientId) -> String {
    format!("{}/{id}", Endpoint::Developer.path())
}

fn path_with_notice(id: ClientId, what: &str) -> String {
    format!("{}?done={what}", path(id))
}

/// Contents of the page beside the app itself.
#[derive(Default)]
pub(super) struct OwnAppPage {
    pub(super) notice: Option<String>,
    /// A new secret, which is shown only once.
    pub(super) secret: Option<Secret>,
    /// A new code of a sandbox person, which is shown only once.
    pub(super) code: Option<NewCode>,
    /// Submitted form with its errors.
    pub(super) fields: Option<AppFields>,
}

impl OwnAppPage {
    pub(super) async fn answer(
        self,
        developer: &Developer<'_>,
        id: ClientId,
    ) -> Result<HttpResponse, Problem> {
        let Self { notice, secret, code, fields } = self;
        let Developer { use_cases, person, .. } = developer;
        let found = use_cases.own_apps.find(person.user_id, id).await?;
        let DeveloperApp { client, secrets, live_grants, draft_users, usage, limits } =
            found.ok_or_else(|| Problem::new(Fault::NotFound))?;
        let has_others = secrets.len() > 1;
        let line = |secret: domain::client::ClientSecret| SecretLine {
            id: secret.id.to_string(),
            created: moment::to_the_second(secret.created_at, person.home_timezone),
            can_end: has_others,
        };
        let view = view::DeveloperApp {
            person: person::to_view(person),
            notice,
            secret,
            code,
            people: people::list(developer).await?,
            client: id.to_string(),
            addresses: addresses(&developer.state.http.settings.public_url, &client),
            name: client.name.as_str().to_owned(),
            is_public: client.kind.is_public(),
            is_draft: client.review.is_draft(),
            is_disabled: !client.status.is_active(),
            registered: moment::day(client.created_at, person.home_timezone),
            live_grants,
            has_more_grants: live_grants >= MAX_COUNTED_GRANTS,
            draft_users,
            max_draft_users: MAX_DRAFT_USERS,
            replaces_secret: secrets.len() >= MAX_LIVE_SECRETS,
            secrets: secrets.into_iter().map(line).collect(),
            usage: usage::by_day(&usage),
            usage_days: USAGE_DAYS,
            limits: limits.into_iter().map(usage::limit).collect(),
            fields: fields.unwrap_or_else(|| fields_of(&client)),
        };
        page(view.fields.errors.status(), &view)
    }
}
