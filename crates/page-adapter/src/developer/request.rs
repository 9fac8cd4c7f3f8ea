//! Checks that every page and form of the developer pages makes first.
//!
//! The use cases check that an app belongs to the developer, and that the sign-in is recent where it must be.

use crate::answer::see_other;
use crate::form::Form;
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::{DeveloperServices, PageState, kept_form};
use actix_web::dev::HttpServiceFactory;
use actix_web::web::{Data, Payload, get, post};
use actix_web::{HttpRequest, HttpResponse, Route};
use application::client::{AppDeveloper, AppError};
use application::session::SignedInPerson;
use application::webhook::WebhookError;
use domain::client::ServerNames;
use domain::id::ClientId;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};

/// A signed-in developer on a server with self-service.
pub(super) struct Developer<'a> {
    pub(super) state: &'a PageState,
    pub(super) use_cases: &'a DeveloperServices,
    pub(super) person: SignedInPerson,
}

impl Developer<'_> {
    /// Returns the names that apps must not imitate.
    pub(super) fn server(&self) -> ServerNames<'_> {
        let settings = &self.state.http.settings;
        ServerNames::new(settings.operator.name.as_deref(), &settings.public_url)
    }
}

/// A form that a developer submitted.
pub(super) struct DeveloperForm<'a> {
    pub(super) developer: Developer<'a>,
    pub(super) form: Form,
}

impl DeveloperForm<'_> {
    /// Returns the developer and the app that the form is about.
    pub(super) fn app_developer(&self) -> Result<AppDeveloper<'_>, Problem> {
        let app = self.form.parse("client", |id| ClientId::parse(id).ok())?;
        Ok(AppDeveloper { person: &self.developer.person, app })
    }
}

/// Why a form has no effect.
pub(super) enum Rejection {
    /// The person must sign in again.
    NotFresh,
    Problem(Problem),
}

impl From<AppError> for Rejection {
    fn from(error: AppError) -> Self {
        Self::Problem(match error {
            AppError::NotFresh => return Self::NotFresh,
            AppError::NotFound => Problem::new(Fault::NotFound),
            AppError::AccountUnavailable => Problem::new(Fault::ForeignForm),
            AppError::Storage(error) => error.into(),
            AppError::Invalid(_)
            | AppError::TooManyApps
            | AppError::NoSecret
            | AppError::SecretChanged
            | AppError::LastSecret
            | AppError::Disabled => Problem::new(Fault::InvalidForm),
        })
    }
}

impl From<WebhookError> for Rejection {
    fn from(error: WebhookError) -> Self {
        Self::Problem(match error {
            WebhookError::NotFresh => return Self::NotFresh,
            WebhookError::NotFound => Problem::new(Fault::NotFound),
            WebhookError::TooManyMessages { retry_after_seconds } => too_many(retry_after_seconds),
            WebhookError::Storage(error) => error.into(),
            WebhookError::Signer(error) => Problem::internal(error),
            WebhookError::Forbidden
            | WebhookError::UrlTaken
            | WebhookError::TooMany
            | WebhookError::SecretChanged => Problem::new(Fault::InvalidForm),
        })
    }
}

impl From<Problem> for Rejection {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Returns the use cases; without them there are no such pages.
fn use_cases(state: &PageState) -> Result<&DeveloperServices, Problem> {
    state.developer.as_ref().ok_or_else(|| Problem::new(Fault::NotFound))
}

/// Serves a page to a signed-in developer; others are sent to the sign-in page.
pub(super) fn page<P>(show: P) -> Route
where
    P: AsyncFn(&Developer<'_>, &HttpRequest) -> Result<HttpResponse, Problem> + Clone + 'static,
{
    get().to(move |state: Data<PageState>, request: HttpRequest| {
        let show = show.clone();
        async move {
            let use_cases = use_cases(&state)?;
            match person::signed_in(&request, &state).await? {
                Some(person) => show(&Developer { state: &state, use_cases, person }, &request).await,
                None => Ok(see_other(&Destination::Developer.sign_in())),
            }
        }
    })
}

/// Processes a form of a signed-in developer. If the sign-in is too old, the person signs in again; a form
/// that may be kept survives that.
pub(super) fn form<A>(endpoint: Endpoint, action: A) -> Route
where
    A: AsyncFn(&DeveloperForm<'_>) -> Result<HttpResponse, Rejection> + Clone + 'static,
{
    post().to(move |state: Data<PageState>, request: HttpRequest, body: Payload| {
        let action = action.clone();
        async move {
            let use_cases = use_cases(&state)?;
            let PersonForm { person, form } = PersonForm::read(&request, body, &state).await?;
            let developer = Developer { state: &state, use_cases, person };
            let sent = DeveloperForm { developer, form };
            let response = action(&sent).await.or_else(|rejection| rejected(rejection, &sent, endpoint))?;
            Ok::<_, actix_web::Error>(response)
        }
    })
}

/// Returns the resource of an endpoint that is a form alone.
pub(super) fn form_only<A>(endpoint: Endpoint, action: A) -> impl HttpServiceFactory + 'static
where
    A: AsyncFn(&DeveloperForm<'_>) -> Result<HttpResponse, Rejection> + Clone + 'static,
{
    endpoint.resource().route(form(endpoint, action))
}

/// Returns the response to a form without effect.
fn rejected(
    rejection: Rejection,
    sent: &DeveloperForm<'_>,
    endpoint: Endpoint,
) -> Result<HttpResponse, Problem> {
    match rejection {
        Rejection::NotFresh if endpoint.kept_form().is_some() => {
            kept_form::sign_in(&sent.form, endpoint, sent.developer.state)
        }
        Rejection::NotFresh => Ok(see_other(&Destination::Developer.sign_in())),
        Rejection::Problem(problem) => Err(problem),
    }
}

/// The page adds how long to wait.
fn too_many(seconds: u32) -> Problem {
    let text = "You asked for too many tests, challenges or replays, or several developers did at the same host. \
                Nothing was sent.";
    Problem::new(Fault::TooManyAttempts).detail(text).retry_after(seconds)
}
