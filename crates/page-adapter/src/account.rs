//! `/account`: the password and the signed-in browsers of a person.

use super::answer::{page, see_other, with_cookies};
use super::browser::{Browser, set_signed_in};
use super::form::Form;
use super::person::{self, Destination};
use super::view::{self, BrowserLine, FormErrors};
use super::{moment, password, query};
use crate::PageState;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::account::{ChangePasswordCommand, ChangePasswordError, PasswordCheckError, SignedInPerson};
use http_adapter::Endpoint;
use http_adapter::caller;
use http_adapter::problem::Problem;

pub(super) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Account.sign_in()));
    };
    let done = query::read(&request, &["done"])?.get("done") == Some("password");
    let notice =
        done.then(|| "Your password has been changed. You are signed out of every other browser.".to_owned());
    let contents = AccountPage { notice, disconnects_apps: false, errors: FormErrors::none() };
    contents.answer(&state, &person, StatusCode::OK).await
}

/// Changes the password: this browser gets a new session, all others are signed out (security.md T30, T67).
pub(super) async fn change_password(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let browser = Browser::from_request(&request, &state.http.settings);
    let (person, form) = Form::read_with_person(&request, body, &state).await?;
    let disconnect_apps = form.is_ticked("disconnect_apps")?;
    let command = ChangePasswordCommand {
        user_id: person.user_id,
        email: &person.email,
        current: form.find("current_password")?.unwrap_or_default(),
        new: form.find("new_password")?.unwrap_or_default(),
        known_browser: browser.known_browser(),
        disconnect_apps,
        address: caller::address(&request),
    };
    let errors = match state.change_password.run(command).await {
        Ok(new) => {
            let cookies = set_signed_in(&new, &state.http.settings);
            return Ok(with_cookies(
                see_other(&format!("{}?done=password", Endpoint::Account.path())),
                cookies,
            ));
        }
        Err(error) => form_errors(error)?,
    };
    let contents = AccountPage { notice: None, disconnects_apps: disconnect_apps, errors };
    contents.answer(&state, &person, StatusCode::UNPROCESSABLE_ENTITY).await
}

/// Returns the form errors; an error that the person cannot fix is a problem.
fn form_errors(error: ChangePasswordError) -> Result<FormErrors, Problem> {
    match error {
        ChangePasswordError::Rule(rule) => {
            Ok(FormErrors::field("new_password", password::password_rule(rule)))
        }
        ChangePasswordError::Check(
            PasswordCheckError::WrongCredentials | PasswordCheckError::InvalidForm,
        ) => Ok(FormErrors::field("current_password", "That is not your current password.")),
        ChangePasswordError::Check(error) => Err(error.into()),
    }
}

/// Contents of the page.
struct AccountPage {
    notice: Option<String>,
    disconnects_apps: bool,
    errors: FormErrors,
}

impl AccountPage {
    async fn answer(
        self,
        state: &PageState,
        person: &SignedInPerson,
        status: StatusCode,
    ) -> Result<HttpResponse, Problem> {
        let Self { notice, disconnects_apps, errors } = self;
        let zone = person.home_timezone;
        let mut sessions = state.list_sessions.run(person.user_id).await?;
        // This browser first; the order is otherwise kept.
        sessions.sort_by_key(|session| session.id != person.session.id);
        let browsers = sessions.into_iter().map(|session| BrowserLine {
            is_this: session.id == person.session.id,
            signed_in: moment::to_the_minute(session.authenticated_at, zone),
            last_seen: moment::to_the_minute(session.last_seen_at, zone),
        });
        let view = view::Account {
            person: person::shown(person),
            notice,
            time_zone: zone.name().to_owned(),
            browsers: browsers.collect(),
            disconnects_apps,
            errors,
        };
        page(status, &view)
    }
}
