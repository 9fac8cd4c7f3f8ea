//! `/developer`: people register apps, which the operator approves later (ADR 69).

mod addresses;
mod app;
mod app_form;
mod people;
mod request;
#[cfg(test)]
pub(crate) mod sample;
mod sandbox;
mod usage;
pub(crate) mod view;
pub(crate) mod webhooks;

use crate::view::FormErrors;
use crate::{answer, person, query};
use actix_web::web::ServiceConfig;
use actix_web::{HttpRequest, HttpResponse};
use app::AppPage;
use app_form::SubmittedApp;
use application::client::{AppError, CreatedClient};
use domain::client::{Client, MAX_OWN_CLIENTS};
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use request::{Developer, DeveloperForm, Rejection, form, form_only, page};
use view::{AppFields, AppLine};

/// Registers the pages. Those of one app come last, because their path patterns would match other paths.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    let apps = Endpoint::Developer.resource().route(page(show)).route(form(Endpoint::Developer, register));
    routes
        .service(apps)
        .service(form_only(Endpoint::ChangeApp, app::change))
        .service(form_only(Endpoint::RotateOwnSecret, app::rotate_secret))
        .service(form_only(Endpoint::RetireOwnSecret, app::retire_secret))
        .service(form_only(Endpoint::DeleteApp, app::delete))
        .service(form_only(Endpoint::CreateOwnWebhook, webhooks::create))
        .service(form_only(Endpoint::TestOwnWebhook, webhooks::test))
        .service(form_only(Endpoint::RotateOwnWebhook, webhooks::rotate_secret))
        .service(form_only(Endpoint::ReplayOwnWebhook, webhooks::replay))
        .service(form_only(Endpoint::DeleteOwnWebhook, webhooks::delete))
        .service(form_only(Endpoint::CreateSandbox, sandbox::create))
        .service(form_only(Endpoint::EraseSandbox, sandbox::erase))
        .service(form_only(Endpoint::CreateSandboxCode, sandbox::issue_code))
        .service(Endpoint::DeveloperWebhooks.resource().route(page(webhooks::show)))
        .service(Endpoint::App.resource().route(page(app::show)));
}

/// Lists the person's apps, with the form for a new one.
async fn show(developer: &Developer<'_>, request: &HttpRequest) -> Result<HttpResponse, Problem> {
    let notice = match query::read(request, &["done"])?.get("done") {
        Some("deleted") => Some("The app has been deleted and can no longer read anything."),
        Some("people-created") => Some("The sandbox people have been created."),
        Some("people-erased") => Some("Your sandbox people and their data have been erased."),
        _ => None,
    };
    apps_page(developer, notice.map(str::to_owned), NewApp::default()).await
}

/// Registers an app. The response shows its page with the secret, which is not stored.
async fn register(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let DeveloperForm { developer, form } = sent;
    let app = SubmittedApp::read(form)?;
    let is_public = match form.find("kind")? {
        Some("confidential") => false,
        Some("public") => true,
        _ => return Err(Problem::new(Fault::InvalidForm).into()),
    };
    let (clients, person) = (&developer.use_cases.clients, &developer.person);
    match clients.register_app(person, app.form(), is_public, developer.server()).await {
        Ok(CreatedClient { client, secret }) => {
            let notice = Some("The app has been registered.".to_owned());
            Ok(AppPage { notice, secret, ..AppPage::default() }.answer(developer, client.id).await?)
        }
        Err(error) => {
            let new = NewApp { fields: app.fields(correctable(error)?), is_public };
            Ok(apps_page(developer, None, new).await?)
        }
    }
}

/// Form for a new app, as submitted.
#[derive(Default)]
struct NewApp {
    fields: AppFields,
    is_public: bool,
}

async fn apps_page(
    developer: &Developer<'_>,
    notice: Option<String>,
    new: NewApp,
) -> Result<HttpResponse, Problem> {
    let Developer { use_cases, person, .. } = developer;
    let apps = use_cases.clients.list_apps(person.user_id).await?;
    let people = people::list(developer).await?;
    let view = view::DeveloperApps {
        person: person::to_view(person),
        notice,
        is_full: apps.len() >= MAX_OWN_CLIENTS,
        apps: apps.iter().map(line).collect(),
        people_full: people::is_full(people.len()),
        people,
        fields: new.fields,
        is_public: new.is_public,
    };
    answer::page(view.fields.errors.status(), &view)
}

fn line(client: &Client) -> AppLine {
    AppLine {
        client: client.id.to_string(),
        name: client.name.as_str().to_owned(),
        is_draft: client.review.is_draft(),
        is_disabled: !client.status.is_active(),
    }
}

/// Returns the errors of the form that the person can correct, or the rejection.
fn correctable(error: AppError) -> Result<FormErrors, Rejection> {
    match error {
        AppError::Invalid(faults) => Ok(app_form::errors(&faults)),
        AppError::TooManyApps => {
            Ok(FormErrors::form("You have reached the limit of apps. Delete one first."))
        }
        AppError::NotFresh
        | AppError::NotFound
        | AppError::NoSecret
        | AppError::SecretChanged
        | AppError::LastSecret
        | AppError::Disabled
        | AppError::AccountUnavailable
        | AppError::Storage(_) => Err(error.into()),
    }
}
