//! `/developer/{client_id}`: one app of the signed-in person.

use super::addresses::addresses;
use super::app_form::{SubmittedApp, fields_of};
use super::request::{Developer, DeveloperForm, Rejection};
use super::view::{self, AppFields, NewCode, SecretLine};
use super::{correctable, people, usage};
use crate::answer::{page, redirect_with_notice, see_other};
use crate::{moment, person, query};
use actix_web::{HttpRequest, HttpResponse};
use application::client::{AppError, ChangedApp, DeveloperApp, MAX_COUNTED_GRANTS};
use application::client_usage::USAGE_DAYS;
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
    let contents = AppPage { notice: notice.map(str::to_owned), ..AppPage::default() };
    contents.answer(developer, requested(request)?).await
}

/// Returns the app in the path of a page.
pub(super) fn requested(request: &HttpRequest) -> Result<ClientId, Problem> {
    let id = request.match_info().get("client_id").unwrap_or_default();
    ClientId::parse(id).map_err(|_| Problem::new(Fault::NotFound))
}

/// Changes an app.
pub(super) async fn change(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let (developer, details) = (sent.app_developer()?, SubmittedApp::read(&sent.form)?);
    let (id, clients) = (developer.app, &sent.developer.use_cases.clients);
    match clients.change_app(developer, details.form(), sent.developer.server()).await {
        Ok(ChangedApp::SameReview) => Ok(see_other(&path_with_notice(id, "changed"))),
        Ok(ChangedApp::NeedsReview) => Ok(see_other(&path_with_notice(id, "draft"))),
        Err(error) => {
            let fields = Some(details.fields(correctable(error)?));
            Ok(AppPage { fields, ..AppPage::default() }.answer(&sent.developer, id).await?)
        }
    }
}

/// Creates a secret and shows it once.
pub(super) async fn rotate_secret(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let developer = sent.app_developer()?;
    let newest = ClientSecretId::parse(sent.form.line("newest")?).ok();
    match sent.developer.use_cases.clients.rotate_app_secret(developer, newest).await {
        Ok(secret) => {
            let contents = AppPage { secret: Some(secret), ..AppPage::default() };
            Ok(contents.answer(&sent.developer, developer.app).await?)
        }
        // Sent again by a reload, or created in another window.
        Err(AppError::SecretChanged) => Ok(see_other(&path(developer.app))),
        Err(error) => Err(error.into()),
    }
}

/// Ends a secret.
pub(super) async fn retire_secret(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let developer = sent.app_developer()?;
    let secret = sent.form.parse("secret", |id| ClientSecretId::parse(id).ok())?;
    match sent.developer.use_cases.clients.retire_app_secret(developer, secret).await {
        Ok(()) => Ok(see_other(&path_with_notice(developer.app, "retired"))),
        // Ended in another window.
        Err(AppError::LastSecret) => Ok(see_other(&path(developer.app))),
        Err(error) => Err(error.into()),
    }
}

/// Deletes an app.
pub(super) async fn delete(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    sent.developer.use_cases.clients.delete_app(sent.app_developer()?).await?;
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
pub(super) struct AppPage {
    pub(super) notice: Option<String>,
    /// A new secret, which is shown only once.
    pub(super) secret: Option<Secret>,
    /// A new code of a sandbox person, which is shown only once.
    pub(super) code: Option<NewCode>,
    /// Submitted form with its errors.
    pub(super) fields: Option<AppFields>,
}

impl AppPage {
    pub(super) async fn answer(
        self,
        developer: &Developer<'_>,
        id: ClientId,
    ) -> Result<HttpResponse, Problem> {
        let Self { notice, secret, code, fields } = self;
        let Developer { use_cases, person, .. } = developer;
        let found = use_cases.clients.find_app(person.user_id, id).await?;
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
