//! `/account/second-factor`: setting up an authenticator app, recovery codes, turning the factor off.

#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::answer::{page, redirect_with_notice, see_other, with_cookies};
use crate::browser::{form_token, set_signed_in};
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::{FormErrors, QrCode};
use crate::{PageState, moment, page_with_form, query};
use actix_web::http::StatusCode;
use actix_web::web::{Data, ServiceConfig, post};
use actix_web::{HttpRequest, HttpResponse};
use application::second_factor::{NewAuthenticator, SecondFactorError, SecondFactorState};
use application::session::SignedInPerson;
use domain::id::UserId;
use domain::second_factor::{RecoveryCode, SecondFactorPolicy};
use domain::user::Email;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use url::Url;

/// One text for a wrong, expired and used code.
pub(crate) const WRONG_CODE: &str =
    "This code is incorrect or was used before. Enter the code that your app shows now.";
pub(crate) const SET_UP_EXPIRED: &str =
    "This took too long. Scan the new QR code and enter the code that your app shows for it.";

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(page_with_form(Endpoint::SecondFactor, show, turn_on))
        .service(Endpoint::TurnOffSecondFactor.resource().route(post().to(turn_off)))
        .service(Endpoint::RecoveryCodes.resource().route(post().to(replace_codes)));
}

/// Shows the form to set up an app, or the second factor that is on. A person whose sign-in is too old signs
/// in first.
async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let person = match person::signed_in(&request, &state).await? {
        Some(person) if person.is_fresh => person,
        Some(_) | None => return Ok(see_other(&Destination::SecondFactor.sign_in())),
    };
    let replaces_app = query::read(&request, &["app"])?.get("app") == Some("new");
    match state.second_factors.find(person.user_id).await? {
        Some(factor) if !replaces_app => {
            let view = view::SecondFactor {
                person: person::to_view(&person),
                set_up: moment::day(factor.set_at, person.home_timezone),
                codes: codes_line(factor),
                is_required: state.second_factors.policy == SecondFactorPolicy::Required,
            };
            page(StatusCode::OK, &view)
        }
        _ => set_up_page(&state, &person, None, FormErrors::none()),
    }
}

/// Turns the second factor on and shows the recovery codes once. The response is a page, not a redirect,
/// because only their hashes are stored.
async fn turn_on(
    state: Data<PageState>,
    request: HttpRequest,
    sent: PersonForm,
) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let (enrolment, code) = (form.find("enrolment")?, form.find("code")?.unwrap_or_default());
    let (device, shown) = (person::device(&request), enrolment.unwrap_or_default());
    match state.second_factors.turn_on(&person, device, shown, code).await {
        Ok(on) => {
            let cookies = set_signed_in(&on.signed_in, &state.http.settings);
            let next = Endpoint::Account.path().to_owned();
            Ok(with_cookies(codes_page(&on.codes, true, next)?, cookies))
        }
        Err(SecondFactorError::WrongCode) => {
            set_up_page(&state, &person, enrolment, FormErrors::field("code", WRONG_CODE))
        }
        // A new secret is shown only after a recent sign-in.
        Err(SecondFactorError::SetUpExpired) if person.is_fresh => {
            set_up_page(&state, &person, None, FormErrors::field("code", SET_UP_EXPIRED))
        }
        Err(error) => rejected(error),
    }
}

/// Turns the second factor off.
async fn turn_off(
    state: Data<PageState>,
    request: HttpRequest,
    sent: PersonForm,
) -> Result<HttpResponse, Problem> {
    let PersonForm { person, .. } = sent;
    match state.second_factors.turn_off(&person, person::device(&request)).await {
        Ok(()) => Ok(redirect_with_notice(Endpoint::Account, "second-factor-off")),
        Err(error) => rejected(error),
    }
}

/// Replaces the recovery codes and shows the new ones once.
async fn replace_codes(
    state: Data<PageState>,
    request: HttpRequest,
    sent: PersonForm,
) -> Result<HttpResponse, Problem> {
    let PersonForm { person, .. } = sent;
    match state.second_factors.replace_recovery_codes(&person, person::device(&request)).await {
        Ok(codes) => codes_page(&codes, false, Endpoint::Account.path().to_owned()),
        Err(error) => rejected(error),
    }
}

/// Returns the response to a change that was not made.
fn rejected(error: SecondFactorError) -> Result<HttpResponse, Problem> {
    match error {
        SecondFactorError::NotFresh | SecondFactorError::SetUpExpired => {
            Ok(see_other(&Destination::SecondFactor.sign_in()))
        }
        SecondFactorError::NotSet => Ok(see_other(Endpoint::SecondFactor.path())),
        SecondFactorError::Required | SecondFactorError::WrongCode => Err(Problem::new(Fault::InvalidForm)),
        SecondFactorError::Storage(error) => Err(error.into()),
    }
}

/// Returns the state of the recovery codes, for people.
pub(crate) fn codes_line(factor: SecondFactorState) -> view::CodesLine {
    view::CodesLine { left: factor.recovery_codes }
}

/// Shows recovery codes, once.
pub(crate) fn codes_page(
    codes: &[RecoveryCode],
    is_new_factor: bool,
    next: String,
) -> Result<HttpResponse, Problem> {
    let codes = codes.iter().map(RecoveryCode::expose).collect();
    page(StatusCode::OK, &view::RecoveryCodes { codes, is_new_factor, next })
}

fn set_up_page(
    state: &PageState,
    person: &SignedInPerson,
    enrolment: Option<&str>,
    errors: FormErrors,
) -> Result<HttpResponse, Problem> {
    let form = SetUpForm {
        user_id: person.user_id,
        email: &person.email,
        enrolment,
        form_token: form_token(&person.cookie),
        action: Endpoint::SecondFactor.path(),
    };
    page(errors.status(), &form.view(state, Some(person::to_view(person)), errors)?)
}

/// Form to set up an authenticator app, on the account page or during a sign-in.
pub(crate) struct SetUpForm<'a> {
    pub(crate) user_id: UserId,
    pub(crate) email: &'a Email,
    /// Submitted secret, which is shown again; `None` for a new one.
    pub(crate) enrolment: Option<&'a str>,
    pub(crate) form_token: String,
    /// Path of the form.
    pub(crate) action: &'static str,
}

impl SetUpForm<'_> {
    pub(crate) fn view(
        self,
        state: &PageState,
        person: Option<crate::view::Person>,
        errors: FormErrors,
    ) -> Result<view::SetUpSecondFactor, Problem> {
        let NewAuthenticator { secret, enrolment } =
            state.second_factors.begin_set_up(self.user_id, self.enrolment)?;
        let uri = secret.uri(&host(&state.http.settings.public_url), self.email.as_str());
        Ok(view::SetUpSecondFactor {
            person,
            form_token: self.form_token,
            action: self.action,
            qr: QrCode::encode(&uri),
            uri,
            secret: secret.base32(),
            enrolment,
            request: None,
            to: None,
            errors,
        })
    }
}

/// Returns the host of the server, by which the app names the account.
fn host(public_url: &str) -> String {
    let url = Url::parse(public_url).ok();
    let host = url.as_ref().and_then(|url| Some((url.host_str()?, url.port())));
    match host {
        Some((host, Some(port))) => format!("{host}:{port}"),
        Some((host, None)) => host.to_owned(),
        None => "Restwell".to_owned(),
    }
}
