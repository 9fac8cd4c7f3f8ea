//! Forms of signed-in people, as an argument of their handlers.

use crate::browser::Browser;
use crate::form::Form;
use crate::{PageState, kept_form, person};
use actix_web::error::InternalError;
use actix_web::web::{Data, Payload};
use actix_web::{Error, FromRequest, HttpRequest, HttpResponse, dev};
use application::session::SignedInPerson;
use futures_util::future::LocalBoxFuture;
use http_adapter::problem::{Fault, Problem};

/// Form of a signed-in person.
pub(crate) struct PersonForm {
    pub(crate) person: SignedInPerson,
    pub(crate) form: Form,
}

impl PersonForm {
    /// Parses a form. If the session has ended, the form is kept until the person has signed in, or is
    /// foreign if its endpoint keeps none.
    pub(crate) async fn read(
        request: &HttpRequest,
        body: Payload,
        state: &PageState,
    ) -> Result<Self, Rejection> {
        let settings = &state.http.settings;
        let browser = Browser::from_request(request, settings);
        let cookie = browser.session().ok_or_else(|| Problem::new(Fault::ForeignForm))?;
        let Some(person) = person::signed_in_with(request, &browser, state).await? else {
            let endpoint = kept_form::endpoint(request.path());
            let endpoint = endpoint.ok_or_else(|| Problem::new(Fault::ForeignForm))?;
            let form = Form::read(request, body, settings, cookie).await?;
            return Err(Rejection::SignIn(kept_form::sign_in(&form, endpoint, state)?));
        };
        let form = Form::read(request, body, settings, cookie).await?;
        Ok(Self { person, form })
    }
}

/// Why a form of a person is not processed.
pub(crate) enum Rejection {
    Problem(Problem),
    /// The session has ended. The response leads to the sign-in page and keeps the form.
    SignIn(HttpResponse),
}

impl From<Problem> for Rejection {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::Problem(problem) => problem.into(),
            Rejection::SignIn(response) => {
                InternalError::from_response("the session has ended", response).into()
            }
        }
    }
}

impl FromRequest for PersonForm {
    type Error = Rejection;
    type Future = LocalBoxFuture<'static, Result<Self, Rejection>>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let state = Data::<PageState>::from_request(request, payload);
        let body = Payload::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let internal = |error: Error| Problem::internal(error.to_string());
            let (state, body) = (state.await.map_err(internal)?, body.await.map_err(internal)?);
            Self::read(&request, body, &state).await
        })
    }
}
