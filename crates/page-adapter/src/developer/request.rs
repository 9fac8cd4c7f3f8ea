//! Requests of developers: what every page and form of theirs checks first.
//!
//! The use cases check that an app belongs to the developer, and that the sign-in is recent where it must be.

use super::errors_of;
use crate::answer::see_other;
use crate::form::Form;
use crate::kept_form::{self, Submission};
use crate::person::{self, Destination};
use crate::view::FormErrors;
use crate::{DeveloperUseCases, PageState};
use actix_web::dev::HttpServiceFactory;
use actix_web::web::{Data, Payload, get, post};
use actix_web::{HttpRequest, HttpResponse, Route};
use application::account::SignedInPerson;
use application::developer::{AppCommand, OwnAppError};
use application::webhook::WebhookError;
use domain::id::ClientId;
use http_adapter::Endpoint;
use http_adapter::caller;
use http_adapter::problem::{Fault, Problem};
use std::net::IpAddr;

/// A signed-in developer on a server with self-service.
pub(super) struct Visit<'a> {
    pub(super) state: &'a PageState,
    pub(super) use_cases: &'a DeveloperUseCases,
    pub(super) person: SignedInPerson,
}

/// A form that a developer submitted.
pub(super) struct Sent<'a> {
    pub(super) visit: Visit<'a>,
    pub(super) form: Form,
    /// The caller's IP address.
    pub(super) address: IpAddr,
}

impl Sent<'_> {
    /// Returns the app that the form is about.
    pub(super) fn app(&self) -> Result<AppCommand<'_>, Problem> {
        let id = self.form.parse("client", |id| ClientId::parse(id).ok())?;
        Ok(AppCommand { session: &self.visit.person.session, id, address: self.address })
    }
}

/// Why a form has no effect.
pub(super) enum Refusal {
    App(OwnAppError),
    Problem(Problem),
}

impl From<OwnAppError> for Refusal {
    fn from(error: OwnAppError) -> Self {
        Self::App(error)
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Returns the errors that the person can correct in the form, or the refusal.
pub(super) fn correctable(error: OwnAppError) -> Result<FormErrors, Refusal> {
    errors_of(&error).ok_or(Refusal::App(error))
}

/// Returns the use cases; without them there are no such pages.
fn use_cases(state: &PageState) -> Result<&DeveloperUseCases, Problem> {
    state.developer.as_ref().ok_or_else(|| Problem::new(Fault::NotFound))
}

/// Serves a page to a signed-in developer; others are sent to the sign-in page.
pub(super) fn page<P>(show: P) -> Route
where
    P: AsyncFn(&Visit<'_>, &HttpRequest) -> Result<HttpResponse, Problem> + Clone + 'static,
{
    get().to(move |state: Data<PageState>, request: HttpRequest| {
        let show = show.clone();
        async move {
            let use_cases = use_cases(&state)?;
            match person::signed_in(&request, &state).await? {
                Some(person) => show(&Visit { state: &state, use_cases, person }, &request).await,
                None => Ok(see_other(&Destination::Developer.sign_in())),
            }
        }
    })
}

/// Processes a form of a signed-in developer. If the sign-in is too old, the person signs in again; a form
/// that may be kept survives that.
pub(super) fn form<A>(endpoint: Endpoint, action: A) -> Route
where
    A: AsyncFn(&Sent<'_>) -> Result<HttpResponse, Refusal> + Clone + 'static,
{
    post().to(move |state: Data<PageState>, request: HttpRequest, body: Payload| {
        let action = action.clone();
        async move {
            let use_cases = use_cases(&state)?;
            let (person, form) = if endpoint.keeps_form() {
                match kept_form::read(&request, body, &state, endpoint).await? {
                    Submission::Complete(person, form) => (person, form),
                    Submission::SignIn(response) => return Ok(response),
                }
            } else {
                Form::read_with_person(&request, body, &state).await?
            };
            let visit = Visit { state: &state, use_cases, person };
            let sent = Sent { visit, form, address: caller::address(&request) };
            match action(&sent).await {
                Ok(response) => Ok(response),
                Err(refusal) => refused(refusal, &sent, endpoint),
            }
        }
    })
}

/// Returns the resource of an endpoint that is a form alone.
pub(super) fn form_only<A>(endpoint: Endpoint, action: A) -> impl HttpServiceFactory + 'static
where
    A: AsyncFn(&Sent<'_>) -> Result<HttpResponse, Refusal> + Clone + 'static,
{
    endpoint.resource().route(form(endpoint, action))
}

/// Returns the response to a form without effect.
fn refused(refusal: Refusal, sent: &Sent<'_>, endpoint: Endpoint) -> Result<HttpResponse, Problem> {
    let error = match refusal {
        Refusal::App(error) => error,
        Refusal::Problem(problem) => return Err(problem),
    };
    match error {
        OwnAppError::NotFresh if endpoint.keeps_form() => {
            kept_form::sign_in(&sent.form, endpoint, sent.visit.state)
        }
        OwnAppError::NotFresh => Ok(see_other(&Destination::Developer.sign_in())),
        OwnAppError::NotFound => Err(Problem::new(Fault::NotFound)),
        OwnAppError::AccountUnavailable => Err(Problem::new(Fault::ForeignForm)),
        OwnAppError::Storage(error) => Err(error.into()),
        OwnAppError::Webhook(WebhookError::Signer(error)) => Err(Problem::internal(error)),
        OwnAppError::Invalid(_)
        | OwnAppError::TooManyApps
        | OwnAppError::NoSecret
        | OwnAppError::SecretChanged
        | OwnAppError::LastSecret
        | OwnAppError::NoCode
        | OwnAppError::Disabled
        | OwnAppError::TooManyPeople
        | OwnAppError::Webhook(_) => Err(Problem::new(Fault::InvalidForm)),
    }
}
